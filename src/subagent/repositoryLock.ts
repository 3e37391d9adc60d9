/** One process at a time changes a repository's references, its list of work trees, or the person's files. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from '../git/repository.ts';
import { type Lease, takeLease } from '../session/lease.ts';

const POLL_MS = 25;
/** Others hold the lock for seconds; who waits this long would wait for ever. */
const PATIENCE_MS = 2 * 60 * 1000;
const HEARTBEAT_MS = 60 * 1000;

/**
 * `metadata`: references and the list of work trees; `landing`: files of the person's work tree; `leftovers`: work
 * trees of processes that died, and the records of batches that have ended.
 */
type LockName = 'metadata' | 'landing' | 'leftovers';

/** Another process holds the lock for too long. */
export class RepositoryBusyError extends Error {
  override readonly name = 'RepositoryBusyError';
}

/**
 * Does work that only one process may do at a time. A lock whose process died is free at once.
 * @param work is told how to ask whether the lock is still held: a process that slept for long may have lost it.
 * @throws {RepositoryBusyError} after two minutes of waiting.
 */
export async function withRepositoryLock<T>(
  repository: Repository,
  name: LockName,
  work: (held: () => boolean) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lease = await wait(join(repository.stateDir, 'locks', name), signal);
  const heartbeat = setInterval(() => lease.heartbeat(), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work(() => lease.held());
  } finally {
    clearInterval(heartbeat);
    lease.release();
  }
}

async function wait(dir: string, signal: AbortSignal | undefined): Promise<Lease> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const attempt = takeLease({ dir, now: Date.now });
    if (attempt.lease) return attempt.lease;
    if (Date.now() > until) {
      const { pid, host } = attempt.holder ?? { pid: '?', host: '?' };
      throw new RepositoryBusyError(
        `Process ${pid} on ${host} has been working on this repository for too long. Try again when it is done.`,
      );
    }
    await sleep(POLL_MS, undefined, signal ? { signal } : {});
  }
}
