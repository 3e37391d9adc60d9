/** Finding and searching, in the thread that the package ships. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIgnored, parseIgnore } from '../../../../src/subagent/workspace/ignore.ts';
import { SearchThreads } from '../../../../src/subagent/workspace/searches.ts';
import type { Job } from '../../../../src/subagent/workspace/searchMessages.ts';
import { buildSearchThread, folderWith, openTools } from './kit.ts';

let searchThread: URL;
let remove: () => void;

beforeAll(async () => {
  ({ url: searchThread, remove } = await buildSearchThread());
});
afterAll(() => remove());

const open = (root: string) => openTools(root, { searchThread });

describe('find', () => {
  const tree = () =>
    folderWith({
      'src/a.ts': '',
      'src/a.test.ts': '',
      'src/deep/b.tsx': '',
      'readme.md': '',
      '.github/x.yml': '',
      '.git/config.ts': '',
      '.lodeline/store/m.ts': '',
      'node_modules/x/index.ts': '',
      'dist/out.ts': '',
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'a.log': '',
      'keep.log': '',
      'src/.gitignore': '/deep\n',
    });

  it('answers paths that match, without what git ignores', async () => {
    const { call } = open(tree());
    expect(await call('find', { glob: '*.ts' })).toBe('src/a.test.ts\nsrc/a.ts');
    expect(await call('find', { glob: 'src/**/*.{ts,tsx}' })).toBe('src/a.test.ts\nsrc/a.ts');
    expect(await call('find', { glob: '*.log' })).toBe('keep.log');
    expect(await call('find', { glob: '*.yml' })).toBe('.github/x.yml');
    expect(await call('find', { glob: '*.ts', path: 'src' })).toBe('src/a.test.ts\nsrc/a.ts');
    expect(await call('find', { glob: 'a.ts', path: 'src' })).toBe('src/a.ts');
    expect(await call('find', { glob: '*.rs' })).toContain('No file matches');
    expect(await call('find', { glob: 'src\\*.ts', limit: 1 })).toMatch(
      /^src\/a\.test\.ts\n\(There are more than 1/,
    );
  });

  it('keeps the rules of folders above the one it looks in', async () => {
    const root = folderWith({
      '.gitignore': 'sub/gen/\n*.tmp\n',
      'sub/gen/a.ts': '',
      'sub/b.ts': '',
      'sub/c.tmp': '',
    });
    expect(await open(root).call('find', { glob: '*', path: 'sub' })).toBe('sub/b.ts');
  });

  it('does not follow links, and names in any Unicode form match', async () => {
    const outside = folderWith({ 'secret.ts': '' });
    const root = folderWith({ [`${'메모'.normalize('NFD')}.md`]: '' });
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('.', join(root, 'loop'));
    const { call } = open(root);
    expect(await call('find', { glob: '*.ts' })).toContain('No file matches');
    expect((await call('find', { glob: '메모.md' })).normalize('NFC')).toBe('메모.md');
  });

  it('ends for globs that are made to be slow', async () => {
    const root = folderWith({ [`${'a'.repeat(200)}`]: '' });
    const { tools } = open(root);
    for (const glob of [
      '*a'.repeat(300),
      '{a,b}'.repeat(150),
      `${'**/'.repeat(200)}x`,
      '{1..100000000}',
      '+(a|aa)+(a|aa)+(a|aa)+(b)',
    ]) {
      const result = await tools.call(
        { id: 'c', name: 'find', input: { glob } },
        new AbortController().signal,
      );
      expect(result.text).not.toContain('failed');
    }
  });
});

describe('search', () => {
  const tree = () =>
    folderWith({
      'a.ts': 'one\r\nconst x = 1;\r\nthree\r\nfour\r\nconst y = 2;\r\n',
      'b.md': 'Const\n',
      'bin.ts': new Uint8Array([0, 99, 111, 110, 115, 116]),
      '.gitignore': 'gen\n',
      'gen/c.ts': 'const z = 3;\n',
    });

  it('answers matching lines with numbers, by file', async () => {
    const { call } = open(tree());
    expect(await call('search', { pattern: '^const \\w' })).toBe(
      'a.ts\n  2: const x = 1;\n  5: const y = 2;',
    );
    expect(await call('search', { pattern: 'const', ignore_case: true, glob: '*.md' })).toBe(
      'b.md\n  1: Const',
    );
    expect(await call('search', { pattern: 'x = 1;$', path: 'a.ts', context: 1 })).toBe(
      'a.ts\n  1- one\n  2: const x = 1;\n  3- three',
    );
    expect(await call('search', { pattern: 'const', context: 1, limit: 2 })).toBe(
      'a.ts\n  1- one\n  2: const x = 1;\n  3- three\n  4- four\n  5: const y = 2;\n  6- \n(Stopped here; there may be more. Use a narrower pattern, a folder or a glob.)',
    );
    expect(await call('search', { pattern: 'one|five', context: 0 })).toBe('a.ts\n  1: one');
    expect(await call('search', { pattern: 'nothing of it' })).toBe('No match.');
  });

  it('takes a pattern as plain text where it is told', async () => {
    const root = folderWith({ 'a.txt': 'f(x) [a-z]+ $1\nfx\n한글' });
    const { call, wrong } = open(root);
    expect(await call('search', { pattern: 'f(x) [a-z]+ $1', literal: true })).toBe(
      'a.txt\n  1: f(x) [a-z]+ $1',
    );
    expect(await call('search', { pattern: 'F(X)', literal: true, ignore_case: true })).toContain('1: f(x)');
    expect(await call('search', { pattern: '한', literal: true })).toContain('3: 한글');
    expect(await wrong('search', { pattern: 'f(x' })).toContain('"literal": true');
  });

  it('separates places that are apart, and cuts long lines around the match', async () => {
    const root = folderWith({ 'a.txt': `x\n\n\n\n\nx\n${'-'.repeat(1000)}x${'-'.repeat(1000)}\n` });
    const text = await open(root).call('search', { pattern: 'x', context: 1 });
    expect(text).toContain('  --\n');
    expect(text).toMatch(/7: … -+x-+ …/);
    expect(text.length).toBeLessThan(500);
  });

  it('matches nothing at the end of a file once at most, whatever matches the empty text', async () => {
    const root = folderWith({ 'a.txt': 'a\nb\n' });
    expect(await open(root).call('search', { pattern: '^' })).toBe('a.txt\n  1: a\n  2: b');
    expect(await open(root).call('search', { pattern: '$' })).toBe('a.txt\n  1: a\n  2: b');
    expect(await open(root).call('search', { pattern: 'q*' })).toBe('a.txt\n  1: a\n  2: b');
  });

  it('says which files were too large', async () => {
    const root = folderWith({ 'big.txt': 'x'.repeat(2_000_001), 'a.txt': 'x' });
    expect(await open(root).call('search', { pattern: 'x' })).toContain(
      '1 files over 2 MB were not searched',
    );
  });

  it('keeps its answer bounded', async () => {
    const root = folderWith();
    for (let index = 0; index < 600; index++)
      writeFileSync(join(root, `${index}.txt`), `${'x'.repeat(280)}\n`.repeat(3));
    const text = await open(root).call('search', { pattern: 'x', limit: 1000 });
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.slice(-200)).toContain('Stopped here');
    writeFileSync(join(root, 'one.md'), `${'y'.repeat(280)}\n`.repeat(3000));
    const one = await open(root).call('search', { pattern: 'y', limit: 1000, context: 10 });
    expect(one.length).toBeLessThanOrEqual(100_000);
    expect(one.slice(-200)).toContain('Stopped here');
  });
});

describe('the search thread', () => {
  const job = (root: string, pattern: string): Job => ({
    type: 'search',
    root,
    names: [],
    file: undefined,
    glob: undefined,
    descriptorPaths: undefined,
    pattern,
    literal: false,
    ignoreCase: false,
    context: 0,
    limit: 10,
  });

  it('is ended when a pattern takes too long, and what it found is answered', async () => {
    const root = folderWith({ 'a.txt': 'aab', 'b.txt': `${'a'.repeat(60)}!` });
    const threads = new SearchThreads(searchThread, 1500);
    const { lines, tally } = await threads.run(job(root, '^(a+)+b?$|aab'), new AbortController().signal);
    expect(tally).toBeUndefined();
    expect(lines).toContain('  1: aab');
  });

  it('is ended when the call is cancelled, and gives its place to the next', async () => {
    const root = folderWith({ 'a.txt': 'aab', 'b.txt': `${'a'.repeat(60)}!` });
    const threads = new SearchThreads(searchThread, 60_000);
    const controller = new AbortController();
    const stuck = Array.from({ length: 5 }, () => threads.run(job(root, '^(a+)+$'), controller.signal));
    const after = threads.run(job(root, 'aab'), new AbortController().signal);
    controller.abort(new Error('enough'));
    for (const { status } of await Promise.allSettled(stuck)) expect(status).toBe('rejected');
    expect((await after).lines).toEqual(['a.txt', '  1: aab']);
  });

  it('stays inside without descriptors as paths, too', async () => {
    const outside = folderWith({ 'x.txt': 'aab' });
    const root = folderWith({ 'd/a.txt': 'aab' });
    symlinkSync(outside, join(root, 'out'));
    const threads = new SearchThreads(searchThread);
    const { lines } = await threads.run(
      { ...job(root, 'aab'), descriptorPaths: false },
      new AbortController().signal,
    );
    expect(lines).toEqual(['d/a.txt', '  1: aab']);
  });

  it('says what is wrong when it cannot start', async () => {
    const root = folderWith();
    mkdirSync(join(root, 'a'));
    expect(await openTools(root).wrong('find', { glob: '*' })).toContain('find failed');
  });
});

describe('.gitignore', () => {
  const ignored = (text: string, path: string, isFolder = false) =>
    isIgnored(path, isFolder, { prefix: 0, rules: parseIgnore(text), above: undefined });

  it.each([
    ['*.log', 'a/b.log', true],
    ['*.log', 'a.logs', false],
    ['/a', 'a', true],
    ['/a', 'b/a', false],
    ['a/b', 'a/b', true],
    ['a/b', 'x/a/b', false],
    ['**/x', 'a/b/x', true],
    ['a/**/b', 'a/b', true],
    ['a/**', 'a/x/y', true],
    ['x?z', 'xyz', true],
    ['[ab].c', 'b.c', true],
    ['*.log\n!a.log', 'a.log', false],
    ['!a.log\n*.log', 'a.log', true],
    ['# a', '# a', false],
    ['\\#a', '#a', true],
    ['\\!a', '!a', true],
    ['a  ', 'a', true],
    ['a\r', 'a', true],
    ['{a,b}', 'a', false],
    ['', 'a', false],
  ])('%j on %j: %s', (text, path, expected) => {
    expect(ignored(text, path)).toBe(expected);
  });

  it('tells folders from files', () => {
    expect(ignored('dist/', 'dist', true)).toBe(true);
    expect(ignored('dist/', 'dist', false)).toBe(false);
  });
});
