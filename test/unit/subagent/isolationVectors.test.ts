/** The reference vectors of the areas isolation, patch, branch, nested and cleanup. */
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { removeIsolation } from '../../../src/subagent/isolationRemoval.ts';
import { keepTask, type LandingOptions, landTask, landTasks } from '../../../src/subagent/landing.ts';
import { git, lines, metadata, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { isolate, statuses, tasks, work } from './isolationSupport.ts';

const BRANCH: LandingOptions = { merge: 'branch', message: 'Do it' };
const log = (root: string) => git(root, 'log', '--format=%s').trim().split('\n');
const taskBranches = (root: string) =>
  git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/lodeline/').trim();

/** The only one of these. */
function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`${items.length} instead of one`);
  return item;
}

/** A repository inside another, with something staged, changed and untracked. */
function inside(root: string, name: string): string {
  const inner = join(root, name);
  mkdirSync(inner);
  git(inner, 'init', '-q', '-b', 'main');
  put(inner, { 'x.txt': lines(9), 's.txt': 's\n' });
  git(inner, 'add', '-A');
  git(inner, 'commit', '-qm', 'inner');
  put(inner, { 's.txt': 'staged\n' });
  git(inner, 'add', '-A');
  put(inner, { 'x.txt': lines(9, { 1: 'mine' }), 'own.txt': 'untracked\n' });
  return inner;
}

it('iso-01: the work is the task’s alone, whatever was staged, changed or untracked', async () => {
  const root = newRepo({ 'a.txt': 'a\n' });
  put(root, { 'staged.txt': 'new\n' });
  git(root, 'add', '-A');
  put(root, { 'a.txt': 'edited\n', 'untracked.txt': 'u\n' });
  const delta = await work(await open(root), 't', (path) => put(path, { 'task.txt': 't\n' }));
  expect(readFileSync(delta.patchFile, 'utf8').match(/^diff --git .*/gm)).toEqual([
    'diff --git a/task.txt b/task.txt',
  ]);
});

it('iso-03: names beyond ASCII go in and come out', async () => {
  const root = newRepo();
  put(root, { '한글.txt': 'mine\n' });
  const repository = await open(root);
  const delta = await work(repository, 't', (path) => {
    expect(text(path, '한글.txt')).toBe('mine\n');
    put(path, { '결과.txt': 'result\n' });
  });
  expect(delta.files.map(({ path }) => path)).toEqual(['결과.txt']);
  expect((await landTask(repository, delta)).status).toBe('applied');
  expect(text(root, '결과.txt')).toBe('result\n');
});

it('iso-04: patches without prefixes by the person’s own setting', async () => {
  const root = newRepo();
  git(root, 'config', 'diff.noprefix', 'true');
  const repository = await open(root);
  const delta = only(await tasks(repository, { 'a.txt': 'task\n' }));
  expect(readFileSync(delta.patchFile, 'utf8')).toContain('diff --git a/a.txt b/a.txt');
  expect((await landTask(repository, delta)).status).toBe('applied');
  expect(text(root, 'a.txt')).toBe('task\n');
});

it('iso-05: two tasks, one file, lines far apart', async () => {
  const root = newRepo({ 'a.txt': lines(10) });
  const repository = await open(root);
  const both = await tasks(
    repository,
    { 'a.txt': lines(10, { 2: 'one' }) },
    { 'a.txt': lines(10, { 9: 'two' }) },
  );
  expect(statuses(await landTasks(repository, both))).toEqual(['applied', 'applied']);
  expect(text(root, 'a.txt')).toBe(lines(10, { 2: 'one', 9: 'two' }));
});

it('iso-07: a failed task keeps its work, and the other lands', async () => {
  const root = newRepo();
  const repository = await open(root);
  const [fine, failed] = await tasks(repository, { 'fine.txt': 'f\n' }, { 'half.txt': 'h\n' });
  if (!fine || !failed) return expect.unreachable();
  expect((await keepTask(repository, failed, 'The task failed.')).status).toBe('recovery_available');
  expect((await landTask(repository, fine)).status).toBe('applied');
  expect(Object.keys(snapshot(root))).toEqual(['a.txt', 'fine.txt']);
  expect(git(root, 'show', `refs/lodeline/recovery/${failed.id}:half.txt`)).toBe('h\n');
});

it('iso-08: what is there already is nothing to do', async () => {
  const root = newRepo();
  const repository = await open(root);
  const delta = only(await tasks(repository, { 'a.txt': 'same\n' }));
  put(root, { 'a.txt': 'same\n' });
  expect((await landTask(repository, delta)).status).toBe('no_changes');
});

it('iso-10: what is staged elsewhere stays staged while a branch lands', async () => {
  const root = newRepo({ 'a.txt': 'a\n', 'staged.txt': 's\n' });
  put(root, { 'staged.txt': 'mine\n' });
  git(root, 'add', '-A');
  const repository = await open(root);
  const delta = only(await tasks(repository, { 'a.txt': 'task\n' }));
  expect((await landTask(repository, delta, BRANCH)).status).toBe('applied');
  expect(git(root, 'status', '--porcelain')).toBe('M  staged.txt\n');
  expect(git(root, 'stash', 'list')).toBe('');
});

it('iso-11: a change of the same line ends recoverable, with everything of the person’s as it was', async () => {
  const root = newRepo({ 'merged.txt': 'one\n' });
  const repository = await open(root);
  const delta = only(await tasks(repository, { 'merged.txt': 'task\n' }));
  put(root, { 'merged.txt': 'mine\n' });
  const before = [metadata(root), snapshot(root), status(root)];
  const answer = await landTask(repository, delta, BRANCH);
  expect(answer).toMatchObject({ status: 'conflict', reason: expect.stringContaining('merged.txt') });
  const now = metadata(root);
  expect(now.refs).toContain(`refs/heads/lodeline/task/${delta.id}`);
  const refs = now.refs?.replace(/.*refs\/heads\/lodeline\/.*\n/, '');
  expect([{ ...now, refs }, snapshot(root), status(root)]).toEqual(before);
  expect(git(root, 'ls-files', '--unmerged')).toBe('');
  expect(git(root, 'show', `${answer.branch}:merged.txt`)).toBe('task\n');
});

it('iso-12: of two branches that clash the first lands and the second stays a branch', async () => {
  const root = newRepo();
  const repository = await open(root);
  const both = await tasks(repository, { 'a.txt': 'first\n' }, { 'a.txt': 'second\n' });
  expect(statuses(await landTasks(repository, both, BRANCH))).toEqual(['applied', 'conflict']);
  expect(text(root, 'a.txt')).toBe('first\n');
  expect(status(root)).toEqual([]);
  expect(taskBranches(root)).toBe(`refs/heads/lodeline/task/${both[1]?.id}`);
  expect(existsSync(join(root, '.git/CHERRY_PICK_HEAD'))).toBe(false);
});

it('iso-13: a commit that is there already is left out, and the next one lands', async () => {
  const root = newRepo({ 'a.txt': lines(9) });
  const repository = await open(root);
  const delta = await work(repository, 't', (path) => {
    for (const [message, files] of [
      ['redundant', { 'a.txt': lines(9, { 2: 'same' }) }],
      ['real', { 'b.txt': 'b\n' }],
    ] as const) {
      put(path, files);
      git(path, 'add', '-A');
      git(path, 'commit', '-qm', message);
    }
  });
  put(root, { 'a.txt': lines(9, { 2: 'same' }) });
  git(root, 'commit', '-qam', 'already');
  expect((await landTask(repository, delta, BRANCH)).status).toBe('applied');
  expect(log(root)).toEqual(['real', 'already', 'first']);
  expect(taskBranches(root)).toBe('');
});

it('iso-15: a stash of the person’s is never popped', async () => {
  const root = newRepo();
  put(root, { 'a.txt': 'stashed\n' });
  git(root, 'stash', '-q');
  const stash = git(root, 'stash', 'list', '--format=%H');
  expect(await landTasks(await open(root), [], BRANCH)).toEqual([]);
  expect(git(root, 'stash', 'list', '--format=%H')).toBe(stash);
});

it.each(['patch', 'branch'] as const)(
  'iso-16: a repository inside gets the files, and no commit of what is its owner’s (%s)',
  async (merge) => {
    const root = newRepo();
    const inner = inside(root, 'inner');
    const [before, dirty] = [metadata(inner), status(inner)];
    const repository = await open(root);
    const delta = await work(repository, 't', (path) => put(path, { 'inner/task.txt': 't\n' }));
    expect((await landTask(repository, delta, { merge })).status).toBe('applied');
    expect(metadata(inner)).toEqual(before);
    expect(status(inner)).toEqual([...dirty, '?? task.txt'].sort());
  },
);

it('iso-17: several repositories inside get all of it or nothing', async () => {
  const root = newRepo();
  const inners = ['one', 'two'].map((name) => inside(root, name));
  const repository = await open(root);
  const delta = await work(repository, 't', (path) => {
    put(path, { 'one/task.txt': 't\n', 'two/x.txt': lines(9, { 1: 'mine', 5: 'task' }) });
  });
  put(inners[1] ?? '', { 'x.txt': lines(9, { 1: 'mine', 5: 'since' }) });
  const before = [snapshot(root), inners.map(metadata)];
  expect((await landTask(repository, delta)).status).toBe('conflict');
  expect([snapshot(root), inners.map(metadata)]).toEqual(before);
});

it.each(['patch', 'branch'] as const)(
  'iso-18: work that could not land outlives its work tree (%s)',
  async (merge) => {
    const root = newRepo();
    const repository = await open(root);
    const [one, two] = await Promise.all([isolate(repository, 'one'), isolate(repository, 'two')]);
    for (const [at, { path }] of [one, two].entries()) put(path, { 'a.txt': `task ${at}\n` });
    const deltas = [await isolationDelta(repository, one), await isolationDelta(repository, two)];
    const answers = await landTasks(repository, deltas, { merge });
    for (const isolation of [one, two]) await removeIsolation(repository, isolation);
    expect(statuses(answers)).toEqual(['applied', 'conflict']);
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    git(root, 'gc', '-q', '--prune=now');
    expect(git(root, 'show', `${answers[1]?.recovery?.ref}:a.txt`)).toBe('task 1\n');
    expect(readFileSync(answers[1]?.recovery?.patchFile ?? '', 'utf8')).toContain('+task 1');
    if (merge === 'branch') expect(git(root, 'show', `${answers[1]?.branch}:a.txt`)).toBe('task 1\n');
  },
);

it('iso-20: a link in the place of a work tree is not followed', async () => {
  const outside = newRepo({ 'keep.txt': 'k\n' });
  const repository = await open(newRepo());
  const isolation = await isolate(repository);
  renameSync(isolation.path, `${isolation.path}.away`);
  symlinkSync(outside, isolation.path);
  await expect(removeIsolation(repository, isolation)).rejects.toThrow(/no longer the folder/);
  expect(text(outside, 'keep.txt')).toBe('k\n');
});
