import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { landTask, landTasks } from '../../../src/subagent/landing.ts';
import { finishLandings } from '../../../src/subagent/landingFinish.ts';
import { CannotUndoError, undoLanding } from '../../../src/subagent/landingUndo.ts';
import { readRecovery } from '../../../src/subagent/recovery.ts';
import { git, lines, metadata, newRepo, open, put, snapshot, text } from '../git/repo.ts';
import { isolate, statuses, tasks } from './isolationSupport.ts';

describe('a landing that cannot be, or not wholly', () => {
  it('lets a conflict block that task only, change nothing, and keep the work', async () => {
    const root = newRepo({ 'a.txt': lines(10), 'b.txt': 'b\n' });
    const repository = await open(root);
    const deltas = await tasks(
      repository,
      { 'a.txt': lines(10, { 2: 'first' }) },
      { 'a.txt': lines(10, { 2: 'second' }), 'b.txt': 'second\n' },
      { 'c.txt': 'third\n' },
    );
    const before = metadata(root);
    const answers = await landTasks(repository, deltas);
    expect(statuses(answers)).toEqual(['applied', 'conflict', 'applied']);
    expect(snapshot(root)).toMatchObject({ 'b.txt': '644 b\n', 'c.txt': '644 third\n' });
    expect(text(root, 'a.txt')).toBe(lines(10, { 2: 'first' }));
    const { recovery, reason, files } = answers[1] ?? {};
    expect(reason).toContain('a.txt');
    expect(files?.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(git(root, 'show', `${recovery?.ref}:b.txt`)).toBe('second\n');
    expect(readFileSync(recovery?.patchFile ?? '', 'utf8')).toContain('+second');
    expect(metadata(root)).toEqual(before);

    // Once the person made room, the kept work lands.
    put(root, { 'a.txt': lines(10) });
    expect((await landTask(repository, await readRecovery(repository, recovery?.id ?? ''))).status).toBe(
      'applied',
    );
    expect(text(root, 'b.txt')).toBe('second\n');
  });

  it.each(['merged', 'images', 'journal', 'write b.txt', 'draft b.txt'])(
    'notices a file that changes just after "%s" and takes everything back',
    async (when) => {
      const root = newRepo({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
      const repository = await open(root);
      const [delta] = await tasks(repository, { 'a.txt': 'task\n', 'b.txt': 'task\n', 'c.txt': 'task\n' });
      if (delta === undefined) throw new Error('no delta');
      const answer = await landTask(repository, delta, {
        step: (name) => {
          // The last moment that can be noticed is before the draft of the very file.
          if (name === when) put(root, { [when.endsWith('b.txt') ? 'c.txt' : 'b.txt']: 'mine\n' });
        },
      });
      expect(answer.status).toBe('conflict');
      const mine = when.endsWith('b.txt') ? { 'c.txt': '644 mine\n' } : { 'b.txt': '644 mine\n' };
      expect(snapshot(root)).toEqual({ 'a.txt': '644 one\n', 'b.txt': '644 two\n', ...mine });
    },
  );

  it('takes everything back when the disk refuses, and keeps the work', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n', 'b.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    const answer = await landTask(repository, delta, {
      step: (name) => {
        if (name === 'draft b.txt')
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      },
    });
    expect(answer).toMatchObject({
      status: 'recovery_available',
      reason: expect.stringContaining('no space'),
    });
    expect(snapshot(root)).toEqual({ 'a.txt': '644 one\n', 'b.txt': '644 two\n' });
    expect((await landTask(repository, delta)).status).toBe('applied');
  });

  it('is kept whole where a file of it lies over a folder that the index hides', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'x/inside': 'hidden\n' });
    git(root, 'update-index', '--skip-worktree', 'x/inside');
    rmSync(join(root, 'x'), { recursive: true });
    const repository = await open(root);
    const isolation = await isolate(repository);
    rmSync(join(isolation.path, 'x'), { recursive: true, force: true });
    put(isolation.path, { x: 'task\n', 'a.txt': 'task\n' });
    const delta = await isolationDelta(repository, isolation);
    const [files, entries] = [snapshot(root), git(root, 'ls-files', '-s', '-v')];
    const { status, recovery } = await landTask(repository, delta);
    expect([status, snapshot(root), git(root, 'ls-files', '-s', '-v')]).toEqual(['conflict', files, entries]);
    expect(git(root, 'show', `${recovery?.ref}:x`)).toBe('task\n');
  });

  it('stays in effect when only the note of it cannot be written', async () => {
    const root = newRepo();
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    const landings = join(repository.stateDir, 'landings');
    const step = (name: string) => {
      if (name !== 'written a.txt') return;
      // A folder where the new journal is to be.
      for (const id of readdirSync(landings)) {
        renameSync(join(landings, id, 'journal.json'), join(landings, id, 'kept'));
        mkdirSync(join(landings, id, 'journal.json'));
      }
    };
    const { status, landing = '' } = await landTask(repository, delta, { step });
    expect(status).toBe('applied');
    expect(text(root, 'a.txt')).toBe('task\n');
    rmdirSync(join(landings, landing, 'journal.json'));
    renameSync(join(landings, landing, 'kept'), join(landings, landing, 'journal.json'));
    expect(await finishLandings(repository)).toEqual([{ id: landing, outcome: 'finished' }]);
    await undoLanding(repository, landing);
    expect(text(root, 'a.txt')).toBe('one\n');
  });

  it('goes around a journal that a person must look at', async () => {
    const root = newRepo();
    const repository = await open(root);
    const broken = join(repository.stateDir, 'landings', 'broken');
    mkdirSync(broken, { recursive: true });
    put(broken, { 'journal.json': '{"version":' });
    const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    expect((await landTask(repository, delta)).status).toBe('applied');
    await expect(undoLanding(repository, 'broken')).rejects.toThrow(CannotUndoError);
    expect(existsSync(broken)).toBe(true);
  });
});
