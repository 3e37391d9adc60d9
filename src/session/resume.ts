/**
 * Opening of a session, a new one or one that somebody left, perhaps in the middle of a turn. What a resume
 * finds and changes is itself recorded, so a second resume has the same view and nothing more to say.
 */
import type { Level } from '../policy/level.ts';
import type { LeaseHolder } from './lease.ts';
import { LiveSession } from './liveSession.ts';
import { textOf } from './messages.ts';
import type { TranscriptDamage } from './reader.ts';
import type { Draft, SessionInfo } from './record.ts';
import { openTranscript, type TranscriptOptions, type WriterError } from './transcript.ts';
import type { OpenCall } from './view.ts';

/** How much of a text is repeated in a report; all of it is in the view. */
const QUOTE_LENGTH = 200;
const OPEN_MARKS = new Map([
  ['pending', ' '],
  ['in_progress', '/'],
]);

export interface Resumed {
  session: LiveSession;
  /** What the model is told before the next prompt; the view does that. Undefined when there is nothing new. */
  report: string | undefined;
  /** Calls of which nobody knows whether they took effect. */
  unknown: OpenCall[];
  damage: TranscriptDamage | undefined;
  /** The session can be looked at, but what was found could not be recorded. */
  error: WriterError | undefined;
}

export type OpenedSession = Resumed | { session: undefined; holder: LeaseHolder | undefined };

/**
 * Starts a session, or goes on with the one that has this id. Its first record is durable when this returns, except a
 * subagent's.
 */
export function startSession(options: TranscriptOptions, info: SessionInfo, level?: Level): OpenedSession {
  return openSession(options, { type: 'session', session: info, ...(level && { level }) });
}

/** Goes on with a session. */
export function resumeSession(options: TranscriptOptions): OpenedSession {
  return openSession(options, undefined);
}

function openSession(options: TranscriptOptions, first: Draft | undefined): OpenedSession {
  const opened = openTranscript(options);
  if (!opened.writer) return { session: undefined, holder: opened.holder };
  const { writer, records, damage } = opened;
  const session = new LiveSession(options, writer, records);
  // What is not known to be all must not be gone on from.
  if (session.isLocked) return { session, report: undefined, unknown: [], damage, error: undefined };
  if (first && !session.info) session.append([first]);
  session.takeInbox();
  const { report, unknown } = reconcile(session, damage);
  // Messages had to wait for calls that are given up by now.
  if (unknown.length > 0) session.takeInbox();
  // A subagent's is on disk when its turn has ended: should the machine go down, it has to run again anyway.
  const error = options.agentId === undefined ? session.sync() : session.writer.error;
  return { session, report, unknown, damage, error };
}

/**
 * Brings a session that was left to where a turn can begin: calls without a result are given up, a requested
 * rewind takes effect, and the model is told. Durable with the next `sync`.
 * @param always records a report also when the session was left in order.
 */
export function reconcile(
  session: LiveSession,
  damage: TranscriptDamage | undefined,
  always = false,
): Pick<Resumed, 'report' | 'unknown'> {
  const wasOpen = session.isTurnOpen;
  const unknown = session.view.openCalls();
  const drafts: Draft[] = session.checkpoint.turnEnd();
  let report: string | undefined;
  if (always || wasOpen || unknown.length > 0 || damage) {
    report = reportOf(session, unknown, damage, wasOpen);
    const calls = unknown.map(({ id, name }) => ({ id, name }));
    // The calls first: a rewind that was requested takes them out of the view, but not out of the world.
    drafts.unshift({ type: 'reconciled', reconciled: { calls, report } });
  }
  session.append(drafts);
  return { report, unknown };
}

function reportOf(
  { checkpoint, todo }: LiveSession,
  unknown: readonly OpenCall[],
  damage: TranscriptDamage | undefined,
  wasOpen: boolean,
): string {
  const lines: string[] = [];
  if (wasOpen) lines.push('The last turn did not come to its end.');
  if (damage) {
    const what = damage.reason === 'torn' ? 'The last record was incomplete' : 'The transcript was damaged';
    lines.push(`${what}: ${damage.length} bytes were put aside and are not part of this conversation.`);
  }
  if (unknown.length > 0) {
    lines.push('Calls without a result. Check whether they took effect before you repeat them:');
    lines.push(...unknown.map(callLine));
  }
  if (checkpoint.state === 'active') {
    lines.push(
      `The checkpoint "${checkpoint.active?.goal}" is open: call rewind with a report when you are done.`,
    );
  }
  const open = todo.phases.flatMap(({ tasks }) =>
    tasks.flatMap(({ content, status }) => {
      const mark = OPEN_MARKS.get(status);
      return mark === undefined ? [] : [`- [${mark}] ${content}`];
    }),
  );
  if (open.length > 0) lines.push('Remaining work:', ...open);
  return lines.length === 0 ? '' : ['This session was resumed.', ...lines].join('\n');
}

function callLine({ id, name, message }: OpenCall): string {
  const text = textOf(message);
  const quote = text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)}…` : text;
  return `- ${name} (${id}): unknown${quote === '' ? '' : `, announced with: ${quote}`}`;
}
