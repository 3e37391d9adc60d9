/** Whether the process behind a segment or a lock is still there. */
import { hostname } from 'node:os';
import type { JournalContext } from './context.ts';
import { errorCode } from './disk.ts';
import type { SegmentHeader } from './record.ts';

/**
 * A segment nobody wrote to for a day counts as ended: its process may have run in a container that is gone,
 * and nobody can ask it. Should it live after all, it notices and goes on in a new segment.
 */
const IDLE_MS = 24 * 60 * 60 * 1000;

export interface SegmentState {
  header: SegmentHeader | undefined;
  closed: boolean;
  /** Unix milliseconds. */
  mtimeMs: number;
}

/** Whether a process of this machine lives; one of another user does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whether a process that named itself by pid and host is known to have ended. */
export function hasEnded(
  context: Pick<JournalContext, 'seam'>,
  owner: { pid: number; host: string },
): boolean {
  const alive = context.seam.alive ?? isAlive;
  return owner.host === hostname() && !alive(owner.pid);
}

/** Whether a segment will most likely not be written to again. */
export function isEnded(context: JournalContext, state: SegmentState, generation: number): boolean {
  if (state.closed || context.now() - state.mtimeMs > IDLE_MS) return true;
  if (!state.header) return false;
  return state.header.generation < generation || hasEnded(context, state.header);
}
