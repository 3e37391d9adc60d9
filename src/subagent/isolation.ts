/** A work tree of its own for one task, which starts where the person's files are now. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import type { Baseline } from '../git/baseline.ts';
import { capture } from '../git/capture.ts';
import { isMounted, mountOverlay } from '../git/overlay.ts';
import { IsolationUnavailableError, type Repository } from '../git/repository.ts';
import { withScratch } from '../git/scratch.ts';
import { addWorktree, fillWorktree, headOf } from '../git/worktree.ts';
import { makeDir } from '../journal/folder.ts';
import { OWNER } from './batchFiles.ts';
import { checkPlace, type IsolationRecord, keptIndex, writeRecord } from './isolationRecord.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { createNested, nestedDeltas } from './nestedIsolation.ts';
import { type Delta, writeDelta } from './recovery.ts';
import { withRepositoryLock } from './repositoryLock.ts';

/** Ids come from outside and become folder names. */
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** A lock that a program left in the root of the work tree is no work, and would collide with the person's own. */
const RUNTIME_LOCK = /^\.[^/]+\.lock$/;

export interface IsolationOptions {
  /** Session and task that the work tree is for. */
  readonly session: string;
  readonly task: string;
  /** Where work trees are kept; the store's `worktrees` unless given. Never inside the person's files. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
  /** For tests that die at each step. */
  readonly step?: (name: string) => void;
}

/**
 * Makes a work tree for one attempt at a task and fills it with the baseline. The record of its owner is written
 * first, so that whatever a dying process leaves is found again.
 * @throws {IsolationUnavailableError} for a folder inside the person's files. {GitError}
 */
export async function createIsolation(
  repository: Repository,
  baseline: Baseline,
  options: IsolationOptions,
): Promise<IsolationRecord> {
  const { session, task, signal, step = () => {} } = options;
  for (const id of [session, task]) {
    if (!ID.test(id)) throw new IsolationUnavailableError(`Not an id: ${JSON.stringify(id)}`);
  }
  const base = join(options.folder ?? join(repository.stateDir, 'worktrees'), session);
  makeDir(base);
  const folder = realpathSync(base);
  refuseInside(repository, folder);
  const path = join(folder, `${task}-${randomBytes(4).toString('hex')}`);
  const draft: IsolationRecord = {
    version: 1,
    state: 'preparing',
    id: basename(path),
    session,
    task,
    path,
    adminDir: '',
    baseline,
    nested: [],
    owner: OWNER,
    created: Date.now(),
  };
  writeRecord(draft);
  step('record');
  try {
    mkdirSync(path, { mode: 0o700 });
    step('folder');
    const adminDir = await withRepositoryLock(
      repository,
      'metadata',
      () => addWorktree(repository, path, baseline.head, reasonOf(draft)),
      signal,
    );
    const known = { ...draft, adminDir };
    step('work tree');
    writeRecord(known);
    step('known');
    await fillWorktree(repository, { path, adminDir, keptIndex: keptIndex(path) }, baseline, signal);
    let nested: IsolationRecord['nested'] = [];
    await createNested(repository, baseline, path, reasonOf(draft), (made) => {
      nested = [...made];
      writeRecord({ ...known, nested });
      step('known inside');
    });
    step('filled');
    const ready: IsolationRecord = { ...known, nested, state: 'ready' };
    writeRecord(ready);
    step('ready');
    return ready;
  } catch (error) {
    await removeIsolation(repository, draft);
    throw error;
  }
}

/** Why git must keep the work tree, for people who run `git worktree list`. */
export function reasonOf({
  owner,
  session,
  task,
}: Pick<IsolationRecord, 'owner' | 'session' | 'task'>): string {
  return `lodeline: process ${owner.pid} on ${owner.host}, session ${session}, task ${task}`;
}

/** The git folder may lie inside the work tree; it is none of the person's files. */
function refuseInside(repository: Repository, folder: string): void {
  if (isInside(folder, repository.workTree) && !isInside(folder, repository.commonDir)) {
    throw new IsolationUnavailableError(
      `A task's work tree must not lie among your files: ${folder} is inside ${repository.workTree}.`,
    );
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/**
 * What the task changed since its baseline: files as they are, whatever it committed, staged or reset, without
 * what the person had changed before. Nothing in the work tree is trusted: git is told where everything is, and
 * neither its `.git` nor its settings are read.
 * @param options.patchFile where the patch is written; the store's `patches` unless given.
 * @param options.limit how many bytes new files may hold together.
 * @throws {IsolationMovedError} {UntrackedTooLargeError} {GitError}
 */
export async function isolationDelta(
  repository: Repository,
  isolation: IsolationRecord,
  options: { patchFile?: string; limit?: number; signal?: AbortSignal } = {},
): Promise<Delta> {
  checkPlace(isolation);
  // A mount does not outlive the machine's restart; what was written in it does.
  if (isolation.overlay && !isMounted(isolation.path))
    await mountOverlay({ ...isolation.overlay, path: isolation.path });
  const { limit } = options;
  const { id, baseline, path, adminDir } = isolation;
  const patchFile = options.patchFile ?? join(repository.stateDir, 'patches', `${id}.patch`);
  const captured = await withScratch(
    repository,
    (scratch) =>
      capture(scratch, {
        workTree: path,
        index: keptIndex(path),
        alsoTracked: join(adminDir, 'index'),
        leaveOut: (name) => RUNTIME_LOCK.test(name),
        ...(limit === undefined ? {} : { limit }),
      }),
    options.signal,
  );
  const work = { head: baseline.head, base: baseline.workTree, tree: captured.workTree };
  const { deltas: nested, skipped: inside } = await nestedDeltas(repository, isolation, limit);
  const known = new Set(isolation.nested.map(({ prefix }) => prefix));
  const skipped = [...captured.skipped.filter((name) => !known.has(name)), ...inside];
  const files = await writeDelta(repository, work, nested, patchFile);
  const head = await headOf(repository, adminDir);
  const commits = head === baseline.head ? undefined : head;
  return { id, ...work, commits, files, patchFile, skipped, nested };
}

/**
 * Whether a delta holds all of the task's work, so that its work tree may go: not when the task made repositories
 * inside it, or files that could not be read.
 */
export function holdsEverything(delta: Delta): boolean {
  return delta.skipped.every((path) => RUNTIME_LOCK.test(path));
}
