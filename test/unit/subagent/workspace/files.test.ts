/** Reading, listing, writing and editing files. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderWith, openTools } from './kit.ts';

describe('read', () => {
  it('answers numbered lines, and where to go on', async () => {
    const root = folderWith({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
    const { call, wrong } = openTools(root);
    expect(await call('read', { path: 'a.txt' })).toBe('     1\tone\n     2\ttwo\n     3\tthree');
    expect(await call('read', { path: 'a.txt', offset: 2, limit: 1 })).toBe(
      '     2\ttwo\n(Lines 2-2 of 3. Go on with offset 3.)',
    );
    expect(await wrong('read', { path: 'a.txt', offset: 4 })).toContain('has 3 lines');
  });

  it('cuts lines and answers that are too long, never inside a character', async () => {
    const root = folderWith({
      'long.txt': `${'x'.repeat(1999)}😀${'y'.repeat(50)}\n`,
      'many.txt': 'line of text\n'.repeat(90_000),
    });
    const { call } = openTools(root);
    const long = await call('read', { path: 'long.txt' });
    expect(long).toContain('… (line has 2051 characters)');
    expect(long.isWellFormed()).toBe(true);
    const many = await call('read', { path: 'many.txt', limit: 10_000 });
    expect(many.length).toBeLessThanOrEqual(100_000);
    const next = Number(/Go on with offset (\d+)/.exec(many)?.[1]);
    expect(many).toContain(`\n${String(next - 1).padStart(6)}\tline of text\n(`);
  });

  it('says why a file is not read', async () => {
    const root = folderWith({
      'a.bin': new Uint8Array([1, 0, 2]),
      'a.png': new Uint8Array([0x89, 0x50, 0, 0]),
      'wide.txt': Buffer.from('\uFEFFab', 'utf16le'),
      'empty.txt': '',
      'huge.txt': Buffer.alloc(10_000_001, 'a'),
      'latin.txt': Buffer.from('caf\xe9', 'latin1'),
    });
    const { call, wrong } = openTools(root);
    expect(await wrong('read', { path: 'a.bin' })).toContain('"a.bin" (3 bytes) is a binary file');
    expect(await wrong('read', { path: 'a.png' })).toContain('is an image');
    expect(await wrong('read', { path: 'wide.txt' })).toContain('UTF-16');
    expect(await wrong('read', { path: 'huge.txt' })).toContain('10.0 MB');
    expect(await wrong('read', { path: '.' })).toContain('Use list');
    expect(await wrong('read', { path: 'no/where.txt' })).toContain('find or list');
    expect(await wrong('read', { path: 'empty.txt/x' })).toContain('through a file');
    expect(await call('read', { path: 'empty.txt' })).toContain('is empty');
    expect(await call('read', { path: 'latin.txt' })).toBe(
      '     1\tcaf\uFFFD\n(Some bytes are not UTF-8 and are shown as \uFFFD; edit refuses this file.)',
    );
    expect(await wrong('edit', { path: 'latin.txt', old: 'caf', new: 'x' })).toContain('not all UTF-8');
  });

  it('finds a file whose name has another Unicode form', async () => {
    const root = folderWith({ [`${'한글'.normalize('NFD')}/${'메모'.normalize('NFD')}.md`]: 'text' });
    const { call } = openTools(root);
    expect(await call('read', { path: '한글/메모.md' })).toContain('text');
    await call('write', { path: '한글/메모.md', content: 'new' });
    expect(readdirSync(join(root, '한글'.normalize('NFD')))).toHaveLength(1);
  });

  it('does not wait for the other end of a pipe', async () => {
    const root = folderWith();
    const { call, wrong } = openTools(root, { approve: async () => 'approved' });
    await call('run', { command: 'mkfifo pipe' });
    expect(await wrong('read', { path: 'pipe' })).toContain('not a regular file');
    expect(await wrong('edit', { path: 'pipe', old: 'a', new: 'b' })).toContain('not a regular file');
  });
});

describe('list', () => {
  it('answers folders first, with sizes and links', async () => {
    const root = folderWith({ 'b.txt': '12345', 'src/a.ts': '', '.git/config': '' });
    symlinkSync('b.txt', join(root, 'link'));
    const { call, wrong } = openTools(root);
    expect(await call('list', {})).toBe('src/\nb.txt  5 bytes\nlink@');
    expect(await wrong('list', { path: 'b.txt' })).toContain('Use read');
    expect(await wrong('list', { path: 'gone' })).toContain('There is no folder');
  });

  it('answers at most 500 entries, and a name cannot make lines', async () => {
    const root = folderWith({ 'one\ntwo': '' });
    for (let index = 0; index < 520; index++) writeFileSync(join(root, `x${index}`), '');
    const lines = (await openTools(root).call('list', {})).split('\n');
    expect(lines).toHaveLength(501);
    expect(lines[0]).toBe('one two  0 bytes');
    expect(lines[500]).toContain('21 more');
    for (let index = 0; index < 5000; index++) writeFileSync(join(root, `y${index}`), '');
    expect(await openTools(root).call('list', {})).toMatch(/\n\(Many more/);
  });
});

describe('write', () => {
  it('creates a file with its folders, and leaves nothing else behind', async () => {
    const root = folderWith();
    const { call } = openTools(root);
    expect(await call('write', { path: 'a/b/c.txt', content: 'x\uD800y' })).toContain('Halves of characters');
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('x\uFFFDy');
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt']);
  });

  it('replaces only what was read, and what is as it was read', async () => {
    const root = folderWith({ 'a.txt': 'old' });
    const { call, wrong } = openTools(root);
    expect(await wrong('write', { path: 'a.txt', content: 'new' })).toContain('Read it first');
    await call('read', { path: 'a.txt' });
    writeFileSync(join(root, 'a.txt'), 'theirs');
    expect(await wrong('write', { path: 'a.txt', content: 'new' })).toContain('Read it again');
    expect(await wrong('edit', { path: 'a.txt', old: 'theirs', new: 'x' })).toContain('Read it again');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('theirs');
    await call('read', { path: 'a.txt' });
    await call('write', { path: 'a.txt', content: 'new' });
    await call('write', { path: 'a.txt', content: 'newer' });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('newer');
  });

  it('lets one of two subagents win, and tells the other', async () => {
    const root = folderWith({ 'a.txt': 'start' });
    const agents = Array.from({ length: 5 }, () => openTools(root).tools);
    const signal = new AbortController().signal;
    for (const tools of agents) await tools.call({ id: 'r', name: 'read', input: { path: 'a.txt' } }, signal);
    const results = await Promise.all(
      agents.map((tools, index) =>
        tools.call({ id: 'w', name: 'write', input: { path: 'a.txt', content: `agent ${index}` } }, signal),
      ),
    );
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
    const winner = results.findIndex(({ isError }) => !isError);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(`agent ${winner}`);
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('keeps the mode and the line ends', async () => {
    const root = folderWith({ 'run.sh': '#!/bin/sh\r\necho\r\n' });
    chmodSync(join(root, 'run.sh'), 0o755);
    const { call } = openTools(root);
    await call('read', { path: 'run.sh' });
    await call('write', { path: 'run.sh', content: 'a\nb\r\n' });
    expect(readFileSync(join(root, 'run.sh'), 'utf8')).toBe('a\r\nb\r\n');
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755);
  });

  it('refuses folders, what is read-only, and what is too large', async () => {
    const root = folderWith({ 'a.txt': 'x', 'd/x': '' });
    chmodSync(join(root, 'a.txt'), 0o444);
    const { call, wrong } = openTools(root);
    await call('read', { path: 'a.txt' });
    expect(await wrong('write', { path: 'a.txt', content: 'y' })).toContain('read-only');
    expect(await wrong('write', { path: 'd', content: 'y' })).toContain('is a folder');
    expect(await wrong('write', { path: '.', content: 'y' })).toContain('is a folder');
    expect(await wrong('write', { path: 'a.txt/b', content: 'y' })).toContain('through a file');
    expect(await wrong('write', { path: 'big', content: 'a'.repeat(10_000_001) })).toContain('Split it');
    expect(await wrong('write', { path: 'x'.repeat(300), content: 'a' })).toContain('shorter');
  });

  it('asks before it changes what an editor runs', async () => {
    const root = folderWith();
    let answer: 'approved' | 'declined' = 'declined';
    const { call, wrong, questions } = openTools(root, { approve: async () => answer });
    const input = { path: '.vscode/tasks.json', content: '{}' };
    expect(await wrong('write', input)).toContain('the person declined');
    expect(readdirSync(root)).toEqual([]);
    answer = 'approved';
    await call('write', input);
    expect(questions).toHaveLength(2);
    expect(await openTools(root).wrong('edit', { path: '.vscode/tasks.json', old: '{', new: '[' })).toContain(
      'nobody',
    );
  });
});

describe('edit', () => {
  it('replaces one exact text and shows the place', async () => {
    const root = folderWith({ 'a.ts': 'a\nb\nc\nd\ne\nf\n' });
    const { call } = openTools(root);
    expect(await call('edit', { path: 'a.ts', old: 'e\n', new: '$&\n' })).toBe(
      'Changed "a.ts":\n     2\tb\n     3\tc\n     4\td\n     5\t$&\n     6\tf\n     7\t',
    );
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('a\nb\nc\nd\n$&\nf\n');
  });

  it('says how often the text is there when that is not once', async () => {
    const root = folderWith({ 'a.ts': 'x = 1\ny\nx = 1\n' });
    const { call, wrong } = openTools(root);
    expect(await wrong('edit', { path: 'a.ts', old: 'x = 1', new: 'z' })).toMatch(/2 times .* lines 1, 3/);
    expect(await call('edit', { path: 'a.ts', old: 'x = 1', new: 'z', all: true })).toContain('in 2 places');
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('z\ny\nz\n');
    expect(await wrong('edit', { path: 'a.ts', old: 'q', new: 'q' })).toContain('the same');
    expect(await wrong('edit', { path: 'a.ts', old: '', new: 'q' })).toContain('old: is empty');
  });

  it.each([
    ['white space', 'if (a) {\n  return  1;\n}', 'white space'],
    ['copied line numbers', '     2\tif (a) {\n     3\t    return 1;', 'line numbers'],
    ['case', 'IF (a) {', 'upper and lower case'],
    ['neighbours', 'if (b) {\n    return 1;', 'the lines around'],
    ['Unicode form', '// 한글'.normalize('NFD'), 'white space or the form'],
  ])('shows the nearest text when %s differs', async (_, old, why) => {
    const root = folderWith({ 'a.ts': 'x\nif (a) {\n    return 1;\n}\n// 한글\n' });
    const text = await openTools(root).wrong('edit', { path: 'a.ts', old, new: 'y' });
    expect(text).toContain(why);
    expect(text).toMatch(/\n {5}\d\t/);
  });

  it('says that nothing is near when nothing is', async () => {
    const text = await openTools(folderWith({ 'a.ts': 'x\n' })).wrong('edit', {
      path: 'a.ts',
      old: 'y',
      new: 'z',
    });
    expect(text).toContain('Nothing there looks like it');
  });

  it('keeps CR LF, also where the model writes LF', async () => {
    const root = folderWith({ 'a.txt': '\uFEFFone\r\ntwo\r\nthree\r\n' });
    const { call } = openTools(root);
    await call('edit', { path: 'a.txt', old: 'one\ntwo', new: '1\n2\n2b' });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('\uFEFF1\r\n2\r\n2b\r\nthree\r\n');
  });

  it('changes what it says and nothing else, for any text', async () => {
    const root = folderWith();
    const { call } = openTools(root);
    mkdirSync(join(root, 'd'));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', '한', '\t', '\\') });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, after, replacement) => {
        fc.pre(replacement !== '<here>');
        const path = `d/${count++}.txt`;
        await call('write', { path, content: `${before}<here>${after}` });
        await call('edit', { path, old: '<here>', new: replacement });
        expect(readFileSync(join(root, path), 'utf8')).toBe(before + replacement + after);
      }),
      { numRuns: 40 },
    );
  });
});
