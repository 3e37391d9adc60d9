/** The person's own index, changed entry by entry under git's own lock; every other entry stays as it is. */
import { copyFileSync, linkSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimFile, errorCode, removeFile, syncDir, syncFile } from '../journal/disk.ts';
import { copyIndex } from './capture.ts';
import type { Repository } from './repository.ts';
import { fieldsOf, joinFields } from './run.ts';
import { withScratch } from './scratch.ts';

const POLL_MS = 50;
/** Git holds its lock for moments; an editor's commit message may hold it for longer, and then we give up. */
const PATIENCE_MS = 5_000;
const DRAFT = 'index.lodeline';

/** What an index says of a path: mode and object id with a blank between, or empty where it has no entry. */
export interface EntryChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Another git process is at work on the person's index, or died there; the message names its lock. */
class IndexLockedError extends Error {
  override readonly name = 'IndexLockedError';
}

export interface IndexLock {
  /** Entries of all paths. */
  entries(): Promise<ReadonlyMap<string, string>>;
  /** Sets entries to their state `after`, durable and at once. */
  write(changes: readonly EntryChange[]): Promise<void>;
}

/**
 * Holds git's lock on the index while `work` runs, so that no git command of the person's comes in between.
 * @param owner who holds it; a lock that the same owner left when its process died is taken up again.
 * @throws {IndexLockedError} after five seconds of waiting.
 */
export async function withIndexLock<T>(
  repository: Repository,
  owner: string,
  work: (lock: IndexLock) => Promise<T>,
): Promise<T> {
  const file = join(repository.gitDir, 'index.lock');
  const token = `lodeline ${owner}\n`;
  await take(file, token);
  try {
    return await work({
      entries: () => readEntries(repository),
      write: (changes) => writeEntries(repository, changes),
    });
  } finally {
    removeFile(join(repository.gitDir, DRAFT));
    removeFile(file);
  }
}

async function take(file: string, token: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!claimWhole(file, token) && contentOf(file) !== token) {
    if (Date.now() > until) {
      throw new IndexLockedError(
        `Another git process works on the index. Wait until it is done; if there is none, remove ${file}.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Whose lock it is must be there with the lock: a process may die in between. */
function claimWhole(file: string, token: string): boolean {
  const draft = `${file}.lodeline`;
  try {
    writeFileSync(draft, token);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // A file system without hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    return claimFile(file, token);
  } finally {
    removeFile(draft);
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readEntries(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const index = join(repository.gitDir, 'index');
  const { workTree } = repository;
  return withScratch(repository, async (scratch) => {
    const { stdout } = await scratch.git(['ls-files', '--stage', '-z'], { index, workTree });
    return new Map(
      fieldsOf(stdout).map((field) => {
        const [, mode, id, stage, path = ''] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(field.toString()) ?? [];
        return [path, stage === '0' ? `${mode} ${id}` : `unmerged ${id}`] as const;
      }),
    );
  });
}

async function writeEntries(repository: Repository, changes: readonly EntryChange[]): Promise<void> {
  const { gitDir, workTree } = repository;
  const [own, draft] = [join(gitDir, 'index'), join(gitDir, DRAFT)];
  await withScratch(repository, async (scratch) => {
    // The work tree is there so that git doubts what was changed in the second in which the index was written.
    copyIndex(own, join(scratch.dir, 'index'));
    const gone = changes.filter(({ after }) => after === '');
    const there = changes.filter(({ after }) => after !== '');
    const absent = `0 ${'0'.repeat(repository.objectFormat === 'sha1' ? 40 : 64)}`;
    const line = ({ path, after }: EntryChange) => Buffer.from(`${after || absent}\t${path}`);
    const input = joinFields([...gone, ...there].map(line));
    await scratch.git(['update-index', '-z', '--replace', '--index-info'], { workTree, input });
    copyFileSync(join(scratch.dir, 'index'), draft);
  });
  syncFile(draft);
  renameSync(draft, own);
  syncDir(gitDir);
}
