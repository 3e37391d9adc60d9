/**
 * The lease that makes one process the writer of a transcript: files `<n>` in a folder of their own, of which
 * the highest counts. Taking over means creating the next number, which only one of many can do, so nobody ever
 * removes a lease that somebody else holds. The last file stays when it is released: its number must not come
 * again. A holder that merely slept finds the next number, before it writes and before it acknowledges.
 */
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { claimFile, errorCode, removeFile } from '../journal/disk.ts';
import { makeDir, namesIn } from '../journal/folder.ts';
import { isAlive } from '../journal/liveness.ts';

/** A holder that gave no sign for so long hangs, is gone with its machine, or its pid went to another process. */
const STALE_MS = 10 * 60 * 1000;
/** Its holder is still writing it, or died doing so. */
const UNREADABLE_MS = 5000;
const NUMBER = /^\d+$/;
const DRAFT = /^(\d+)\.tmp$/;
const TAKES = 16;
/** Stands beside the numbers while somebody waits. */
const WANTED = 'wanted';
const RELEASED = '{}';
const ABANDONED = '[]';

export interface LeaseHolder {
  pid: number;
  host: string;
  /** Of the process's threads, the one that writes. */
  thread?: number | undefined;
  /** Unix milliseconds. */
  started: number;
  /** Unix milliseconds. */
  heartbeat: number;
}

export interface LeaseContext {
  readonly dir: string;
  now(): number;
  /** Whether a process of this machine lives; tests put another in its place. */
  readonly alive?: ((pid: number) => boolean) | undefined;
  /** Threads of this process that are gone. */
  readonly deadThreads?: ReadonlySet<number> | undefined;
}

export type LeaseAttempt =
  | { lease: Lease; tookOver: boolean }
  /** Who holds it; undefined while they are still writing down who they are. */
  | { lease: undefined; holder: LeaseHolder | undefined };

export class Lease {
  readonly #context: LeaseContext;
  readonly #number: number;

  constructor(context: LeaseContext, number: number) {
    this.#context = context;
    this.#number = number;
  }

  /** A name for a draft that only the holder makes, and its successors clear away. */
  get draft(): string {
    return `${this.#file(this.#number)}.tmp`;
  }

  held(): boolean {
    // In this order: when the next number has come and gone again, ours went before it (see `clearBelow`).
    return !existsSync(this.#file(this.#number + 1)) && existsSync(this.#file(this.#number));
  }

  /** Shows that the holder lives; to be given at least every few minutes. */
  heartbeat(): void {
    const seconds = this.#context.now() / 1000;
    try {
      utimesSync(this.#file(this.#number), seconds, seconds);
    } catch {
      // Lost, which `held` tells; or it cannot be touched, and then others may take over, which `held` tells.
    }
  }

  /** Whether somebody has tried to take it since it was taken. */
  wanted(): boolean {
    return existsSync(join(this.#context.dir, WANTED));
  }

  /** Lets others have it. `clean` is false when whoever held it before may still have the transcript open. */
  release(clean = true): void {
    try {
      if (this.held()) writeFileSync(this.#file(this.#number), clean ? RELEASED : ABANDONED);
    } catch {
      // A folder that is away or full: others take over once this process is gone, or has been quiet for long.
    }
  }

  #file(number: number): string {
    return join(this.#context.dir, String(number));
  }
}

/** Takes the lease, unless a living process holds it. */
export function takeLease(context: LeaseContext): LeaseAttempt {
  makeDir(dirname(context.dir));
  // A lease is nothing to keep: whoever held it is gone with the machine.
  mkdirSync(context.dir, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < TAKES; attempt++) {
    const state = leaseState(context);
    if (state.held) {
      want(context.dir);
      return { lease: undefined, holder: state.holder };
    }
    const number = state.number + 1;
    const claim = { pid: process.pid, thread: threadId, host: hostname(), started: context.now() };
    if (!claimFile(join(context.dir, String(number)), JSON.stringify(claim))) continue;
    const lease = new Lease(context, number);
    lease.heartbeat();
    // Somebody may have gone on from a number that was cleared away since we looked.
    if (highest(context.dir) === number) {
      clearBelow(context.dir, number);
      // Whoever else waits says so again.
      removeFile(join(context.dir, WANTED));
      return { lease, tookOver: !state.released };
    }
    removeFile(join(context.dir, String(number)));
  }
  return { lease: undefined, holder: leaseState(context).holder };
}

/** Who holds the lease, if a living process does. */
export function leaseHolder(context: LeaseContext): LeaseHolder | undefined {
  const state = leaseState(context);
  return state.held ? state.holder : undefined;
}

/** Asks the holder, who gives it up once it has nothing to do with it. */
function want(dir: string): void {
  try {
    writeFileSync(join(dir, WANTED), '', { mode: 0o600 });
  } catch {
    // A folder that is away or full: the holder gives it up when it has been idle for long enough.
  }
}

interface LeaseState {
  number: number;
  held: boolean;
  released: boolean;
  holder: LeaseHolder | undefined;
}

function leaseState({ dir, now, alive = isAlive, deadThreads }: LeaseContext): LeaseState {
  const number = highest(dir);
  if (number === 0) return { number, held: false, released: true, holder: undefined };
  const file = join(dir, String(number));
  let text: string;
  let heartbeat: number;
  try {
    text = readFileSync(file, 'utf8');
    heartbeat = statSync(file).mtimeMs;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // Cleared away by a later holder.
    return { number, held: true, released: false, holder: undefined };
  }
  const age = Math.abs(now() - heartbeat);
  if (text === RELEASED || text === ABANDONED) {
    return { number, held: false, released: text === RELEASED, holder: undefined };
  }
  const claim = parseClaim(text);
  if (!claim) return { number, held: age < UNREADABLE_MS, released: false, holder: undefined };
  const isEnded = claim.pid === process.pid && deadThreads?.has(claim.thread ?? -1) === true;
  const gone = claim.host === hostname() && (isEnded || !alive(claim.pid));
  return { number, held: !gone && age < STALE_MS, released: false, holder: { ...claim, heartbeat } };
}

function parseClaim(text: string): Omit<LeaseHolder, 'heartbeat'> | undefined {
  try {
    const { pid, thread, host, started } = JSON.parse(text) as Partial<LeaseHolder>;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof started !== 'number') return undefined;
    return { pid, thread, host, started };
  } catch {
    return undefined;
  }
}

function highest(dir: string): number {
  return Math.max(0, ...numbers(dir));
}

/** Lowest first, so that a former holder finds the number after its own, or misses its own. */
function clearBelow(dir: string, number: number): void {
  for (const lower of numbers(dir).filter((other) => other < number)) removeFile(join(dir, String(lower)));
  for (const name of namesIn(dir)) {
    const draft = DRAFT.exec(name)?.[1];
    if (draft !== undefined && Number(draft) < number) removeFile(join(dir, name));
  }
}

/** Ascending. */
function numbers(dir: string): number[] {
  return namesIn(dir)
    .filter((name) => NUMBER.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}
