/** What a session has sent to others and spawned, for the tool that looks after its jobs. */
import { oneLine } from '../../memory/line.ts';
import { PERSON } from '../../messaging/messageText.ts';
import { canFlowTo } from '../../policy/level.ts';
import type { RunRecord } from '../../session/record.ts';
import type { RunEntry } from '../../session/steps.ts';
import { clipped } from '../../subagent/text.ts';
import { readerOf } from '../author.ts';
import type { ToolCall, ToolContext } from '../tool.ts';

/** Runs that are told of without being named. */
const LISTED = 20;
/** Characters of a result; the whole is in the other session. */
const RESULT = 8_000;

/** The runs that the caller started, newest first; all of them for a person. */
export async function runsOf(
  call: ToolCall,
  { access, messaging }: ToolContext,
): Promise<readonly RunEntry[]> {
  const { key, isPerson } = await access.requester(call);
  const runs = await messaging.runs(readerOf(call));
  return runs.filter(({ run }) => isPerson || (run.requester === key && run.requester !== PERSON));
}

/** The runs that these ids name, and the ids that name none. A session's key names what goes on in it, else the last. */
export function namedRuns(
  runs: readonly RunEntry[],
  wanted: readonly string[] | undefined,
): { readonly found: readonly RunEntry[]; readonly rest: readonly string[] | undefined } {
  if (wanted === undefined) {
    const open = runs.filter(isOpen);
    return { found: [...open, ...runs.filter((entry) => !isOpen(entry)).slice(0, LISTED)], rest: undefined };
  }
  const found = new Set<RunEntry>();
  const rest: string[] = [];
  for (const id of wanted) {
    const named = runs.filter(({ run }) => run.id === id || run.target === id);
    const open = named.filter(isOpen);
    for (const entry of open.length > 0 ? open : named.slice(0, 1)) found.add(entry);
    if (named.length === 0) rest.push(id);
  }
  return { found: [...found], rest };
}

/** Its main part goes on; what is announced afterwards is nothing to wait for. */
export function isOpen({ run }: RunEntry): boolean {
  return run.outcome === undefined && run.ended === undefined;
}

/** Two lines at most: what it is and how it stands, and what came of it. */
export function runLines({ run }: RunEntry, { level }: Pick<ToolCall, 'level'>): string[] {
  const { id, kind, target, outcome } = run;
  const head = `- ${id} (${WORDS[kind]} ${oneLine(target)}): ${outcome?.status ?? 'running'}`;
  const text = outcome === undefined ? '' : toldOf(outcome, level);
  return text === '' ? [head] : [head, `  ${text}`];
}

/** The same as data. */
export function runData({ run }: RunEntry, { level }: Pick<ToolCall, 'level'>): object {
  const { id, kind, target, outcome, created } = run;
  const status = outcome?.status ?? 'running';
  return {
    ...{ runId: id, kind, sessionKey: target, status, created },
    ...(outcome && { text: toldOf(outcome, level) }),
  };
}

function toldOf({ text, level }: NonNullable<RunRecord['outcome']>, reader: ToolCall['level']): string {
  return canFlowTo(level, reader)
    ? clipped(text.trim(), RESULT)
    : `(The answer is at ${level}, above this chat.)`;
}

const WORDS: Readonly<Record<RunRecord['kind'], string>> = {
  ...{ send: 'message to', spawn: 'spawned', cron: 'scheduled' },
};
