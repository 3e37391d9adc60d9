/** `lodeline init`: makes a project's vocabulary, and sets up other agents to use Lodeline. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseRoot, UsageError } from '../terminal.ts';
import { type ConfigOutcome, setUp } from './agentConfig.ts';
import { ConfigRecords } from './agentConfigRecord.ts';
import { AGENT_NOTES, AGENTS, type AgentName, type AgentPlace, plansOf } from './agents.ts';
import { setUpVocabulary, type VocabularyOutcome } from './initVocabulary.ts';

const INIT_HELP = `Usage: lodeline init [--agent NAME]... [--root DIR] [--json]

Merges the names of the project and of what it depends on (package.json, Cargo.toml, requirements.txt, pyproject.toml,
go.mod) into "vocab" of .lodeline/config.json: memories that speak of them get their tags. Run it again to refresh them;
what you wrote yourself stays.

  --agent NAME   also set up an agent: ${AGENTS.join(', ')}. May be repeated. Its files get the MCP server and the hooks;
                 everything else in them stays. A file that is not valid is left alone.
  --root DIR     the workspace folder (default: the current one)
  --json         answer with JSON

lodeline uninstall takes all of it out again.`;

/** The command line that init and uninstall share; undefined when it asks for help. */
export function parseInitOptions(
  args: readonly string[],
): { readonly root: string; readonly agents: readonly AgentName[]; readonly json: boolean } | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      root: { type: 'string' },
      agent: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const names = (values.agent ?? []).flatMap((list) => list.split(','));
  return {
    root: realpathSync(parseRoot(values.root)),
    agents: [...new Set(names.map(agentNamed))],
    json: values.json,
  };
}

/** Sets up a folder with the rest of the command line. @throws when a file could not be set up; the others are. */
export async function runInit(args: readonly string[]): Promise<void> {
  const options = parseInitOptions(args);
  if (options === undefined) {
    console.log(INIT_HELP);
    return;
  }
  const { root, agents, json } = options;
  const home = homedir();
  if (agents.length > 0) await ensureLauncher(home);
  const place = { root, home, env: process.env, platform: process.platform };
  const { vocabulary, files } = await initialize(place, agents);
  if (json) console.log(JSON.stringify({ root, vocabulary, files }, null, 2));
  else {
    console.log(vocabularyLine(vocabulary, place));
    for (const outcome of files) console.log(outcomeLine(outcome, place));
    for (const agent of agents) console.log(AGENT_NOTES[agent]);
  }
  failIfAny([vocabulary, ...files]);
}

/** Sets up a folder's vocabulary, and agents in it. Never throws for a file that cannot be set up. */
export async function initialize(
  place: AgentPlace,
  agents: readonly AgentName[],
): Promise<{ readonly vocabulary: VocabularyOutcome; readonly files: readonly ConfigOutcome[] }> {
  const records = new ConfigRecords(place.home);
  return await records.alone(() => ({
    vocabulary: setUpVocabulary(place.root, records),
    files: agents.flatMap((agent) => plansOf(agent, place).map((plan) => setUp(plan, records))),
  }));
}

/** What was done to a file, on one line. */
export function outcomeLine(
  { file, agent, done, note }: ConfigOutcome,
  place: Pick<AgentPlace, 'root' | 'home'>,
): string {
  return `${done.padEnd(9)} ${shownPath(file, place)} (${agent})${note === undefined ? '' : `: ${note}`}`;
}

/** @throws when one of the files could not be set up */
export function failIfAny(outcomes: readonly ConfigOutcome[]): void {
  const failed = outcomes.filter(({ done }) => done === 'failed').length;
  if (failed > 0)
    throw new Error(
      `${failed} of ${outcomes.length} files ${failed === 1 ? 'was' : 'were'} left alone, for the reasons above.`,
    );
}

function vocabularyLine(outcome: VocabularyOutcome, place: AgentPlace): string {
  if (outcome.done === 'failed') return outcomeLine(outcome, place);
  if (outcome.manifests.length === 0)
    return 'no manifest of a package at the top of the folder: no vocabulary';
  return `${outcomeLine({ ...outcome, note: undefined }, place)}: ${outcome.tags} tags from ${outcome.manifests.join(', ')}`;
}

function shownPath(file: string, { root, home }: Pick<AgentPlace, 'root' | 'home'>): string {
  if (file.startsWith(root + sep)) return relative(root, file);
  return file.startsWith(home + sep) ? join('~', relative(home, file)) : file;
}

function agentNamed(name: string): AgentName {
  const known = AGENTS.find((agent) => agent === name);
  if (known === undefined) throw new UsageError(`--agent: "${name}" is none of ${AGENTS.join(', ')}.`);
  return known;
}

/** The editor writes the launcher when it starts. Where none has, this program is what it starts. */
async function ensureLauncher(home: string): Promise<void> {
  const name = process.platform === 'win32' ? 'lodeline-mcp.cmd' : 'lodeline-mcp';
  if (existsSync(join(home, '.lodeline', 'bin', name))) return;
  const extensionDir = dirname(dirname(fileURLToPath(import.meta.url)));
  const { refreshLauncher } = await import('../mcp/launcher.ts');
  await refreshLauncher({ extensionDir, execPath: process.execPath });
}
