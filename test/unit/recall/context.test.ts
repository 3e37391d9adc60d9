import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVELS, type Level } from '../../../src/policy/level.ts';
import { type RecallDocument, RecallIndex, type SearchOptions } from '../../../src/recall/recallIndex.ts';

function document(id: string, content: string, fields: Partial<RecallDocument> = {}): RecallDocument {
  const nothing = { category: '', tags: [], file: '', session: '', at: 0, links: [] };
  return { id, level: 'PUBLIC', key: id, content, ...nothing, ...fields };
}

function indexOf(...documents: RecallDocument[]): RecallIndex {
  const index = new RecallIndex();
  for (const each of documents) index.put(each);
  return index;
}

function find(index: RecallIndex, query: string, options: Partial<SearchOptions> = {}): string[] {
  return index.search(query, { level: 'PUBLIC', limit: 10, ...options }).map(({ id }) => id);
}

const filler = Array.from({ length: 20 }, (_, at) => document(`z${at}`, `other matter ${at}`));

describe('sessions', () => {
  const turns = [
    document('a', 'I painted the fence on sunday', { session: 's', at: 1 }),
    document('b', 'what colour was it then', { session: 's', at: 2 }),
    document('c', 'colour is a matter of taste', { session: 't', at: 1 }),
  ];

  it('lifts the entry beside a match over one that stands alone', () => {
    const index = indexOf(...turns, ...filler);
    expect(find(index, 'colour painted fence').slice(0, 3)).toEqual(['a', 'b', 'c']);
    const off = { previous: 0, next: 0, second: 0, session: 0 };
    expect(find(index, 'colour', { signals: off })).not.toEqual([]);
  });

  it('never returns what has none of the words', () => {
    const index = indexOf(...turns, document('d', 'silence', { session: 's', at: 3 }), ...filler);
    expect(find(index, 'painted fence')).toEqual(['a']);
  });
});

describe('links', () => {
  it('lift a match that is linked with a stronger one', () => {
    const linked = document('linked', 'the pool was raised', { links: ['cause'] });
    const alone = document('alone', 'the pool was raised');
    const cause = document('cause', 'redis timeout exhausted connections');
    const index = indexOf(alone, linked, cause, ...filler);
    expect(find(index, 'redis timeout pool').slice(0, 3)).toEqual(['cause', 'linked', 'alone']);
  });

  it('to nothing, to itself and in a circle do no harm', () => {
    const index = indexOf(
      document('a', 'redis', { links: ['a', 'gone', 'b'] }),
      document('b', 'redis', { links: ['a'] }),
    );
    expect(find(index, 'redis')).toEqual(['a', 'b']);
  });

  it('put the newer of two on one topic first', () => {
    const old = { tags: ['login'], at: 1 };
    const young = { tags: ['login'], at: 2, links: ['a'] };
    expect(
      find(indexOf(document('a', 'login tokens', old), document('b', 'login tokens', young)), 'login tokens'),
    ).toEqual(['b', 'a']);
  });
});

describe('what is linked and newer', () => {
  it('does not outdo an older one on another topic that matches more', () => {
    const config = document('config', 'redis cache layer for sessions', { tags: ['redis', 'cache'], at: 1 });
    const trap = document('trap', 'never flush the shared redis', {
      ...{ tags: ['redis'], at: 2, links: ['config'] },
    });
    const hits = indexOf(config, trap, ...filler).search('redis cache', { level: 'PUBLIC', limit: 2 });
    expect(hits.map(({ id }) => id)).toEqual(['config', 'trap']);
    expect(hits[0]?.marks).not.toContain('replaced');
  });
});

describe('what a query means', () => {
  it('reads the label that it names: who said it', () => {
    const index = indexOf(
      document('a', 'Mel: Caro likes painting'),
      document('b', 'Caro: Mel likes painting'),
      document('c', 'Caro: hello there'),
      document('d', 'Mel: hello there'),
    );
    expect(find(index, 'when did Caro like painting')[0]).toBe('b');
  });

  it('prefers the period that it names', () => {
    const text = 'login by tokens';
    const index = indexOf(
      document('p', text, { at: Date.UTC(2024, 0, 5) }),
      document('q', text, { at: Date.UTC(2024, 5, 5) }),
    );
    expect(find(index, 'login in June 2024')[0]).toBe('q');
    expect(find(index, 'login in January 2024')[0]).toBe('p');
  });

  it.each([
    ['despliegue', 'we deploy on tuesday'],
    ['배포 방식', 'we deploy on tuesday'],
    ['refund', '환불은 사흘 안에'],
    ['레디스', 'the redis pool'],
    ['決済', '결제 승인'],
  ])('finds another language by a synonym: %s', (query, content) => {
    expect(find(indexOf(document('a', content), ...filler), query)).toEqual(['a']);
  });

  it('ranks the word itself above its synonym', () => {
    const index = indexOf(document('a', 'rollout on friday'), document('b', 'deploy on friday'), ...filler);
    expect(find(index, 'deploy')).toEqual(['b', 'a']);
  });

  it.each([
    ['conection timeuot', 'connection timeout'],
    ['멱동키', '멱등키는 필수'],
    ['qovh', '배포는 화요일'],
    ['ㄱㄷ얀', 'redis pool'],
  ])('forgives typing: %s', (query, content) => {
    expect(find(indexOf(document('a', content), ...filler), query)).toEqual(['a']);
  });

  it('takes no word for a typing error that somebody wrote', () => {
    const index = indexOf(document('a', 'the pool'), document('b', 'the poll'), ...filler);
    expect(find(index, 'poll')).toEqual(['b']);
  });

  it('prefers a document with more of the words', () => {
    const index = indexOf(
      document('one', 'redis redis redis redis'),
      document('both', 'redis here and the quota there among many further words of no matter at all'),
      ...filler,
    );
    expect(find(index, 'redis quota')[0]).toBe('both');
  });
});

describe('levels', () => {
  const WORDS = ['redis', 'pool', 'Caro: login', 'deploy', '배포', 'conection', 'connection'];
  const change = fc.record({
    id: fc.integer({ min: 0, max: 15 }).map(String),
    level: fc.constantFrom(...LEVELS),
    content: fc
      .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
      .map((list) => list.join(' ')),
    session: fc.constantFrom('', 's', 't'),
    at: fc.integer({ min: 0, max: 5 }),
    links: fc.array(fc.integer({ min: 0, max: 15 }).map(String), { maxLength: 3 }),
    tags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
  });

  it('sessions, links, labels and spellings above the reader change no byte of a result', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.constantFrom(...LEVELS), (changes, reader) => {
        const visible = LEVELS.slice(0, LEVELS.indexOf(reader) + 1);
        const all = changes.map(({ id, level, content, ...fields }) =>
          document(`${level}-${id}`, content, { level, ...fields, key: id }),
        );
        const results = (index: RecallIndex, level: Level) =>
          JSON.stringify(
            [...WORDS, 'conneciton', 'who is Caro', 'deplyo'].map((query) =>
              index.search(query, { level, limit: 50 }),
            ),
          );
        const below = indexOf(...all.filter(({ level }) => visible.includes(level)));
        expect(results(indexOf(...all), reader)).toBe(results(below, reader));
      }),
      { seed: 6, numRuns: 150 },
    );
  });
});

describe('what was not written as it is', () => {
  const index = indexOf(
    document('pool', 'connection pooling in the gateway'),
    document('hook', 'the webhook is signed'),
    document('login', '로그인이 풀린다'),
    document('quota', 'their quota is abort only'),
    ...Array.from({ length: 12 }, (_, at) => document(`c${at}`, `kubernetes matter ${at}`)),
    ...filler,
  );

  it.each([
    ['connetcion', 'pool'],
    ['web hook', 'hook'],
    ['로그 인', 'login'],
    ['gatewya', 'pool'],
  ])('is found all the same: %s', (query, id) => {
    expect(find(index, query)[0]).toBe(id);
    expect(index.search(query, { level: 'PUBLIC', limit: 1 })[0]?.marks).toContain('spelling');
  });

  it.each(['thier', 'abuot', 'becuase', 'whcih'])(
    'is no guess when it is a swapped stop word: %s',
    (query) => {
      expect(find(index, query)).toEqual([]);
    },
  );

  it('is no guess at a word that many documents have', () => {
    expect(find(index, 'kuberntes')).toEqual([]);
  });

  it('gives no false reason: a word with another particle is the word', () => {
    const other = indexOf(document('a', '금요일에 배포한다'), ...filler);
    expect(other.search('금요일은', { level: 'PUBLIC', limit: 1 })).toMatchObject([{ id: 'a', marks: [] }]);
  });
});
