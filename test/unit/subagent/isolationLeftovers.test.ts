import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { IsolationMovedError, writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { removeIsolation } from '../../../src/subagent/isolationRemoval.ts';
import { findLeftovers, recoverLeftover } from '../../../src/subagent/leftovers.ts';
import { listRecoveries, readRecovery } from '../../../src/subagent/recovery.ts';
import { dirtyRepo, git, metadata, newRepo, open, put, snapshot, text } from '../git/repo.ts';
import { isolate } from './isolationSupport.ts';

const paths = (delta: { files: readonly { path: string }[] }) => delta.files.map(({ path }) => path);

describe('removing a work tree', () => {
  it('removes what is ours, and nothing that links lead to', async () => {
    const root = newRepo();
    const outside = newRepo({ 'keep.txt': 'k\n' });
    const repository = await open(root);
    const isolation = await isolate(repository);
    symlinkSync(outside, join(isolation.path, 'out'));
    await removeIsolation(repository, isolation);
    expect(snapshot(outside)).toEqual({ 'keep.txt': '644 k\n' });
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(readdirSync(join(repository.stateDir, 'worktrees'))).toEqual([]);
  });

  it('refuses a folder that became a link, and does not read it either', async () => {
    const root = newRepo();
    const outside = newRepo({ 'keep.txt': 'k\n' });
    const repository = await open(root);
    const isolation = await isolate(repository);
    renameSync(isolation.path, `${isolation.path}.moved`);
    symlinkSync(outside, isolation.path);
    await expect(removeIsolation(repository, isolation)).rejects.toThrow(IsolationMovedError);
    await expect(isolationDelta(repository, isolation)).rejects.toThrow(IsolationMovedError);
    expect(text(outside, 'keep.txt')).toBe('k\n');
  });

  it("leaves the person's other work trees known, also one that is not there now", async () => {
    const root = newRepo();
    const away = join(dirname(root), 'away');
    git(root, 'worktree', 'add', '-q', '--detach', away);
    renameSync(away, `${away}.unplugged`);
    const repository = await open(root);
    await removeIsolation(repository, await isolate(repository));
    expect(git(root, 'worktree', 'list', '--porcelain')).toContain(away);
  });

  it('works when the task replaced .git', async () => {
    const root = newRepo();
    const repository = await open(root);
    const isolation = await isolate(repository);
    rmSync(join(isolation.path, '.git'));
    mkdirSync(join(isolation.path, '.git'));
    await removeIsolation(repository, isolation);
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});

describe('work trees of dead owners', () => {
  const DEAD = 2 ** 22 + 1;

  it('are found, their work is kept under a name, then they go', async () => {
    const root = dirtyRepo();
    const before = [metadata(root), snapshot(root)];
    const repository = await open(root);
    const alive = await isolate(repository, 'alive');
    const isolation = await isolate(repository, 'dead');
    put(isolation.path, { 'work.txt': 'w\n' });
    git(isolation.path, 'add', '-A');
    git(isolation.path, 'commit', '-qm', 'half done');
    writeRecord({ ...isolation, owner: { ...isolation.owner, pid: DEAD } });
    const leftovers = await findLeftovers(repository);
    expect(leftovers.map(({ path }) => path)).toEqual([isolation.path]);
    const record = leftovers[0]?.record;
    if (record === undefined) throw new Error('no record');
    const { recovery } = await recoverLeftover(repository, record);
    expect(existsSync(isolation.path)).toBe(false);
    expect(existsSync(alive.path)).toBe(true);
    expect(git(root, 'show', `${recovery?.ref}:work.txt`)).toBe('w\n');
    expect(git(root, 'log', '--format=%s', recovery?.ref ?? '')).toContain('half done');
    expect(readFileSync(recovery?.patchFile ?? '', 'utf8')).toContain('+w');
    expect(await listRecoveries(repository)).toEqual([isolation.id]);
    expect(paths(await readRecovery(repository, isolation.id))).toEqual(['work.txt']);
    expect([metadata(root), snapshot(root)]).toEqual(before);
  });

  it('stay when they hold a repository of their own, which no patch carries', async () => {
    const repository = await open(newRepo());
    const isolation = await isolate(repository);
    put(isolation.path, { 'a.txt': 'task\n', 'inner/x.txt': 'x\n' });
    git(join(isolation.path, 'inner'), 'init', '-q');
    const { recovery, delta, removed } = await recoverLeftover(repository, isolation);
    expect(delta).toMatchObject({ files: [{ path: 'a.txt' }], skipped: ['inner/'] });
    expect(recovery?.id).toBe(isolation.id);
    expect(removed).toBe(false);
    expect(text(isolation.path, 'inner/x.txt')).toBe('x\n');
  });

  it('without a readable record are reported and stay', async () => {
    const root = newRepo();
    const repository = await open(root);
    const isolation = await isolate(repository);
    writeFileSync(`${isolation.path}.json`, '{"version":');
    expect(await findLeftovers(repository)).toEqual([{ path: isolation.path, record: undefined }]);
    expect(existsSync(isolation.path)).toBe(true);
  });

  it('whose record names another place are not believed', async () => {
    const root = newRepo();
    const repository = await open(root);
    const isolation = await isolate(repository);
    const forged = { ...isolation, path: root, owner: { pid: DEAD, host: isolation.owner.host } };
    writeFileSync(`${isolation.path}.json`, JSON.stringify(forged));
    expect(await findLeftovers(repository)).toEqual([{ path: isolation.path, record: undefined }]);
  });
});
