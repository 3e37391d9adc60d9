import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Code } from '../../../src/ports.ts';
import { callersOf, namesIn } from '../../../src/tools/context/callers.ts';
import {
  filesByWords,
  isTest,
  namedFiles,
  pathsIn,
  testsOf,
  withPathsAsWords,
} from '../../../src/tools/context/sourceFiles.ts';
import { openTestTools } from '../support/folder.ts';

const FILES = [
  'docs/cache.md',
  'src/app.ts',
  'src/redis/cache.ts',
  'src/redis/pool.ts',
  'src/ui/cache.ts',
  'test/redis/cache.test.ts',
  'test/ui/cache.test.ts',
];

/** A folder with these files. */
function withFiles(files: readonly string[] = FILES) {
  const tools = openTestTools();
  for (const file of files) {
    mkdirSync(dirname(join(tools.folder, file)), { recursive: true });
    writeFileSync(join(tools.folder, file), '');
  }
  return tools;
}

/** Language services that know one symbol, used in a source and in a test. */
const CODE: Code = {
  currentFile: () => undefined,
  symbolsNamed: async (name) =>
    name === 'createPool' ? [{ path: 'src/redis/pool.ts', line: 3, column: 1, name }] : [],
  symbolsIn: async (path) =>
    path === 'src/redis/pool.ts' ? [{ path, line: 3, column: 1, name: 'createPool' }] : [],
  usesOf: async () => [
    { path: 'src/redis/pool.ts', line: 9, column: 1 },
    { path: 'src/app.ts', line: 12, column: 3 },
    { path: 'src/app.ts', line: 40, column: 3 },
    { path: 'test/pools.spec.ts', line: 5, column: 1 },
  ],
};

const listed = (text: string, title: string) =>
  (text.split(`## ${title}\n`)[1]?.split('\n\n')[0] ?? '').split('\n').map((line) => line.slice(2));

describe('context_focus', () => {
  it('gives memories, source files and tests of a task, and nothing else', async () => {
    const { call } = withFiles();
    await call('memory_remember', {
      ...{ category: 'bug', key: 'redis-pool', content: 'The pool runs dry', file: 'src/redis/pool.ts:7' },
    });
    await call('memory_remember', { category: 'knowledge', key: 'lunch-menu', content: 'Soup on Fridays' });
    await call('memory_summary', { action: 'set', file: 'src/redis/cache.ts', summary: 'Caches in redis' });
    const { text } = await call('context_focus', { task: 'Make the redis cache faster' });
    expect(text).toMatch(/^# Focus: Make the redis cache faster\n\n## Memories\n- \[bug\] redis-pool — /);
    expect(text).not.toContain('lunch-menu');
    const sources = listed(text, 'Source files');
    expect(sources.slice(0, 2)).toEqual(['src/redis/pool.ts', 'src/redis/cache.ts — Caches in redis']);
    expect(sources).not.toContain('src/app.ts');
    expect(listed(text, 'Tests')[0]).toBe('test/redis/cache.test.ts');
    expect(text).not.toContain('## Callers');
  });

  it('starts from a file that the task names', async () => {
    const { call } = withFiles();
    const { text } = await call('context_focus', { task: 'src\\ui\\cache.ts:12' });
    expect(listed(text, 'Source files')[0]).toBe('src/ui/cache.ts');
    expect(listed(text, 'Tests')[0]).toBe('test/ui/cache.test.ts');
  });

  it('asks language services for what is named, who uses it and which tests do', async () => {
    const { call, code } = withFiles();
    code.code = CODE;
    const { text, data } = await call('context_focus', { task: 'Why does `createPool` hang?' });
    expect(listed(text, 'Source files')[0]).toBe('src/redis/pool.ts');
    expect(listed(text, 'Callers')).toEqual(['src/app.ts:12 — createPool']);
    expect(listed(text, 'Tests')).toEqual(['test/pools.spec.ts']);
    expect(data).toMatchObject({ callers: [{ path: 'src/app.ts', line: 12, symbol: 'createPool' }] });
  });

  it('leaves out what language services cannot say', async () => {
    const { call, code } = withFiles();
    const fail = () => Promise.reject(new Error('no server'));
    code.code = { currentFile: () => undefined, symbolsNamed: fail, symbolsIn: fail, usesOf: fail };
    const { text, isError } = await call('context_focus', { task: 'redis cache `createPool`' });
    expect(isError).toBe(false);
    expect(text).toContain('src/redis/cache.ts');
    expect(text).not.toContain('## Callers');
  });

  it('names no file that is not there, is ignored, or is a test, as a source', async () => {
    const { call } = withFiles([...FILES, '.gitignore', 'dist/cache.js']);
    const tools = withFiles([...FILES, 'dist/redis-cache.js']);
    writeFileSync(join(tools.folder, '.gitignore'), 'dist/\n');
    await tools.call('memory_remember', {
      ...{ category: 'bug', key: 'redis-old', content: 'redis cache', file: '../../etc/passwd' },
    });
    const { text } = await tools.call('context_focus', { task: 'redis cache' });
    expect(text).not.toContain('passwd');
    expect(text).not.toContain('dist/');
    expect(listed(text, 'Source files').filter(isTest)).toEqual([]);
    expect((await call('context_focus', { task: 'zzz' })).text).toContain('None found: name a file');
  });

  it('shows at most `limit` of each, and refuses an empty task', async () => {
    const { call } = withFiles();
    const { text } = await call('context_focus', { task: 'cache', limit: 1 });
    expect(listed(text, 'Source files')).toHaveLength(1);
    expect(listed(text, 'Tests')).toHaveLength(1);
    for (const input of [{}, { task: ' ' }]) expect((await call('context_focus', input)).isError).toBe(true);
  });
});

describe('a long task', () => {
  it.each(['a', 'é', 'éa', 'a.', 'a/', 'a_', 'aB', '`', '한', '../'])(
    'of %j again and again is answered',
    async (part) => {
      const { call } = withFiles();
      const { isError, text } = await call('context_focus', { task: `x ${part.repeat(200_000)}` });
      expect(isError).toBe(false);
      expect(text.length).toBeLessThan(5_000);
    },
  );
});

describe('the files of a task', () => {
  it.each([
    ['fix src/a/b.ts:12 and C.java', ['src/a/b.ts', 'C.java']],
    ['src\\win\\x.ts', ['src/win/x.ts']],
    ['한글/파일.md 을', ['한글/파일.md']],
    ['nothing here, e.g', ['e.g']],
    ['see (lib/a_b-c.test.ts), `x.py`', ['lib/a_b-c.test.ts', 'x.py']],
    ['', []],
  ])('%s names %j', (text, paths) => {
    expect(pathsIn(text)).toEqual(paths);
  });

  it('are found by the end of their path, not by a part of a name', () => {
    expect(namedFiles('redis/cache.ts', FILES)).toEqual(['src/redis/cache.ts']);
    expect(namedFiles('ache.ts', FILES)).toEqual([]);
  });

  it('are found by words, the rare ones first, in any language and style', () => {
    expect(filesByWords('the redis cache', FILES, 3)[0]).toMatch(/redis\/cache/);
    expect(filesByWords('poolSize', ['src/pool_size.py', 'src/x.py'], 3)).toEqual(['src/pool_size.py']);
    expect(filesByWords('결제를 고쳐줘', ['src/결제.ts', 'src/x.ts'], 3)).toEqual(['src/결제.ts']);
    expect(filesByWords('결제', ['src/결제.ts'.normalize('NFD')], 3)).toHaveLength(1);
    expect(filesByWords('policies', ['src/policy.ts', 'src/x.ts'], 3)).toEqual(['src/policy.ts']);
    expect(filesByWords('', FILES, 3)).toEqual([]);
  });

  it.each([
    ['src/cache.ts', 'src/cache.test.ts'],
    ['src/cache.ts', 'src/__tests__/cache.ts'],
    ['pkg/cache.go', 'pkg/cache_test.go'],
    ['lib/cache.py', 'tests/test_cache.py'],
    ['src/main/Cache.java', 'src/test/CacheTest.java'],
    ['app/cache.rb', 'spec/cache_spec.rb'],
  ])('%s is tested by %s', (source, test) => {
    expect(isTest(test)).toBe(true);
    expect(isTest(source)).toBe(false);
    expect(testsOf([source], [source, test, 'test/other.test.ts'], 5)).toEqual([test]);
  });

  it.each([
    ['fix `run` and createPool, snake_case and UseZod', ['run', 'createPool', 'snake_case', 'UseZod']],
    ['only plain words here', []],
  ])('%s names the code %j', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it('stop being looked up when the call is cancelled', async () => {
    const never: Code = { ...CODE, symbolsIn: () => new Promise(() => {}) };
    const aborted = AbortSignal.abort(new Error('cancelled'));
    await expect(callersOf('x', ['a.ts'], never, aborted)).rejects.toThrow();
  });
});

describe('a path in a task', () => {
  const PATHS = ['src/billing/invoice.ts', 'src\\billing\\invoice.ts', 'invoice.ts:12'];

  it.each(PATHS)('finds what is about it, not what names other files: %s', async (path) => {
    const { call } = withFiles(['src/billing/invoice.ts', 'src/billing/tax.ts']);
    for (let at = 0; at < 58; at++)
      await call('memory_remember', {
        ...{ category: 'knowledge', key: `note-${at}`, content: `Part ${at} lives in src/part${at}/main.ts` },
        file: `src/part${at}/main.ts`,
      });
    await call('memory_remember', {
      ...{ category: 'bug', key: 'half-even', content: 'Round half to even', file: 'src/billing/invoice.ts' },
    });
    await call('memory_remember', {
      category: 'warning',
      key: 'cents',
      content: 'Invoice sums are in cents',
    });
    const { data } = await call('context_focus', { task: `fix rounding in ${path}` });
    const { memories } = data as { memories: { key: string }[] };
    expect(memories.map(({ key }) => key).sort()).toEqual(['cents', 'half-even']);
  });

  it('is the same with the folder before it', async () => {
    const { call, folder } = withFiles();
    const { text } = await call('context_focus', { task: `look at ${folder}/src/ui/cache.ts:3` });
    expect(listed(text, 'Source files')[0]).toBe('src/ui/cache.ts');
    expect(text).not.toContain(folder);
  });

  it.each([
    ['src/billing/invoice.ts', 'billing invoice'],
    ['packages/server/src/a-b.test.ts:3-9', 'server a-b.test'],
    ['README.md and Node.js', 'README and Node.js'],
    ['src/.env', 'src/.env'],
    ['own.js', 'own'],
    ['v1.2.3 of e.g. that', 'v1.2.3 of e.g. that'],
  ])('is read as what it says: %s', (text, words) => {
    expect(withPathsAsWords(text, ['lib/own.js'])).toBe(words);
  });
});
