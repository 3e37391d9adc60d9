/** `lodeline uninstall`: undoes what `lodeline init` has set up, to the byte where nobody has changed it since. */
import { homedir } from 'node:os';
import { type ConfigOutcome, undo } from './agentConfig.ts';
import { ConfigRecords } from './agentConfigRecord.ts';
import type { AgentName, AgentPlace } from './agents.ts';
import { failIfAny, outcomeLine, parseInitOptions } from './init.ts';

const UNINSTALL_HELP = `Usage: lodeline uninstall [--agent NAME]... [--root DIR] [--json]

Takes out of the files of agents, and of .lodeline/config.json, what lodeline init put in. Files that it made are removed,
with the folders made for them, where nothing else is in them. What is remembered stays.

  --agent NAME   only for this agent: vscode, claude, codex, copilot. May be repeated.
  --root DIR     the workspace folder (default: the current one)
  --json         answer with JSON`;

/** Undoes with the rest of the command line. @throws when a file could not be put right; the others are. */
export async function runUninstall(args: readonly string[]): Promise<void> {
  const options = parseInitOptions(args);
  if (options === undefined) {
    console.log(UNINSTALL_HELP);
    return;
  }
  const { root, agents, json } = options;
  const place = { root, home: homedir() };
  const files = await uninstall(place, agents);
  if (json) console.log(JSON.stringify({ root, files }, null, 2));
  else if (files.length === 0) console.log('Nothing of it has been set up for this folder.');
  else for (const outcome of files) console.log(outcomeLine(outcome, place));
  failIfAny(files);
}

/** Undoes what was set up for a folder. @param agents only for these; for everybody when there are none */
export async function uninstall(
  { root, home }: Pick<AgentPlace, 'root' | 'home'>,
  agents: readonly AgentName[],
): Promise<readonly ConfigOutcome[]> {
  const records = new ConfigRecords(home);
  const isMeant = (user: { readonly root: string; readonly agent: string }): boolean =>
    user.root === root && (agents.length === 0 || agents.some((agent) => agent === user.agent));
  if (!records.all().some(({ users }) => users.some(isMeant))) return [];
  return await records.alone(() =>
    records.all().flatMap((record) => {
      const outcomes = record.users.filter(isMeant).map((user) => {
        // Each user that goes changes the record.
        const current = records.read(record.file);
        return current === undefined ? undefined : undo(current, user, records);
      });
      return outcomes.filter((outcome) => outcome !== undefined);
    }),
  );
}
