import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { discardTask, keepTask, landTask, landTasks } from '../../../src/subagent/landing.ts';
import { CannotUndoError, forgetLanding, undoLanding } from '../../../src/subagent/landingUndo.ts';
import { listRecoveries } from '../../../src/subagent/recovery.ts';
import { git, lines, metadata, newRepo, open, put, snapshot, text } from '../git/repo.ts';
import { isolate, statuses, tasks, work } from './isolationSupport.ts';

describe('landing', () => {
  it('changes what the task changed and nothing else', async () => {
    const root = newRepo({ 'a.txt': lines(10), 'b.txt': 'b\n', 'tool.sh': '#!\n', 'old/only.txt': 'o\n' });
    put(root, { 'staged.txt': 's\n', 'a.txt': lines(10, { 1: 'staged' }) });
    git(root, 'add', '-A');
    put(root, { 'a.txt': lines(10, { 1: 'staged', 2: 'mine' }), 'untracked.txt': 'u\n' });
    chmodSync(join(root, 'untracked.txt'), 0o600);
    const [before, files] = [metadata(root), snapshot(root)];
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, {
        'a.txt': lines(10, { 1: 'staged', 2: 'mine', 8: 'task' }),
        'deep/new/한.txt': 'n\n',
        '-f': 'dash\n',
      });
      put(path, { 'bin.dat': Buffer.from([0, 13, 10, 255]), 'untracked.txt': 'task\n' });
      rmSync(join(path, 'old'), { recursive: true });
      chmodSync(join(path, 'tool.sh'), 0o755);
      symlinkSync('a.txt', join(path, 'link'));
    });
    const answer = await landTask(repository, delta);
    expect(answer).toMatchObject({ id: delta.id, status: 'applied' });
    const { 'old/only.txt': _gone, ...kept } = files;
    expect(snapshot(root)).toEqual({
      ...kept,
      'a.txt': `644 ${lines(10, { 1: 'staged', 2: 'mine', 8: 'task' })}`,
      'deep/new/한.txt': '644 n\n',
      '-f': '644 dash\n',
      'bin.dat': '644 \x00\r\n\xff',
      // Permissions that git does not know stay.
      'untracked.txt': '600 task\n',
      'tool.sh': '755 #!\n',
      link: 'link a.txt',
    });
    expect(existsSync(join(root, 'old'))).toBe(false);
    expect(metadata(root)).toEqual(before);
  });

  it('puts back what was there, byte for byte, while the files are as landed', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'old/only.txt': 'o\n', file: 'f\n' });
    put(root, { 'a.txt': 'mine\n' });
    const [before, files] = [metadata(root), snapshot(root)];
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, { 'a.txt': 'task\n', 'new/x.txt': 'x\n' });
      rmSync(join(path, 'old'), { recursive: true });
      rmSync(join(path, 'file'));
      put(path, { 'file/inside': 'i\n' });
    });
    const { landing = '' } = await landTask(repository, delta);
    put(root, { 'a.txt': 'edited since\n' });
    await expect(undoLanding(repository, landing)).rejects.toThrow(/a\.txt.*Nothing was put back/);
    expect(text(root, 'new/x.txt')).toBe('x\n');
    put(root, { 'a.txt': 'task\n' });
    await undoLanding(repository, landing);
    expect(snapshot(root)).toEqual(files);
    expect(existsSync(join(root, 'new'))).toBe(false);
    expect(metadata(root)).toEqual(before);
    await expect(undoLanding(repository, landing)).rejects.toThrow(CannotUndoError);
  });

  it('can no longer be undone once it is forgotten, and keeps no copies', async () => {
    const root = newRepo();
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    const { landing = '' } = await landTask(repository, delta);
    forgetLanding(repository, landing);
    expect(existsSync(join(repository.stateDir, 'landings', landing))).toBe(false);
    await expect(undoLanding(repository, landing)).rejects.toThrow(CannotUndoError);
  });

  it('turns folders into files and files into folders', async () => {
    const root = newRepo({ 'folder/in': 'i\n', file: 'f\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      rmSync(join(path, 'folder'), { recursive: true });
      rmSync(join(path, 'file'));
      put(path, { folder: 'now a file\n', 'file/in': 'now a folder\n' });
    });
    const { status, landing = '' } = await landTask(repository, delta);
    expect(status).toBe('applied');
    expect(snapshot(root)).toEqual({ folder: '644 now a file\n', 'file/in': '644 now a folder\n' });
    // Nothing of the person's goes with a folder.
    put(root, { 'file/own.txt': 'mine\n' });
    await expect(undoLanding(repository, landing)).rejects.toThrow(CannotUndoError);
    expect(snapshot(root)).toMatchObject({ folder: '644 now a file\n', 'file/in': '644 now a folder\n' });
    rmSync(join(root, 'file/own.txt'));
    await undoLanding(repository, landing);
    expect(snapshot(root)).toEqual({ 'folder/in': '644 i\n', file: '644 f\n' });
  });

  it('lands a task that only deletes', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'old/b.txt': 'b\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => rmSync(join(path, 'old'), { recursive: true }));
    expect((await landTask(repository, delta)).status).toBe('applied');
    expect(snapshot(root)).toEqual({ 'a.txt': '644 one\n' });
  });

  it('merges tasks that changed one file far apart', async () => {
    const root = newRepo({ 'a.txt': lines(10) });
    const repository = await open(root);
    const deltas = await tasks(
      repository,
      { 'a.txt': lines(10, { 2: 'first' }) },
      { 'a.txt': lines(10, { 9: 'second' }) },
    );
    expect(statuses(await landTasks(repository, deltas))).toEqual(['applied', 'applied']);
    expect(text(root, 'a.txt')).toBe(lines(10, { 2: 'first', 9: 'second' }));
  });

  it.each([3, 4])('decides on lines 2 and %i as git does', async (line) => {
    const root = newRepo({ 'a.txt': lines(10) });
    const [one, two] = [lines(10, { 2: 'first' }), lines(10, { [line]: 'second' })];
    const repository = await open(root);
    const answers = await landTasks(repository, await tasks(repository, { 'a.txt': one }, { 'a.txt': two }));
    git(root, 'checkout', '-qf', '-b', 'other');
    put(root, { 'a.txt': two });
    git(root, 'commit', '-qam', 'two');
    git(root, 'checkout', '-q', 'main');
    put(root, { 'a.txt': one });
    git(root, 'commit', '-qam', 'one');
    let merges = true;
    try {
      git(root, 'merge', '-q', 'other');
    } catch {
      merges = false;
    }
    expect(statuses(answers)).toEqual(['applied', merges ? 'applied' : 'conflict']);
  });

  it('has nothing to do for a task that changed nothing, or what is there already', async () => {
    const repository = await open(newRepo());
    const deltas = await tasks(repository, {}, { 'a.txt': 'same\n' }, { 'a.txt': 'same\n' });
    expect(statuses(await landTasks(repository, deltas))).toEqual(['no_changes', 'applied', 'no_changes']);
    expect(await listRecoveries(repository)).toEqual([]);
  });

  it('carries an edit into a file that the task renamed', async () => {
    const root = newRepo({ 'a.txt': lines(20) });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      rmSync(join(path, 'a.txt'));
      put(path, { 'b.txt': lines(20, { 3: 'task' }) });
    });
    put(root, { 'a.txt': lines(20, { 17: 'mine' }) });
    expect((await landTask(repository, delta)).status).toBe('applied');
    expect(snapshot(root)).toEqual({ 'b.txt': `644 ${lines(20, { 3: 'task', 17: 'mine' })}` });
  });

  it.each<[string, (root: string) => void]>([
    ['an ignored file', (root) => put(root, { 'new.log': 'mine\n' })],
    ['an untracked file', (root) => put(root, { 'new.txt': 'mine\n' })],
    ['a folder', (root) => mkdirSync(join(root, 'new.txt'))],
    ['a file where a folder must be', (root) => put(root, { sub: 'mine\n' })],
    ['a link where a folder must be', (root) => symlinkSync('.', join(root, 'sub'))],
    ['an edit of the same line', (root) => put(root, { 'a.txt': 'mine\n' })],
    [
      'an edit that git was told not to look for',
      (root) => {
        git(root, 'update-index', '--assume-unchanged', 'a.txt');
        put(root, { 'a.txt': 'mine\n' });
      },
    ],
    ['a deletion', (root) => rmSync(join(root, 'a.txt'))],
  ])('is blocked by %s of the person', async (_what, prepare) => {
    const root = newRepo({ 'a.txt': 'one\n', '.gitignore': '*.log\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, {
        '.gitignore': '',
        'new.log': 'task\n',
        'new.txt': 'task\n',
        'sub/x.txt': 'x\n',
        'a.txt': 'task\n',
      });
    });
    prepare(root);
    const files = snapshot(root);
    const answer = await landTask(repository, delta);
    expect(answer).toMatchObject({ status: 'conflict', recovery: { id: delta.id } });
    expect(snapshot(root)).toEqual(files);
  });

  it('keeps the line endings and the settings of the person', async () => {
    const root = newRepo({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' });
    git(root, 'config', 'core.autocrlf', 'true');
    const crlf = (content: string) => content.replaceAll('\n', '\r\n');
    put(root, { 'a.txt': crlf('mine\ntwo\nthree\nfour\nfive\n') });
    const repository = await open(root);
    const isolation = await isolate(repository);
    expect(text(isolation.path, 'a.txt')).toBe(text(root, 'a.txt'));
    put(isolation.path, { 'a.txt': crlf('mine\ntwo\nthree\nfour\ntask\n') });
    const delta = await isolationDelta(repository, isolation);
    expect(delta.files).toMatchObject([{ added: 1, deleted: 1 }]);
    put(root, { 'a.txt': crlf('mine again\ntwo\nthree\nfour\nfive\n') });
    expect((await landTask(repository, delta)).status).toBe('applied');
    expect(text(root, 'a.txt')).toBe(crlf('mine again\ntwo\nthree\nfour\ntask\n'));
  });

  it('keeps or discards work without landing it', async () => {
    const root = newRepo();
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    expect(await keepTask(repository, delta, 'The task failed.')).toMatchObject({
      status: 'recovery_available',
      reason: 'The task failed.',
    });
    expect(await listRecoveries(repository)).toEqual([delta.id]);
    expect((await discardTask(repository, delta)).status).toBe('discarded');
    expect(await listRecoveries(repository)).toEqual([]);
    expect(existsSync(delta.patchFile)).toBe(false);
    expect(text(root, 'a.txt')).toBe('one\n');
  });
});
