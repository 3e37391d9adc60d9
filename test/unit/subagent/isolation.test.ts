import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { IsolationUnavailableError } from '../../../src/git/repository.ts';
import { createIsolation, isolationDelta } from '../../../src/subagent/isolation.ts';
import { landTask } from '../../../src/subagent/landing.ts';
import { dirtyRepo, git, lines, metadata, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { isolate, work } from './isolationSupport.ts';

const paths = (delta: { files: readonly { path: string }[] }) => delta.files.map(({ path }) => path);

describe("a task's work tree", () => {
  it('starts where the person is: the same files, the same status, the parent as before', async () => {
    const root = dirtyRepo();
    const before = [metadata(root), snapshot(root)];
    const { path } = await isolate(await open(root));
    const { 'ignored.txt': _ignored, ...files } = snapshot(root);
    expect(snapshot(path)).toEqual(files);
    expect(status(path)).toEqual(status(root));
    expect(git(path, 'diff', '--cached')).toBe(git(root, 'diff', '--cached'));
    expect(git(path, 'diff')).toBe(git(root, 'diff'));
    expect([metadata(root), snapshot(root)]).toEqual(before);
  });

  it('is told apart by task and attempt, owned, and locked', async () => {
    const root = newRepo();
    const repository = await open(root);
    const [one, two] = await Promise.all([isolate(repository), isolate(repository)]);
    expect(one.path).not.toBe(two.path);
    expect(git(root, 'worktree', 'list', '--porcelain')).toContain(
      `locked lodeline: process ${process.pid} on`,
    );
  });

  it('is never among the files of the person, and no id leads elsewhere', async () => {
    const root = newRepo();
    const repository = await open(root);
    const baseline = await captureBaseline(repository);
    const make = (options: { session: string; task: string; folder?: string }) =>
      createIsolation(repository, baseline, options);
    await expect(make({ session: 's', task: 't', folder: join(root, 'sub') })).rejects.toThrow(
      IsolationUnavailableError,
    );
    for (const id of ['..', '../x', 'a/b', '', '.', '-x/..']) {
      await expect(make({ session: id, task: 't' })).rejects.toThrow(IsolationUnavailableError);
      await expect(make({ session: 's', task: id })).rejects.toThrow(IsolationUnavailableError);
    }
    const inside = await make({ session: 's', task: 't', folder: join(root, '.git/lodeline/worktrees') });
    expect(snapshot(inside.path)).toEqual(snapshot(root));
    expect(status(inside.path)).toEqual([]);
  });

  it('works from a linked work tree and leaves its branch alone', async () => {
    const main = newRepo();
    const root = join(dirname(main), 'linked');
    git(main, 'worktree', 'add', '-q', '-b', 'feature', root);
    put(root, { 'a.txt': 'mine\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, { 'new.txt': 'n\n' });
      git(path, 'checkout', '-qb', 'own');
      git(path, 'add', '-A');
      git(path, 'commit', '-qm', 'work');
    });
    expect(paths(delta)).toEqual(['new.txt']);
    expect(git(root, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature\n');
    expect(status(root)).toEqual([' M a.txt']);
  });

  it('honours a sparse checkout, a split index and a shallow clone', async () => {
    const origin = newRepo({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'top.txt': 't\n' });
    put(origin, { 'top.txt': 't2\n' });
    git(origin, 'commit', '-qam', 'second');
    const root = join(dirname(origin), 'clone');
    git(dirname(origin), 'clone', '-q', '--depth', '1', `file://${origin}`, root);
    git(root, 'sparse-checkout', 'set', '--cone', 'in');
    git(root, 'update-index', '--split-index');
    put(root, { 'in/a.txt': 'mine\n' });
    const repository = await open(root);
    const isolation = await isolate(repository);
    expect(Object.keys(snapshot(isolation.path)).sort()).toEqual(['in/a.txt', 'top.txt']);
    expect(status(isolation.path)).toEqual([' M in/a.txt']);
    put(isolation.path, { 'in/new.txt': 'n\n' });
    expect(paths(await isolationDelta(repository, isolation))).toEqual(['in/new.txt']);
  });

  it('has what the person has although a sparse checkout leaves it out, staged or not', async () => {
    const root = newRepo({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'out/c.txt': 'c\n', 'out/d.txt': 'd\n' });
    git(root, 'sparse-checkout', 'set', '--cone', 'in');
    put(root, { 'out/b.txt': 'mine\n', 'out/c.txt': 'c\n', 'out/새.txt': 's\n', 'out/new.txt': 'n\n' });
    git(root, 'add', '--sparse', 'out/새.txt');
    const repository = await open(root);
    const isolation = await isolate(repository);
    expect(snapshot(isolation.path)).toEqual(snapshot(root));
    expect(status(isolation.path)).toEqual(status(root));
    expect(paths(await isolationDelta(repository, isolation))).toEqual([]);
    put(isolation.path, { 'out/c.txt': 'task\n', 'out/새.txt': 'task\n' });
    const delta = await isolationDelta(repository, isolation);
    expect(paths(delta)).toEqual(['out/c.txt', 'out/새.txt']);
    const entries = git(root, 'ls-files', '-s', '-v');
    expect((await landTask(repository, delta)).status).toBe('applied');
    expect(text(root, 'out/c.txt')).toBe('task\n');
    expect([git(root, 'ls-files', '-s', '-v'), text(root, 'out/d.txt')]).toEqual([entries, undefined]);
  });

  it('works in a repository with SHA-256 ids', async () => {
    const root = join(dirname(newRepo()), 'sha256');
    mkdirSync(root);
    git(root, 'init', '-q', '--object-format=sha256');
    put(root, { 'a.txt': 'one\n' });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'first');
    put(root, { 'b.txt': 'mine\n' });
    const delta = await work(await open(root), 'task', (path) => put(path, { 'a.txt': 'task\n' }));
    expect(paths(delta)).toEqual(['a.txt']);
    expect(delta.tree).toHaveLength(64);
  });

  it('leaves submodules alone', async () => {
    const library = newRepo({ 'lib.txt': 'l\n' });
    const root = newRepo();
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    git(root, 'commit', '-qm', 'submodule');
    put(root, { 'lib/lib.txt': 'mine\n', 'lib/own.txt': 'o\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      rmSync(join(path, 'lib'), { recursive: true });
      put(path, { 'a.txt': 'changed\n' });
    });
    expect(paths(delta)).toEqual(['a.txt']);
    expect(text(root, 'lib/lib.txt')).toBe('mine\n');
  });
});

describe("a task's changes", () => {
  it('are its own, not what the person had changed before', async () => {
    const delta = await work(await open(dirtyRepo()), 'task', (path) => put(path, { '결과.txt': 'r\n' }));
    expect(delta.files).toEqual([{ path: '결과.txt', status: 'added', added: 1, deleted: 0, binary: false }]);
    expect(readFileSync(delta.patchFile, 'utf8')).not.toContain('staged');
  });

  it.each(['leaves as they are', 'stages', 'commits', 'commits and resets softly', 'unstages everything'])(
    'are all there when it %s',
    async (how) => {
      const binary = Buffer.from([0, 255, 10, 13, 0]);
      const delta = await work(await open(dirtyRepo()), 'task', (path) => {
        put(path, {
          'a.txt': lines(10, { 2: 'staged', 5: 'task', 9: 'unstaged' }),
          'bin.dat': binary,
          'ignored-new': 'i',
        });
        put(path, { 'gone.txt': 'back\n', 'new.txt': 'n\n' });
        rmSync(join(path, 'b.txt'));
        if (how !== 'leaves as they are') git(path, 'add', '-A');
        if (how.startsWith('commits')) git(path, 'commit', '-qm', 'work');
        if (how === 'commits and resets softly') git(path, 'reset', '-q', '--soft', 'HEAD~1');
        if (how === 'unstages everything') git(path, 'reset', '-q');
      });
      expect(delta.files).toEqual([
        { path: 'a.txt', status: 'modified', added: 1, deleted: 1, binary: false },
        { path: 'b.txt', status: 'deleted', added: 0, deleted: 1, binary: false },
        { path: 'bin.dat', status: 'added', added: 0, deleted: 0, binary: true },
        { path: 'gone.txt', status: 'modified', added: 1, deleted: 1, binary: false },
        { path: 'new.txt', status: 'added', added: 1, deleted: 0, binary: false },
      ]);
      expect(delta.commits !== undefined).toBe(how === 'commits');
    },
  );

  it('hold ignored files that it tracks by force, and no lock left in the root', async () => {
    const delta = await work(await open(dirtyRepo()), 'task', (path) => {
      put(path, { 'ignored.out': 'o\n', '.x.lock': '1', 'yarn.lock': 'y\n' });
      git(path, 'add', '-f', 'ignored.out');
      git(path, 'commit', '-qm', 'forced');
    });
    expect(paths(delta)).toEqual(['ignored.out', 'yarn.lock']);
    expect(delta.skipped).toEqual(['.x.lock']);
  });

  it('make a patch that git applies, whatever the person has set and in whatever encoding', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'latin.txt': Buffer.from('caf\xe9\n', 'latin1'), run: '#!\n' });
    for (const key of ['diff.noprefix', 'diff.mnemonicPrefix', 'core.quotePath'])
      git(root, 'config', key, 'true');
    git(root, 'config', 'diff.external', 'false');
    const repository = await open(root);
    const isolation = await isolate(repository);
    put(isolation.path, {
      'a.txt': 'two',
      'latin.txt': Buffer.from('caf\xe8\n', 'latin1'),
      'b\tc\nd': 'x\n',
    });
    put(isolation.path, { 'bin.dat': Buffer.from([0, 1, 2, 255]), '-r': 'dash\n' });
    symlinkSync('a.txt', join(isolation.path, 'link'));
    chmodSync(join(isolation.path, 'run'), 0o755);
    const { patchFile } = await isolationDelta(repository, isolation);
    for (const key of ['diff.noprefix', 'diff.mnemonicPrefix']) git(root, 'config', key, 'false');
    git(root, 'apply', patchFile);
    expect(snapshot(root)).toEqual(snapshot(isolation.path));
  });

  it('are limited in size', async () => {
    const repository = await open(newRepo());
    const isolation = await isolate(repository);
    put(isolation.path, { 'big.bin': 'x'.repeat(2000) });
    await expect(isolationDelta(repository, isolation, { limit: 1000 })).rejects.toThrow(/big\.bin/);
  });
});
