/** Sessions and what they say to each other, as the panel shows them. */

import { PERSON } from '../../messaging/messageText.ts';
import type { SessionRow } from '../../messaging/row.ts';
import { type SessionPolicy, sessionPolicy } from '../../messaging/sessionPolicy.ts';
import { redactSecrets } from '../../policy/redact.ts';
import { sendPolicy } from '../../policy/sendPolicy.ts';
import type { Settings } from '../../ports.ts';
import { parseKey } from '../../session/key.ts';
import type { SoftConflict } from '../../session/presenceConflicts.ts';
import type { RunRecord } from '../../session/record.ts';
import type { RunEntry } from '../../session/steps.ts';
import type { MessageLine, SessionLine, SessionLineKind, SessionName } from '../../sessionProtocol.ts';

const NAME = 200;
const TEXT = 300;
/** As much of a text is looked through for secrets. */
const READ = 4 * TEXT;

/** Lines of the tree, in the order of the rows. */
export function linesOf(
  rows: readonly SessionRow[],
  runs: readonly RunEntry[],
  settings: Settings,
  conflicts: readonly SoftConflict[] = [],
): readonly SessionLine[] {
  const policy = sessionPolicy(settings);
  const running = new Map(
    runs.filter(isOpen).map(({ run: { target, id } }): [string, string] => [target, id]),
  );
  return rows.map((row) => ({
    ...lineOf(row, policy, running.get(row.key)),
    ...conflictsWith(row, conflicts),
  }));
}

function lineOf(
  row: SessionRow,
  { sendPolicy: policy }: SessionPolicy,
  run: string | undefined,
): SessionLine {
  const { key, sessionId, displayName, label, agentId, spawnedBy, state, origin, isOurs, archived } = row;
  const { chatType } = parseKey(key);
  return {
    ...{ key, id: sessionId, kind: kindOf(row), title: inName(displayName), label: inName(label) },
    ...{ source: inName(origin.source), agentId, parent: spawnedBy, state },
    ...{ aborted: row.abortedLastRun === true, updated: row.updatedAt },
    ...{ model: row.model && inName(row.model), tokens: row.totalTokens, window: row.contextTokens },
    ...{ level: row.level, archived, sendPolicy: row.sendPolicy, answers: isOurs },
    maySend: origin.peer === undefined && sendPolicy(policy, { ...row, chatType }) === 'allow',
    canResume: isOurs && state !== 'running',
    run: run ?? null,
    ...(origin.peer !== undefined && { peer: origin.peer }),
  };
}

/** Files that others touched as well. What a subagent does is its session's doing for others. */
function conflictsWith(
  { origin }: SessionRow,
  conflicts: readonly SoftConflict[],
): Pick<SessionLine, 'conflicts'> {
  if (origin.subagent !== undefined) return {};
  const own = conflicts.flatMap(({ file, keys, sessions }) => {
    const at = keys.indexOf(origin.key);
    return at === -1 ? [] : [{ file, sessions: sessions.filter((_, other) => other !== at) }];
  });
  return own.length === 0 ? {} : { conflicts: own };
}

function inName(name: string | null): string {
  return (name ?? '').slice(0, NAME).toWellFormed();
}

function kindOf({ kind, origin }: SessionRow): SessionLineKind {
  if (!origin.hasTranscript) return 'agent';
  if (kind === 'cron' || kind === 'hook') return kind;
  return origin.kind === 'participant' ? 'chat' : origin.kind;
}

/** A run whose main part goes on, or waits to. */
function isOpen({ run }: RunEntry): boolean {
  return run.outcome === undefined && run.ended === undefined;
}

/** What happened to messages, newest first, without their secrets. */
export async function timelineOf(
  runs: readonly RunEntry[],
  names: ReadonlyMap<string, string>,
  limit: number,
): Promise<readonly MessageLine[]> {
  const named = (key: string): SessionName => ({ key, name: names.get(key) ?? key });
  const events = runs
    .flatMap(({ run, isHeld }) => eventsOf(run, isHeld, named))
    // Of the same moment what came later stands first already.
    .sort((a, b) => b.at - a.at)
    .slice(0, limit);
  return await Promise.all(events.map(async (event) => ({ ...event, text: await shortText(event.text) })));
}

function eventsOf(
  { id, kind, created, requester, target, request, outcome }: RunRecord,
  isHeld: boolean,
  named: (key: string) => SessionName,
): readonly MessageLine[] {
  const to = named(target);
  const from = requester === PERSON || requester === target ? null : named(requester);
  const waits = outcome === undefined && !isHeld;
  const asked: MessageLine = {
    ...{ id: `${id} sent`, at: created, event: waits ? 'waiting' : 'sent' },
    ...{ from, to, text: messageOf(request) },
  };
  if (outcome === undefined || outcome.status === 'delivered') return [asked];
  const { status, text, at } = outcome;
  const answered = kind === 'send' ? 'replied' : 'announced';
  const event = status === 'ok' ? answered : 'failed';
  return [{ id: `${id} ${event}`, at, event, from: to, to: from, text }, asked];
}

/** What was asked, in whatever way its kind keeps it. */
function messageOf(request: unknown): string {
  const { message, task } = Object(request) as { message?: unknown; task?: unknown };
  return [message, task].find((text): text is string => typeof text === 'string') ?? '';
}

/** A secret that the end would cut in two is not known for one: first it is taken out, then the text is cut. */
async function shortText(text: string): Promise<string> {
  return (await redactSecrets(text.slice(0, READ).toWellFormed())).text.slice(0, TEXT).toWellFormed();
}

/** What sessions are called, by key. */
export function namesOf(rows: readonly SessionRow[]): ReadonlyMap<string, string> {
  return new Map(
    rows.map(({ key, displayName, label, origin }) => {
      const name = displayName?.trim() || label?.trim() || origin.source;
      return [key, name.slice(0, NAME).toWellFormed()];
    }),
  );
}
