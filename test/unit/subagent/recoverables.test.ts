import { renameSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { keepTask, landTask } from '../../../src/subagent/landing.ts';
import { recoverLeftover } from '../../../src/subagent/leftovers.ts';
import { recoverables } from '../../../src/subagent/recoverables.ts';
import { forgetRecovery } from '../../../src/subagent/recovery.ts';
import { newRepo, open, put, text } from '../git/repo.ts';
import { isolate, tasks } from './isolationSupport.ts';

const DEAD = 2 ** 22 + 1;

it('names what has not landed: kept work, branches, and work trees without a process', async () => {
  const root = newRepo();
  const repository = await open(root);
  expect(await recoverables(repository)).toEqual([]);
  const [kept, branch] = await tasks(repository, { 'a.txt': 'kept\n' }, { 'a.txt': 'branch\n' });
  if (kept === undefined || branch === undefined) throw new Error('no delta');
  await keepTask(repository, kept, 'Later.');
  put(root, { 'a.txt': 'mine\n' });
  const { branch: ref } = await landTask(repository, branch, { merge: 'branch' });
  const left = await isolate(repository, 'left');
  put(left.path, { 'new.txt': 'n\n' });
  writeRecord({ ...left, owner: { ...left.owner, pid: DEAD } });
  const found = await recoverables(repository);
  expect(found).toMatchObject([
    { kind: 'kept', id: expect.stringMatching(/^t[01]-/), patchFile: expect.stringContaining('.patch') },
    { kind: 'kept', id: expect.stringMatching(/^t[01]-/) },
    { kind: 'branch', ref },
    { kind: 'worktree', path: left.path, isLink: false, record: { task: 'left' } },
  ]);
  const last = found.at(-1);
  if (last?.kind !== 'worktree' || last.record === undefined) throw new Error('no record');
  await recoverLeftover(repository, last.record);
  await forgetRecovery(repository, kept.id);
  expect((await recoverables(repository)).map((one) => (one.kind === 'kept' ? one.id : one.kind))).toEqual([
    left.id,
    branch.id,
    'branch',
  ]);
});

it("leaves out another session's work trees, and does not follow a link in their place", async () => {
  const repository = await open(newRepo());
  const outside = newRepo({ 'keep.txt': 'k\n' });
  const [alive, gone] = [await isolate(repository, 'alive'), await isolate(repository, 'gone')];
  writeRecord({ ...gone, owner: { ...gone.owner, pid: DEAD } });
  renameSync(gone.path, `${gone.path}.moved`);
  symlinkSync(outside, gone.path);
  expect(await recoverables(repository)).toMatchObject([{ kind: 'worktree', path: gone.path, isLink: true }]);
  await expect(recoverLeftover(repository, { ...gone })).rejects.toThrow(/no longer the folder/);
  expect(text(outside, 'keep.txt')).toBe('k\n');
  expect(text(alive.path, 'a.txt')).toBe('one\n');
});

it("knows an earlier process that had this one's pid", async () => {
  const repository = await open(newRepo());
  const isolation = await isolate(repository, 'again');
  expect(await recoverables(repository)).toEqual([]);
  writeRecord({ ...isolation, owner: { ...isolation.owner, started: 1 } });
  expect(await recoverables(repository)).toMatchObject([{ kind: 'worktree', path: isolation.path }]);
});
