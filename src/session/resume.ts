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

export type StartResult =
  | { session: LiveSession; error: WriterError | undefined }
  | { session: undefined; holder: LeaseHolder | undefined };

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

/** Starts a session under an id that no other has; its first record is durable when this returns. */
export function startSession(options: TranscriptOptions, info: SessionInfo, level?: Level): StartResult {
  const opened = openTranscript(options);
  if (!opened.writer) return { session: undefined, holder: opened.holder };
  const session = new LiveSession(options, opened.writer, opened.records);
  if (!session.info) session.append([{ type: 'session', session: info, ...(level && { level }) }]);
  return { session, error: session.sync() };
}

/** Goes on with a session. */
export function resumeSession(
  options: TranscriptOptions,
): Resumed | { session: undefined; holder: LeaseHolder | undefined } {
  const opened = openTranscript(options);
  if (!opened.writer) return { session: undefined, holder: opened.holder };
  const { writer, records, damage } = opened;
  const session = new LiveSession(options, writer, records);
  const wasOpen = session.isTurnOpen;
  session.takeInbox();
  const unknown = session.view.openCalls();
  const drafts: Draft[] = session.checkpoint.turnEnd();
  let report: string | undefined;
  if (wasOpen || unknown.length > 0 || damage) {
    report = reportOf(session, unknown, damage, wasOpen);
    const calls = unknown.map(({ id, name }) => ({ id, name }));
    // The calls first: a rewind that was requested takes them out of the view, but not out of the world.
    drafts.unshift({ type: 'reconciled', reconciled: { calls, report } });
  }
  session.append(drafts);
  return { session, report, unknown, damage, error: session.sync() };
}

function reportOf(
  { checkpoint, todo }: LiveSession,
  unknown: readonly OpenCall[],
  damage: TranscriptDamage | undefined,
  wasOpen: boolean,
): string {
  const lines = ['This session was resumed.'];
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
  return lines.join('\n');
}

function callLine({ id, name, message }: OpenCall): string {
  const text = textOf(message);
  const quote = text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)}…` : text;
  return `- ${name} (${id}): unknown${quote === '' ? '' : `, announced with: ${quote}`}`;
}
