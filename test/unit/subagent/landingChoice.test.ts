import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landTask } from '../../../src/subagent/landing.ts';
import { LandingChoiceError, landFiles, landHunks } from '../../../src/subagent/landingChoice.ts';
import { undoLanding } from '../../../src/subagent/landingUndo.ts';
import { readRecovery } from '../../../src/subagent/recovery.ts';
import { git, lines, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { work } from './isolationSupport.ts';

/** Hunks 0, 1 and 2 of `a.txt`; the last has no newline at its end. */
const THREE = `${lines(39, { 2: 'two', 20: 'twenty', 21: 'and more\nand more' })}end`;

async function prepared() {
  const root = newRepo({
    'a.txt': lines(40),
    'b.txt': 'b\n',
    'gone.txt': 'g\n',
    run: '#!\n',
    'bin.dat': '\0\n',
  });
  const repository = await open(root);
  const delta = await work(repository, 'task', (path) => {
    put(path, { 'a.txt': THREE, 'b.txt': 'task\n', 'new/n.txt': 'n\n', 'bin.dat': '\0\x01' });
    rmSync(join(path, 'gone.txt'));
    chmodSync(join(path, 'run'), 0o755);
    symlinkSync('a.txt', join(path, 'link'));
  });
  return { root, repository, delta, before: snapshot(root) };
}

describe('a chosen part of the work', () => {
  it('lands by file; the rest can land later, and all of it is undone one by one', async () => {
    const { root, repository, delta, before } = await prepared();
    const first = await landFiles(repository, delta, ['b.txt', 'gone.txt', 'link', 'run', 'bin.dat']);
    expect(first).toMatchObject({ status: 'applied', id: delta.id });
    expect(first.files.map(({ path }) => path)).toEqual(['b.txt', 'bin.dat', 'gone.txt', 'link', 'run']);
    const { 'gone.txt': _, ...kept } = before;
    const chosen = { 'b.txt': '644 task\n', link: 'link a.txt', run: '755 #!\n', 'bin.dat': '644 \0\x01' };
    expect(snapshot(root)).toEqual({ ...kept, ...chosen });
    const second = await landTask(repository, delta);
    expect(second).toMatchObject({ status: 'applied', reason: 'Changed 2 of your files.' });
    expect(text(root, 'a.txt')).toBe(THREE);
    await undoLanding(repository, second.landing ?? '');
    await undoLanding(repository, first.landing ?? '');
    expect(snapshot(root)).toEqual(before);
  });

  it.each<[number[], string]>([
    [[0], lines(40, { 2: 'two' })],
    [[1], lines(40, { 20: 'twenty', 21: 'and more\nand more' })],
    [[2], `${lines(39)}end`],
    [[2, 0], `${lines(39, { 2: 'two' })}end`],
    [[0, 1, 2], THREE],
  ])('lands by hunk (%j), beside what the person changed', async (hunks, expected) => {
    const { root, repository, delta } = await prepared();
    put(root, { 'b.txt': 'mine\n', 'a.txt': lines(40, { 10: 'mine' }) });
    expect((await landHunks(repository, delta, [{ path: 'a.txt', hunks }])).status).toBe('applied');
    expect(text(root, 'a.txt')).toBe(expected.replace('line 10\n', 'mine\n'));
    expect(status(root)).toEqual([' M a.txt', ' M b.txt']);
  });

  it('keeps hunks of lines that are not UTF-8, at both ends of a file, byte for byte', async () => {
    const body = lines(20);
    const bytes = (content: string) => Buffer.from(content, 'latin1');
    const root = newRepo({ 'l.txt': bytes(`caf\xe9\n${body}`) });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) =>
      put(path, { 'l.txt': bytes(`top\r\ncaf\xe8\n${body}\xff`) }),
    );
    await landHunks(repository, delta, [{ path: 'l.txt', hunks: [1] }]);
    expect(snapshot(root)['l.txt']).toBe(`644 caf\xe9\n${body}\xff`);
    await landHunks(repository, delta, [{ path: 'l.txt', hunks: [0] }]);
    expect(snapshot(root)['l.txt']).toBe(`644 top\r\ncaf\xe8\n${body}\xff`);
  });

  it('keeps all of the work where the part cannot land', async () => {
    const { root, repository, delta } = await prepared();
    put(root, { 'b.txt': 'mine\n' });
    expect((await landFiles(repository, delta, ['b.txt'])).status).toBe('conflict');
    expect((await readRecovery(repository, delta.id)).files).toEqual(delta.files);
  });

  it('is committed as one where work lands as commits', async () => {
    const { root, repository, delta } = await prepared();
    await landHunks(repository, delta, [{ path: 'a.txt', hunks: [1] }], { merge: 'branch', message: 'Part' });
    expect(git(root, 'log', '-1', '--format=%s')).toBe('Part\n');
    expect([status(root), git(root, 'show', '--format=', '--name-only')]).toEqual([[], 'a.txt\n']);
  });

  it.each<[string, { path: string; hunks?: number[] }]>([
    ['a file that the task did not change', { path: 'other.txt' }],
    ['a hunk that is not there', { path: 'a.txt', hunks: [0, 3] }],
    ['hunks of a binary file', { path: 'bin.dat', hunks: [0] }],
    ['hunks of a new file', { path: 'new/n.txt', hunks: [0] }],
    ['hunks of a link', { path: 'link', hunks: [0] }],
  ])('cannot be %s', async (_what, choice) => {
    const { root, repository, delta, before } = await prepared();
    await expect(landHunks(repository, delta, [choice])).rejects.toThrow(LandingChoiceError);
    expect(snapshot(root)).toEqual(before);
  });
});
