import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findGit } from '../../../src/git/layout.ts';
import { fieldsOf, GitError, joinFields, lineOf, runGit } from '../../../src/git/run.ts';
import { describeState } from '../../../src/git/state.ts';
import { temporaryFolder } from '../support/folder.ts';
import { git, newRepo, put, snapshot } from './repo.ts';

describe('running git', () => {
  it('answers with bytes', async () => {
    const root = newRepo({ bytes: Buffer.from([0, 255, 10, 128]) });
    const { stdout } = await runGit(['cat-file', 'blob', 'HEAD:bytes'], { cwd: root });
    expect([...stdout]).toEqual([0, 255, 10, 128]);
  });

  it('fails with what git said, also when that is nothing', async () => {
    const root = newRepo();
    await expect(runGit(['cat-file', 'blob', 'HEAD:none'], { cwd: root })).rejects.toThrow(
      /none.*does not exist/s,
    );
    const silent = runGit(['rev-parse', '--verify', '--quiet', 'none'], { cwd: root });
    await expect(silent).rejects.toThrow(GitError);
    await expect(silent).rejects.toMatchObject({ code: 1 });
    await expect(
      runGit(['rev-parse', '--verify', '--quiet', 'none'], { cwd: root, accept: [1] }),
    ).resolves.toMatchObject({ code: 1 });
    const loud = { cwd: root, accept: [128] };
    await expect(runGit(['cat-file', 'blob', 'HEAD:none'], loud)).resolves.toMatchObject({ code: 128 });
    await expect(runGit(['version'], { cwd: join(root, 'none') })).rejects.toMatchObject({
      name: 'GitError',
      code: -1,
    });
  });

  it.each([undefined, '', Buffer.alloc(0)])('ends the input also where there is none (%j)', async (input) => {
    const call = { cwd: newRepo(), ...(input === undefined ? {} : { input }) };
    const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
    expect(lineOf(await runGit(['hash-object', '--stdin'], call))).toBe(empty);
  });

  it('survives that git does not read what it is given', async () => {
    const root = newRepo();
    const input = Buffer.alloc(8 * 1024 * 1024, 'x');
    await expect(
      runGit(['update-index', '--no-such-option', '--stdin'], { cwd: root, input }),
    ).rejects.toThrow(GitError);
    await expect(runGit(['rev-parse', 'HEAD'], { cwd: root, input })).resolves.toMatchObject({ code: 0 });
  });

  it('takes names for names', async () => {
    const root = newRepo();
    const names = ['--upload-pack=x', '-c', 'core.fsmonitor=x', ':(top)a', '*', 'a\nb', '\u1112\u1161\u11ab'];
    put(root, Object.fromEntries(names.map((name) => [name, 'x'])));
    await runGit(['update-index', '--add', '--', ...names], { cwd: root });
    const { stdout } = await runGit(['ls-files', '-z', '--', ...names], { cwd: root });
    expect(fieldsOf(stdout).map(String).sort()).toEqual(names.sort());
    const literal = await runGit(['ls-files', '-z', '--', '*'], { cwd: root });
    expect(fieldsOf(literal.stdout).map(String)).toEqual(['*']);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const stopped = runGit(['version'], { cwd: temporaryFolder(), signal: stop.signal });
    await expect(stopped).rejects.toThrow('enough');
  });

  it('reads the one line of an answer, and its fields', async () => {
    const root = newRepo();
    expect(lineOf(await runGit(['rev-parse', 'HEAD'], { cwd: root }))).toBe(
      git(root, 'rev-parse', 'HEAD').trim(),
    );
    const fields = [Buffer.from('a'), Buffer.from([255]), Buffer.alloc(0), Buffer.from('b\n')];
    expect(fieldsOf(joinFields(fields))).toEqual(fields);
    expect(fieldsOf(Buffer.from('a\0open'))).toEqual([Buffer.from('a'), Buffer.from('open')]);
  });
});

describe('the state of a work tree in a line', () => {
  it('names what changed, and runs nothing', async () => {
    const root = newRepo();
    const layout = findGit(root);
    expect(await describeState(layout)).toBe('work tree clean');
    git(root, 'config', 'core.fsmonitor', `touch ${join(root, '..', 'ran')};`);
    put(root, { 'a.txt': 'changed\n', '한 글.txt': 'n\n' });
    expect(await describeState(layout)).toBe('2 changed: a.txt, 한 글.txt');
    put(root, Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, 'n'])));
    expect(await describeState(layout)).toMatch(/^11 changed: a\.txt, .* and 3 more$/);
    expect(snapshot(join(root, '..'))).not.toHaveProperty('ran');
  });

  it('is empty without a repository, and where git fails', async () => {
    expect(await describeState(undefined)).toBe('');
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'git'));
    expect(await describeState({ workTree: folder, gitDir: join(folder, 'git'), commonDir: folder })).toBe(
      '',
    );
  });
});
