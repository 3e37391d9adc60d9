import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVELS, type Level } from '../../../src/policy/level.ts';
import { type RecallDocument, RecallIndex } from '../../../src/recall/recallIndex.ts';

function document(id: string, fields: Partial<RecallDocument> = {}): RecallDocument {
  const nothing = { key: '', category: '', content: '', tags: [], file: '', session: '', at: 0 };
  return { id, level: 'PUBLIC', ...nothing, ...fields };
}

function indexOf(...documents: RecallDocument[]): RecallIndex {
  const index = new RecallIndex();
  for (const each of documents) index.put(each);
  return index;
}

function find(index: RecallIndex, query: string, level: Level = 'PUBLIC', limit = 10): string[] {
  return index.search(query, { level, limit }).map(({ id }) => id);
}

describe('search', () => {
  it('orders by relevance: 1 for the best, terms as matched', () => {
    const index = indexOf(
      document('pool', {
        key: 'redis-pool-fix',
        content: 'Added max_connections=20',
        tags: ['redis', 'fix'],
      }),
      document('cache', { key: 'cache', content: 'The cache layer in front of the database uses redis' }),
      document('other', { key: 'use-zod', content: 'Use Zod for validation' }),
    );
    const hits = index.search('redis pools', { level: 'PUBLIC', limit: 10 });
    expect(hits.map(({ id }) => id)).toEqual(['pool', 'cache']);
    expect(hits[0]).toMatchObject({ relevance: 1, terms: ['pool', 'redi'] });
    expect(hits[1]?.relevance).toBeGreaterThan(0);
    expect(hits[1]?.relevance).toBeLessThan(1);
    expect(hits[1]?.terms).toEqual(['redi']);
  });

  it('finds an identifier whole and by its parts', () => {
    const index = indexOf(
      document('a', { content: 'call useZodSchema first' }),
      document('b', { content: 'schema' }),
    );
    expect(find(index, 'useZodSchema')[0]).toBe('a');
    expect(find(index, 'zod')).toEqual(['a']);
  });

  it('searches file, tags and category too', () => {
    const index = indexOf(
      document('f', { file: 'src/auth/token.ts' }),
      document('t', { tags: ['webhook'] }),
      document('c', { category: 'decision' }),
    );
    expect(find(index, 'token.ts')).toEqual(['f']);
    expect(find(index, 'webhooks')).toEqual(['t']);
    expect(find(index, 'decisions')).toEqual(['c']);
  });

  it('weighs the key above the content', () => {
    const index = indexOf(
      document('a', { key: 'notes', content: 'deploy window friday' }),
      document('b', { key: 'deploy', content: 'notes window friday' }),
    );
    expect(find(index, 'deploy')).toEqual(['b', 'a']);
  });

  it('breaks ties by id and honours the limit', () => {
    const index = indexOf(...['c', 'a', 'b'].map((id) => document(id, { content: 'same text' })));
    expect(find(index, 'text')).toEqual(['a', 'b', 'c']);
    expect(find(index, 'text', 'PUBLIC', 2)).toEqual(['a', 'b']);
    expect(find(index, 'text', 'PUBLIC', 0)).toEqual([]);
  });

  it('filters before the limit, and relevance is among what passes', () => {
    const index = indexOf(...['a', 'b', 'c'].map((id) => document(id, { content: 'same text' })));
    const hits = index.search('text', { level: 'PUBLIC', limit: 1, accept: (id) => id === 'c' });
    expect(hits).toMatchObject([{ id: 'c', relevance: 1 }]);
  });

  it('forgets on clear', () => {
    const index = indexOf(document('a', { content: 'text' }));
    index.clear();
    expect(index.size).toBe(0);
    expect(find(index, 'text')).toEqual([]);
  });
});

describe('search: Korean', () => {
  const index = indexOf(
    document('role', { content: '사용자 역할은 개발자' }),
    document('redis', { content: '캐시는 레디스 서버에 둔다' }),
  );

  it('finds a word whatever its particle (T-FT-07)', () => {
    for (const query of ['역할은', '역할', '역할을']) expect(find(index, query)).toEqual(['role']);
    expect(find(index, '레디스를')).toEqual(['redis']);
  });

  it('finds a word inside a compound written without spaces', () => {
    expect(find(indexOf(document('a', { content: '상태관리' })), '상태 관리')).toEqual(['a']);
  });

  it('finds composed text by decomposed text and the reverse', () => {
    expect(find(index, '역할'.normalize('NFD'))).toEqual(['role']);
    expect(find(indexOf(document('a', { content: '레디스'.normalize('NFD') })), '레디스')).toEqual(['a']);
  });

  it('ranks the word above another that only shares a pair with it', () => {
    const words = indexOf(
      document('a', { content: '개발자 회의' }),
      document('b', { content: '개발비 회의' }),
    );
    expect(find(words, '개발자')).toEqual(['a', 'b']);
  });
});

describe('search: no query is an error or an operator', () => {
  it.each([
    ['user-name', 1],
    ["what's", 0],
    ['C++', 1],
    ['a:b', 0],
    ['-foo', 1],
    ['foo AND', 1],
    ['"unterminated', 0],
    ['NEAR(', 0],
    ['*', 0],
    ['', 0],
  ])('%j finds %d (T-FT-03)', (query, hits) => {
    const index = indexOf(document('a', { key: 'user-name', content: 'I write C++ and use foo:bar' }));
    expect(find(index, query)).toHaveLength(hits);
  });

  it('a query cannot reach the level (T-FT-04)', () => {
    const index = indexOf(
      document('a', { level: 'RESTRICTED', content: 'salaries' }),
      document('b', { content: 'lunch' }),
    );
    expect(find(index, 'classification:RESTRICTED')).toEqual([]);
    expect(find(index, 'level:RESTRICTED salaries')).toEqual([]);
  });

  it('finds any document by its own text, and nothing else breaks', () => {
    const nasty = fc.constantFrom(
      '"',
      '*',
      'NEAR(',
      ' AND ',
      '\0',
      '😀',
      '\ud83d',
      'C++',
      '<img onerror>',
      '](command:x)',
      '\u001b[31m',
    );
    const text = fc
      .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 20 })))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (content, query) => {
        const index = indexOf(
          document('a', { content: `${content} zebra` }),
          document('b', { content: query }),
        );
        expect(find(index, `${content} zebra`)).toContain('a');
        for (const hit of index.search(query, { level: 'PUBLIC', limit: 10 })) {
          expect(hit.score).toBeGreaterThan(0);
          expect(hit.terms.length).toBeGreaterThan(0);
        }
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  it('takes words and contents of 100 kB', () => {
    const long = 'x'.repeat(100_000);
    const index = indexOf(
      document('a', { content: long }),
      document('b', { content: 'word '.repeat(20_000) }),
    );
    expect(find(index, long)).toEqual(['a']);
    expect(find(index, 'word')).toEqual(['b']);
  });
});

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'useZod', '역할은', '레디스'];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((list) => list.join(' '));
const change = fc.record({
  id: fc.integer({ min: 0, max: 30 }).map(String),
  level: fc.constantFrom(...LEVELS),
  key: words,
  content: words,
  remove: fc.boolean(),
});

function everything(index: RecallIndex, level: Level) {
  return [...WORDS, WORDS.join(' ')].map((query) => index.search(query, { level, limit: 100 }));
}

describe('statistics', () => {
  // Enough changes that every partition is rewritten on the way.
  it('are those of an index built afresh, after any replacements and removals', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 500, maxLength: 900, size: 'max' }), (changes) => {
        const index = new RecallIndex();
        const expected = new Map<string, RecallDocument>();
        for (const { id, level, key, content, remove } of changes) {
          const next = document(id, { level, key, content });
          if (remove) {
            expect(index.remove(id)).toBe(expected.delete(id));
          } else {
            index.put(next);
            expected.set(id, next);
          }
        }
        expect(index.size).toBe(expected.size);
        const fresh = indexOf(...expected.values());
        for (const level of LEVELS) expect(everything(index, level)).toEqual(everything(fresh, level));
      }),
      { seed: 3, numRuns: 25 },
    );
  });
});

describe('levels', () => {
  it('nothing above the reader changes any byte of a result, before or after it is removed', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.constantFrom(...LEVELS), (changes, reader) => {
        const visible = LEVELS.slice(0, LEVELS.indexOf(reader) + 1);
        // Ids differ by level here: a replacement that lifts an entry out of sight is a visible change.
        const all = changes.map(({ id, level, key, content }) =>
          document(`${level}-${id}`, { level, key, content }),
        );
        const below = all.filter(({ level }) => visible.includes(level));
        const expected = JSON.stringify(everything(indexOf(...below), reader));
        const index = indexOf(...all);
        expect(JSON.stringify(everything(index, reader))).toBe(expected);
        for (const { id, level } of all) if (!visible.includes(level)) index.remove(id);
        expect(JSON.stringify(everything(index, reader))).toBe(expected);
      }),
      { seed: 4 },
    );
  });

  it('one public row is found among 200 restricted ones (T-FT-05)', () => {
    const hidden = Array.from({ length: 200 }, (_, at) =>
      document(`r${at}`, { level: 'RESTRICTED', content: 'x' }),
    );
    const index = indexOf(...hidden, document('public', { content: 'x' }));
    expect(find(index, 'x', 'PUBLIC')).toEqual(['public']);
    expect(find(index, 'x', 'RESTRICTED', 300)).toHaveLength(201);
  });

  it('replacing an entry moves it to its new level', () => {
    const index = indexOf(document('a', { content: 'text' }));
    index.put(document('a', { level: 'CONFIDENTIAL', content: 'text' }));
    expect(index.size).toBe(1);
    expect(find(index, 'text', 'INTERNAL')).toEqual([]);
    expect(find(index, 'text', 'CONFIDENTIAL')).toEqual(['a']);
  });
});
