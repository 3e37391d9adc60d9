import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { JournalWriteError } from '../../../src/journal/errors.ts';
import { MemoryStore } from '../../../src/memory/store.ts';
import { StoreError } from '../../../src/worker/api.ts';
import { openStore } from '../../../src/worker/openStore.ts';
import { bytesUnder } from '../support/files.ts';
import { AGENT, openTestStore, openTestTools, PERSON, START, temporaryFolder } from '../support/folder.ts';

// Every save waits for the disk, which other work may keep busy.
vi.setConfig({ testTimeout: 30_000 });

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' } as const;
const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;
const everything = { query: '', filter: {}, limit: 1_000, count: false };
const page = { filter: {}, sort: 'updated', descending: true, offset: 0, limit: 100 } as const;
const keysOf = async (store: ReturnType<typeof openTestStore>) =>
  (await store.recall(everything, AGENT)).results.map(({ entry }) => entry.key).sort();

describe('two processes in one folder', () => {
  it('agree on what was saved, forgotten and deleted at the same time', async () => {
    const folder = temporaryFolder();
    const one = openTestStore(folder);
    const two = openTestStore(folder);
    await one.remember(zod, AGENT);
    await Promise.all([
      one.forget({ target: 'use-zod', action: 'soft' }, AGENT),
      two.remember({ ...zod, content: 'Use Zod 4' }, AGENT),
      two.remember({ ...zod, key: 'other' }, AGENT),
      one.forget({ target: 'use-zod', action: 'hard' }, PERSON),
      two.remember({ ...zod, key: 'third' }, AGENT),
    ]);
    expect(await keysOf(one)).toEqual(await keysOf(two));
    expect(await keysOf(one)).toEqual(expect.arrayContaining(['other', 'third']));
    const three = openTestStore(folder);
    expect(await three.exportAll(AGENT)).toEqual(await one.exportAll(AGENT));
    expect(await two.exportAll(AGENT)).toEqual(await one.exportAll(AGENT));
  });

  it('lose nothing that is saved after everything was deleted', async () => {
    const folder = temporaryFolder();
    const one = openTestStore(folder);
    const two = openTestStore(folder);
    for (let at = 0; at < 20; at++) await (at % 2 ? one : two).remember({ ...zod, key: `k-${at}` }, AGENT);
    const during = [0, 1, 2, 3].map((at) => two.remember({ ...zod, key: `late-${at}` }, AGENT));
    const erased = one.eraseAll(PERSON);
    await Promise.all([...during, erased]);
    await two.remember({ ...zod, key: 'after' }, AGENT);
    expect(await keysOf(one)).toContain('after');
    expect(await keysOf(two)).toEqual(await keysOf(one));
    for (const key of await keysOf(one)) expect(key).toMatch(/^(late-\d|after)$/);
  });

  it('leave nothing of a deleted entry on disk, whichever of them writes last', async () => {
    const folder = temporaryFolder();
    const one = openTestStore(folder);
    const two = openTestStore(folder);
    await one.remember({ ...zod, key: 'erased-key', tags: ['erased-tag'], file: 'erased-file.ts' }, AGENT);
    await one.remember({ ...zod, key: 'stays' }, AGENT);
    await two.browse(page, AGENT);
    await one.browse(page, AGENT);
    await one.forget({ target: 'erased-key', action: 'hard' }, PERSON);
    await two.close();
    await one.close();
    // The journal keeps the key alone, as the tombstone that the deletion is audited by.
    expect(bytesUnder(folder).match(/erased-(tag|file)\w*/g)).toBeNull();
    rmSync(join(folder, 'store', 'memory', 'journal'), { recursive: true });
    expect(bytesUnder(folder).match(/erased-\w+/g)).toBeNull();
  });

  it('read without writing: a reader cannot undo a writer', async () => {
    const folder = temporaryFolder();
    const one = openTestTools(folder);
    await one.call('memory_remember', zod);
    const two = openTestTools(folder);
    const before = bytesUnder(join(folder, 'store', 'memory', 'journal'));
    for (const [tool, input] of [
      ['memory_recall', { query: 'zod' }],
      ['memory_suggest', { context: 'zod' }],
      ['memory_stats', {}],
      ['memory_diff', { since: '7d' }],
      ['context_brief', {}],
      ['memory_summary', { action: 'get' }],
    ] as const)
      await two.call(tool, input);
    await two.store.tidy();
    expect(bytesUnder(join(folder, 'store', 'memory', 'journal')) === before).toBe(true);
  });
});

describe('a store whose folder goes away while it is open', () => {
  it('says nothing is there, and saves again', async () => {
    const { call, store, folder } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_browse', {}, person);
    rmSync(join(folder, 'store'), { recursive: true });
    expect((await call('memory_recall', { query: 'zod' })).text).toMatch(/^No results/);
    expect((await call('memory_browse', {}, person)).data).toMatchObject({ total: 0 });
    expect((await call('memory_remember', { ...zod, key: 'new' })).isError).toBe(false);
    await store.tidy();
    expect((await openTestTools(folder).call('memory_recall', {})).text).toContain('new');
  });

  it('says that nothing was saved when it cannot be made again', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', zod);
    rmSync(join(folder, 'store'), { recursive: true });
    writeFileSync(join(folder, 'store'), 'a file in its place');
    const { isError, text } = await call('memory_remember', { ...zod, key: 'new' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^(Nothing was saved|Memory cannot be read): .*permissions/);
    expect(text).not.toMatch(/Nothing was saved: Nothing was saved/);
    for (const [tool, input] of [
      ['memory_recall', {}],
      ['memory_stats', {}],
    ] as const) {
      const outcome = await call(tool, input);
      expect(outcome.text, tool).toMatch(/^Memory cannot be read: .*permissions/);
    }
  });

  it('cannot be opened where it cannot be made, and says why', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'store'), 'a file in its place');
    expect(() => openTestStore(folder)).toThrow(/^Memory cannot be opened: E\w+: .*\. Check .*permissions/);
    expect(() => openTestStore(folder)).toThrow(StoreError);
  });

  it('leaves other folders alone: noticing changes and closing go on', async () => {
    const { call, store, folder } = openTestTools();
    await call('memory_remember', { category: 'bug', key: 'k', content: 'c' });
    rmSync(join(folder, 'store'), { recursive: true });
    writeFileSync(join(folder, 'store'), 'a file in its place');
    expect(store.poll()).toBe(false);
    await expect(store.close()).resolves.toBeUndefined();
  });

  it.each([
    ['Nothing was saved: ENOSPC: no space left on device, write', /^Nothing was saved: ENOSPC: [^.]+\. Free/],
    ['Not known to be saved: EIO: i/o error, fsync', /^Not known to be saved: EIO: [^.]+\. Free/],
    ['The journal is closed.', /^Nothing was saved: The journal is closed\. Free/],
  ])('says once, and truly, what happened: %s', async (message, said) => {
    const { call } = openTestTools();
    const write = vi.spyOn(MemoryStore.prototype, 'write').mockImplementation(() => {
      throw new JournalWriteError(message);
    });
    onTestFinished(() => write.mockRestore());
    expect((await call('memory_remember', zod)).text).toMatch(said);
  });

  it('says that a deletion is not finished when its text may still be on disk', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    const purge = vi.spyOn(MemoryStore.prototype, 'purge').mockImplementation(() => {
      throw new JournalWriteError('The store was not compacted: ENOSPC: no space left on device, write');
    });
    onTestFinished(() => purge.mockRestore());
    const { isError, text } = await call('memory_forget', { key: 'use-zod', action: 'hard' }, person);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Deleted, but .*not yet gone from disk: .*ENOSPC.*tried again/);
    expect((await call('memory_recall', {})).text).toContain('No memories yet');
  });

  it('opens the browser at the second try when the first one failed', async () => {
    const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');
    let tries = 0;
    const folder = temporaryFolder();
    const store = openStore(
      { dir: folder, keysDir: join(folder, 'keys'), defaultLevel: 'PUBLIC', vocabulary: {} },
      {
        now: () => START,
        wasm: async () => {
          if (tries++ === 0) throw new Error('not there yet');
          return readFileSync(wasm);
        },
      },
    );
    onTestFinished(() => store.close());
    await store.remember(zod, AGENT);
    await expect(store.browse(page, AGENT)).rejects.toThrow('not there yet');
    expect((await store.browse(page, AGENT)).total).toBe(1);
  });

  it('reads and answers when only the catalog cannot be written', async () => {
    const { call, store, folder } = openTestTools();
    await call('memory_remember', zod);
    mkdirSync(join(folder, 'store', 'memory', 'catalog.sqlite', 'x'), { recursive: true });
    expect((await call('memory_browse', {}, person)).data).toMatchObject({ total: 1 });
    await store.tidy();
    const outcome = await call('memory_forget', { key: 'use-zod', action: 'hard' }, person);
    expect(outcome).toMatchObject({ isError: false });
    expect((await call('memory_browse', {}, person)).data).toMatchObject({ total: 0 });
  });
});

describe('access counts', () => {
  const rows: [string, string][] = [
    ['nothing', ''],
    ['half a file', '[["a'],
    ['an object', '{"a":1}'],
    ['wrong rows', '[1,null,[],["a"],[1,2,3],["a","b","c"],[null,null,null]]'],
    ['wrong figures', '[["ID",-5,1],["ID",1.5,1],["ID",1e300,1],["ID",1,1e300],["ID",1,-1],["ID",3,null]]'],
    ['names of objects', '[["__proto__",3,1],["constructor",3,1]]'],
    ['bytes', '\u0000\uffff'],
  ];
  it.each(rows)('of %s are left out', async (_what, text) => {
    const folder = temporaryFolder();
    const first = openTestTools(folder);
    const saved = await first.call('memory_remember', zod);
    const id = /\((\w{8})\)/.exec(saved.text)?.[1] ?? '';
    const dir = join(folder, 'store', 'memory', 'access');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'broken.json'), text.replaceAll('ID', id));
    mkdirSync(join(dir, 'folder.json'));
    const second = openTestTools(folder);
    const [entry] = await second.store.fetch(['use-zod'], AGENT, false);
    expect(entry).toMatchObject({ used: 0, lastUsed: undefined });
    expect((await second.call('memory_recall', { query: 'zod', explain: true })).text).toContain('used 0×');
    await second.store.tidy();
  });
});

describe('keys of sealed entries', () => {
  const above = { ...AGENT, level: 'CONFIDENTIAL' } as const;

  it('that are gone hide what they sealed, say so, and never let it be written in the clear', async () => {
    const folder = temporaryFolder();
    const first = openTestStore(folder);
    await first.remember({ ...zod, content: 'sealed-one' }, above);
    await first.remember({ ...zod, key: 'public', content: 'plain-one' }, AGENT);
    await first.close();
    rmSync(join(folder, 'keys'), { recursive: true });
    const second = openTestStore(folder);
    expect(await keysOf(second)).toEqual(['public']);
    expect((await second.recall(everything, above)).results).toHaveLength(1);
    expect(await second.damage()).not.toEqual([]);
    await second.remember({ ...zod, content: 'sealed-two' }, above);
    await second.forget({ target: 'public', action: 'hard' }, PERSON);
    await second.close();
    expect(bytesUnder(join(folder, 'store')).match(/sealed-\w+|plain-one/g)).toBeNull();
  });

  it.each(['', 'short', 'g'.repeat(64), '0'.repeat(65)])(
    'given malformed are refused with what to do: %j',
    (key) => {
      expect(() => openTestStore(temporaryFolder(), { time: START }, { key })).toThrow(
        /^LODELINE_KEY: .*64 hexadecimal digits\..*Correct or unset it/,
      );
    },
  );

  it('that cannot be stored refuse the entry', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'keys'), 'a file in its place');
    const store = openTestStore(folder);
    await expect(store.remember(zod, above)).rejects.toThrow(/^Nothing was saved: /);
    await store.remember(zod, AGENT);
    expect(await keysOf(store)).toEqual(['use-zod']);
  });
});

describe('many entries', () => {
  it('are all there: none is archived behind one’s back, and no query matches them all', async () => {
    const { call } = openTestTools();
    for (let at = 0; at < 110; at++)
      await call('memory_remember', {
        ...zod,
        key: `note-${at}`,
        content: `Subject ${at} about the ${['queue', 'broker', 'token', 'pool'][at % 4]}`,
        importance: 'medium',
      });
    const all = (await call('memory_recall', { limit: 1_000 })).data as { results: unknown[] };
    expect(all.results).toHaveLength(110);
    for (const key of ['note-0', 'note-109'])
      expect((await call('memory_recall', { ids: key })).text).toContain(`[decision] ${key}`);
    const some = (await call('memory_recall', { query: 'ppol w10x', limit: 1_000 })).data;
    expect((some as { results: unknown[] }).results).toEqual([]);
  });
});
