/**
 * `lodeline hook`: what agents' hooks run. It marks the files that the agent touched, keeps the chat's transcript,
 * captures if the person wants that, and briefs a chat that starts. It never stands in the agent's way: whatever goes
 * wrong becomes a warning on standard error, and the exit code is 0.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CaptureLog } from '../memory/capture.ts';
import type { Level } from '../policy/level.ts';
import type { Log } from '../ports.ts';
import { observeChat } from '../session/observedTranscript.ts';
import { stderrLog, UsageError } from '../terminal.ts';
import { filesIn } from './hookFiles.ts';
import { type HookEvent, parseEvent, readInput } from './hookInput.ts';
import { levelAfter } from './hookLevel.ts';
import { isOwnTool } from './hookOwnTools.ts';
import { type HookPlace, placeOf, transcriptOf } from './hookPlace.ts';
import { warningOf } from './hookWarning.ts';

/** An agent waits for its hooks, so a hook that hangs ends itself; before a tool runs it has less to do. */
const PATIENCE = 20_000;
const PATIENCE_BEFORE = 5_000;

export const HOOK_HELP = `Usage: lodeline hook [EVENT] [--agent NAME] [--text]

Takes one event of VS Code's agent hooks or of Claude Code's as JSON on standard input. Marks the files that the agent
touched, keeps the chat's transcript (Copilot), captures activity where "memory.capture.enabled" is true, answers
SessionStart with the active sessions and a brief, and tells an agent once of others that are at work on its files.

  EVENT          the event's name, for agents that do not put it into the JSON
  --agent NAME   the agent's name, such as copilot or claude-code (default: told from the JSON)
  --text         answer SessionStart with plain text instead of JSON`;

/** Handles one event. Resolves whatever happens; a wrong command line excepted. */
export async function runHook(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      agent: { type: 'string' },
      text: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new UsageError('hook takes the name of one event.');
  if (values.help === true || process.stdin.isTTY) {
    console.log(HOOK_HELP);
    return;
  }
  let hanging = setTimeout(() => process.exit(0), PATIENCE);
  try {
    const event = parseEvent(await readInput(process.stdin), { event: positionals[0], agent: values.agent });
    if (event.name === 'PreToolUse') {
      clearTimeout(hanging);
      hanging = setTimeout(() => process.exit(0), PATIENCE_BEFORE);
    }
    const answer = await handle(event, stderrLog);
    if (answer !== undefined)
      process.stdout.write(`${values.text === true ? answer : asJson(event, answer)}\n`);
  } catch (error) {
    warn(stderrLog, error);
  } finally {
    clearTimeout(hanging);
  }
}

/** Does what an event asks for, each part whether or not the others can be done. Answers what the agent is told. */
async function handle(event: HookEvent, log: Log): Promise<string | undefined> {
  const place = placeOf(event.cwd ?? process.cwd(), log);
  if (place === undefined) return undefined;
  const files = filesIn(event.input, place.root, place.cwd);
  const level = await levelAfter(event, place, log);
  const warning = told(() => warningOf(event, place, files, level), log);
  // Before a tool runs nothing has happened yet: there is only something to be told.
  if (event.name === 'PreToolUse') return warning;
  const parts = [
    () => attend(event, place, level, files),
    () => observe(event, place, level, log),
    () => capture(event, place, level, files),
  ];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      warn(log, error);
    }
  }
  if (!/^session_?start$/i.test(event.name)) return warning;
  return (await import('./hookStart.ts')).briefing(event, place, level);
}

function attend(
  { name, session, agent }: HookEvent,
  { root, branch, window, board }: HookPlace,
  level: Level,
  files: readonly string[],
): void {
  board.attend([{ key: session, agent, branch, level, root, window, files }]);
  if (/^session_?end$/i.test(name)) board.leave([session]);
}

async function observe(
  { session, agent, transcript, call }: HookEvent,
  place: HookPlace,
  level: Level,
  log: Log,
): Promise<void> {
  if (agent !== 'copilot') return;
  const problem = await observeChat({
    ...{ chat: session, source: agent, level, transcript, call, isOwnTool },
    place: transcriptOf(place, session),
  });
  if (problem !== undefined) log.warn(problem);
}

async function capture(
  event: HookEvent,
  place: HookPlace,
  level: Level,
  files: readonly string[],
): Promise<void> {
  const { session, agent, tool, input, name } = event;
  if (!place.isCapturing || name !== 'PostToolUse' || tool === '' || isOwnTool(tool)) return;
  const { branch, level: defaultLevel, storeDir, keys } = place;
  const log = new CaptureLog({ dir: join(storeDir, 'captured'), defaultLevel, now: Date.now, keys });
  await log.add({ session, agent, branch, level, tool, input, file: files[0] ?? '' });
}

/** What VS Code, Claude Code and Codex take as context for the model. */
function asJson({ name, agent, transcript }: HookEvent, additionalContext: string): string {
  const hookSpecificOutput = { hookEventName: name, additionalContext };
  // Copilot CLI, which names no transcript at the start as the editor does, takes it by itself.
  const isCopilotCli = agent === 'copilot' && transcript === undefined;
  return JSON.stringify(isCopilotCli ? { additionalContext, hookSpecificOutput } : { hookSpecificOutput });
}

function told(what: () => string | undefined, log: Log): string | undefined {
  try {
    return what();
  } catch (error) {
    warn(log, error);
    return undefined;
  }
}

function warn(log: Log, error: unknown): void {
  log.warn(`hook: ${error instanceof Error ? error.message : String(error)}`);
}
