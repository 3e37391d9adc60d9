/**
 * A lock between processes, such as the one that keeps two of them from compacting at once. It only saves double work:
 * what keeps the store right is the way a manifest is put in place (see manifest.ts).
 */
import { readFileSync, renameSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { JournalContext } from './context.ts';
import { claimFile, errorCode, removeFile } from './disk.ts';
import { LOCK } from './folder.ts';
import { hasEnded } from './liveness.ts';

/** Far longer than a compaction takes; a holder this old hangs, or its pid went to another process. */
const STALE_MS = 10 * 60 * 1000;
/** Far longer than a holder takes to write who it is. */
const WRITING_MS = 10_000;

export type LockContext = Pick<JournalContext, 'dir' | 'now' | 'writer' | 'seam'>;

/**
 * Takes the lock, breaking one whose holder is gone.
 * @returns how to release it, or undefined when another process holds it.
 */
export function takeLock(context: LockContext, name = LOCK): (() => void) | undefined {
  const file = join(context.dir, name);
  const text = JSON.stringify({
    pid: process.pid,
    host: hostname(),
    time: context.now(),
    writer: context.writer,
  });
  if (!claimFile(file, text)) {
    if (!breakStale(context, file) || !claimFile(file, text)) return undefined;
  }
  return () => {
    if (read(file) === text) removeFile(file);
  };
}

/** Of several processes that find the lock stale, only the one whose rename succeeds goes on. */
function breakStale(context: LockContext, file: string): boolean {
  if (!isStale(context, file)) return false;
  const broken = `${file}.${context.writer}`;
  try {
    renameSync(file, broken);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  removeFile(broken);
  return true;
}

function isStale(context: LockContext, file: string): boolean {
  const text = read(file);
  if (text === undefined) return false;
  let holder: { pid?: unknown; host?: unknown; time?: unknown };
  try {
    holder = JSON.parse(text);
  } catch {
    // Written halfway: its holder died, or writes the other half right now.
    return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > WRITING_MS;
  }
  const { pid, host, time } = holder;
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof time !== 'number') return true;
  return Math.abs(context.now() - time) > STALE_MS || hasEnded(context, { pid, host });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
