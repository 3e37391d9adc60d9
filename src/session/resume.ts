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
import { firstOf, quoted } from './resume/lines.ts';
import { openTranscript, type TranscriptOptions, type WriterError } from './transcript.ts';
import type { OpenCall } from './view.ts';

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
    const ended = wasOpen ? ({ ended: 'interrupted' } as const) : {};
    // The calls first: a rewind that was requested takes them out of the view, but not out of the world.
    drafts.unshift({ type: 'reconciled', reconciled: { calls, report, ...ended } });
  }
  session.append(drafts);
  return { report, unknown };
}

function reportOf(
  { checkpoint, todo, ledger }: LiveSession,
  given: readonly OpenCall[],
  damage: TranscriptDamage | undefined,
  wasOpen: boolean,
): string {
  const lines: string[] = [];
  if (wasOpen) lines.push('The last turn did not come to its end.');
  if (damage) {
    const what = damage.reason === 'torn' ? 'The last record was incomplete' : 'The transcript was damaged';
    lines.push(`${what}: ${damage.length} bytes were put aside and are not part of this conversation.`);
  }
  // Of those that were announced it is told what became of them, once somebody has looked.
  const others = given.filter(({ id }) => !ledger.isOpen(id));
  if (others.length > 0) {
    // Whoever announces what has side effects says by not doing it that a call only reads.
    const reads = ledger.run !== undefined;
    lines.push(
      reads ? READS : 'Calls without a result. Check whether they took effect before you repeat them:',
    );
    lines.push(...firstOf(others.map((call) => callLine(call, reads))));
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
  if (open.length > 0) lines.push('Remaining work:', ...firstOf(open));
  return lines.length === 0 ? '' : ['This session was resumed.', ...lines].join('\n');
}

const READS = 'Calls without a result, which only read; make them again if you need what they answer:';

function callLine({ id, name, message }: OpenCall, reads: boolean): string {
  const quote = quoted(textOf(message));
  return `- ${name} (${id})${reads ? '' : ': unknown'}${quote === '' ? '' : `, announced with: ${quote}`}`;
}
