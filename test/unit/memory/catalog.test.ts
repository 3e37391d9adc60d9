import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES, type EntryFilter } from '../../../src/memory/entry.ts';
import { LEVELS } from '../../../src/policy/level.ts';
import { AGENT, DAY, openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

const word = fc.constantFrom('a', 'b', 'c', "it's", '"x"', '%', 'a_b');
const path = fc.constantFrom('', 'src/a.ts', 'src/deep/b.ts:12', 'docs/readme.md', 'src/[x]/(y).ts');
const draft = fc.record({
  key: word,
  category: fc.constantFrom(...CATEGORIES),
  level: fc.constantFrom(...LEVELS),
  tags: fc.array(word, { maxLength: 3 }),
  file: path,
  age: fc.nat(10),
  forgotten: fc.boolean(),
  pinned: fc.boolean(),
});
const anyFilter = fc.record({
  category: fc.option(fc.constantFrom(...CATEGORIES), { nil: undefined }),
  tags: fc.option(fc.array(word, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  from: fc.option(
    fc.nat(10).map((days) => START + days * DAY),
    { nil: undefined },
  ),
  to: fc.option(
    fc.nat(10).map((days) => START + days * DAY),
    { nil: undefined },
  ),
  pathScope: fc.option(fc.constantFrom('src', 'src/**/*.ts', '*.md', 'src/[x]', '**/b.ts', "x' OR 1=1 --"), {
    nil: undefined,
  }),
  status: fc.option(fc.constantFrom('active' as const, 'forgotten' as const), { nil: undefined }),
  pinned: fc.option(fc.boolean(), { nil: undefined }),
  confirmed: fc.option(fc.boolean(), { nil: undefined }),
  level: fc.option(fc.constantFrom(...LEVELS), { nil: undefined }),
});

const everything = { sort: 'updated', descending: true, offset: 0, limit: 200 } as const;

describe('the catalog', () => {
  it('selects exactly what recall without a query selects, for every filter and reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { maxLength: 12 }),
        fc.array(fc.tuple(anyFilter, fc.constantFrom(...LEVELS)), { minLength: 3, maxLength: 6 }),
        async (drafts, queries) => {
          const clock = { time: START };
          const store = openTestStore(temporaryFolder(), clock);
          for (const { key, category, level, tags, file, age, forgotten, pinned } of drafts) {
            clock.time = START + age * DAY;
            const author = { ...AGENT, level };
            await store.remember({ key, category, content: `about ${key}`, tags, file }, author);
            if (pinned) await store.edit(key, { pinned }, author);
            if (forgotten) await store.forget({ target: key, action: 'soft' }, author);
          }
          for (const [filter, level] of queries) {
            const recalled = await store.recall(
              { query: '', filter: filter as EntryFilter, limit: 1000, count: false },
              { level },
            );
            const browsed = await store.browse({ ...everything, filter: filter as EntryFilter }, { level });
            expect(browsed.entries.map(({ id }) => id).sort()).toEqual(
              recalled.results.map(({ entry }) => entry.id).sort(),
            );
            expect(browsed.total).toBe(recalled.total);
          }
        },
      ),
      { numRuns: 40, seed: 20260712 },
    );
  });

  it('pages without repeating or leaving out an entry', async () => {
    const store = openTestStore(temporaryFolder());
    for (let number = 0; number < 25; number++) {
      await store.remember({ key: `k${number}`, category: 'knowledge', content: 'same' }, AGENT);
    }
    const seen: string[] = [];
    for (let offset = 0; offset < 25; offset += 10) {
      const { entries, total } = await store.browse({ ...everything, offset, limit: 10, filter: {} }, PERSON);
      expect(total).toBe(25);
      seen.push(...entries.map(({ key }) => key));
    }
    expect(new Set(seen).size).toBe(25);
  });

  it.each([
    ['is missing', () => undefined],
    ['is cut short', (file: string) => truncateSync(file, 1000)],
    ['is something else', (file: string) => writeFileSync(file, 'not a database')],
    [
      'has a byte changed in the middle',
      (file: string) => {
        const bytes = readFileSync(file);
        bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 512);
        writeFileSync(file, bytes);
      },
    ],
  ])('is rebuilt when its file %s', async (_how, harm) => {
    const folder = temporaryFolder();
    const first = openTestStore(folder);
    await first.remember({ key: 'k', category: 'knowledge', content: 'kept' }, AGENT);
    await first.browse({ ...everything, filter: {} }, AGENT);
    await first.close();
    harm(join(folder, 'store', 'memory', 'catalog.sqlite'));
    const again = openTestStore(folder);
    expect((await again.browse({ ...everything, filter: {} }, AGENT)).entries).toMatchObject([{ key: 'k' }]);
  });

  it('is not used when it reflects another state of the journal', async () => {
    const folder = temporaryFolder();
    const first = openTestStore(folder);
    await first.remember({ key: 'k', category: 'knowledge', content: 'kept' }, AGENT);
    await first.browse({ ...everything, filter: {} }, AGENT);
    await first.close();
    const second = openTestStore(folder);
    await second.remember({ key: 'later', category: 'knowledge', content: 'kept too' }, AGENT);
    const third = openTestStore(folder);
    expect((await third.browse({ ...everything, filter: {} }, AGENT)).total).toBe(2);
  });

  it('keeps rows of sealed levels and erased keys out of its file', async () => {
    const folder = temporaryFolder();
    const store = openTestStore(folder);
    const secret = { ...AGENT, level: 'CONFIDENTIAL' as const };
    await store.remember(
      { key: 'merger-plan', category: 'knowledge', content: 'x', tags: ['acquisition'] },
      secret,
    );
    await store.remember({ key: 'erase-me', category: 'knowledge', content: 'y' }, PERSON);
    await store.remember({ key: 'ordinary', category: 'knowledge', content: 'z' }, AGENT);
    await store.browse({ ...everything, filter: {} }, secret);
    await store.tidy();
    const file = join(folder, 'store', 'memory', 'catalog.sqlite');
    expect(readFileSync(file).includes('erase-me')).toBe(true);
    await store.forget({ target: 'erase-me', action: 'hard' }, PERSON);
    await store.browse({ ...everything, filter: {} }, secret);
    await store.tidy();
    const bytes = readFileSync(file);
    expect(bytes.includes('ordinary')).toBe(true);
    for (const hidden of ['merger-plan', 'acquisition', 'erase-me'])
      expect(bytes.includes(hidden)).toBe(false);
    const again = openTestStore(folder);
    expect((await again.browse({ ...everything, filter: {} }, secret)).total).toBe(2);
  });
});
