/** How the run of a child counts: by what became of it, never by what the child says. */
import type { Level } from '../policy/level.ts';
import { NOTHING_SAID } from '../session/agentLoop.ts';
import { NO_USAGE } from '../session/messages.ts';
import type { RunOutcome, RunRecord } from '../session/record.ts';
import type { RunReport } from './announce.ts';
import type { StepEnd } from './step.ts';

export const STOPPED = 'The run was stopped.';

/** What the announcement says of each status. */
export const REPORTED: Readonly<Record<RunOutcome['status'], RunReport['outcome']>> = {
  ...{ ok: 'ok', delivered: 'ok', error: 'error', cancelled: 'error' },
  ...{ timeout: 'timeout', interrupted: 'unknown' },
};

/** What may have stopped a run. */
export interface Stops {
  /** Somebody cancelled it. */
  readonly isCancelled: boolean;
  /** `runTimeoutSeconds` were over. */
  readonly isLate: boolean;
  readonly runTimeoutSeconds: number;
}

/** Fires after so many seconds, never before; undefined for 0, which is no limit. Timers take whole milliseconds alone. */
export function timeLimit(seconds: number): AbortSignal | undefined {
  return seconds > 0 ? AbortSignal.timeout(Math.ceil(seconds * 1000)) : undefined;
}

/** The status of a run, and why it is not `ok`. */
export function statusOf(end: StepEnd, stops: Stops): Pick<RunOutcome, 'status' | 'text'> {
  if (end.state === 'done' || isSilent(end)) return { status: 'ok', text: '' };
  if (end.state === 'failed') return { status: 'error', text: end.error };
  if (end.state === 'cancelled' && stops.isCancelled) return { status: 'cancelled', text: STOPPED };
  if (end.state === 'cancelled' && stops.isLate)
    return {
      status: 'timeout',
      text: `Stopped after ${stops.runTimeoutSeconds} seconds (runTimeoutSeconds).`,
    };
  // Also what a process stopped that had no time to say why.
  return { status: 'interrupted', text: end.error };
}

/** The child's words and results, as far as they are what it hands over. */
export function said(end: StepEnd): Pick<StepEnd, 'reply' | 'lastToolResult'> {
  // What it said before its last call announced that call.
  return { reply: isSilent(end) ? '' : end.reply, lastToolResult: end.lastToolResult };
}

/** Of a run that was stopped before it began. */
export function nothingDone({ level }: Pick<RunRecord, 'level'>): StepEnd {
  const nothing = { reply: '', lastToolResult: undefined, usage: NO_USAGE, runtimeMs: 0, level };
  return { state: 'cancelled', error: STOPPED, hasBegun: false, ...nothing };
}

/** A child that has done something and has nothing to say of it has done it all the same. */
function isSilent(end: StepEnd): boolean {
  return end.state === 'failed' && end.error === NOTHING_SAID && end.lastToolResult !== undefined;
}

/** What is said of a result in place of it, where whoever asked may not know it. */
export function staysInChild(found: Level, asked: Level): string {
  return `(It is at ${found}, above this session's ${asked}, and stays in the child.)`;
}
