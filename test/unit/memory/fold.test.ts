import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryLog } from '../../../src/memory/fold.ts';
import type { PutOperation, Stamped, TextMode } from '../../../src/memory/operation.ts';

const by = { actor: 'agent', source: 'copilot', session: 's', branch: 'main' } as const;

function put(number: number, writer: string, change: Partial<PutOperation>): Stamped<PutOperation> {
  return {
    stamp: String(number).padStart(6, '0'),
    writer,
    operation: { op: 'put', key: 'k', at: number, by, ...change },
  };
}

function foldOf(operations: readonly Stamped[]) {
  const log = new EntryLog('PUBLIC', 'k', 'aaaaaaaa');
  for (const operation of operations) log.add(operation);
  return log.entry();
}

const word = fc.constantFrom('a', 'b', 'c', 'd');
const anyPut = fc.record({
  number: fc.nat(20),
  writer: fc.constantFrom('w1', 'w2', 'w3'),
  text: fc.option(fc.record({ value: word, mode: fc.constantFrom<TextMode>('create', 'keep', 'replace') }), {
    nil: undefined,
  }),
  add: fc.array(word, { maxLength: 3 }),
  remove: fc.array(word, { maxLength: 3 }),
  pinned: fc.boolean(),
});

describe('folding the operations of one entry', () => {
  it('gives the same entry in whatever order operations arrive', () => {
    fc.assert(
      fc.property(
        fc.array(anyPut, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (drafts, order) => {
          const unique = [
            ...new Map(drafts.map((draft) => [`${draft.number}-${draft.writer}`, draft])).values(),
          ];
          const operations = unique.map(({ number, writer, text, add, remove, pinned }) =>
            put(number, writer, {
              ...(text === undefined ? {} : { text }),
              tags: { add, remove },
              set: { pinned },
            }),
          );
          const shuffled = operations
            .map((operation) => ({ operation, place: order.next().value as number }))
            .sort((a, b) => a.place - b.place)
            .map(({ operation }) => operation);
          expect(foldOf(shuffled)).toEqual(foldOf(operations));
        },
      ),
    );
  });

  it('keeps every distinct text, as the content or as a revision', () => {
    fc.assert(
      fc.property(fc.array(anyPut, { minLength: 1, maxLength: 12 }), (drafts) => {
        const operations = drafts.map(({ text }, number) =>
          put(number, 'w', text === undefined ? {} : { text }),
        );
        const texts = new Set(drafts.flatMap(({ text }) => (text === undefined ? [] : [text.value])));
        const entry = foldOf(operations);
        const kept = new Set([entry?.content ?? '', ...(entry?.revisions ?? []).map(({ text }) => text)]);
        for (const text of texts) expect(kept).toContain(text);
      }),
    );
  });

  it('keeps the first content and shows later texts with it, until one replaces it', () => {
    const first = put(1, 'w', { text: { value: 'first', mode: 'create' } });
    const second = put(2, 'w', { text: { value: 'second', mode: 'keep' } });
    const third = put(3, 'w', { text: { value: 'third', mode: 'replace' } });
    const kept = foldOf([first, second]);
    expect(kept?.content).toBe('first');
    expect(kept?.revisions).toMatchObject([{ text: 'second', addition: true }]);
    const replaced = foldOf([first, second, third]);
    expect(replaced?.content).toBe('third');
    expect(replaced?.revisions).toMatchObject([
      { text: 'second', addition: false },
      { text: 'first', addition: false },
    ]);
  });

  it('loses neither text when two processes create the same key at once', () => {
    const entry = foldOf([
      put(1, 'w1', { text: { value: 'mine', mode: 'create' } }),
      put(1, 'w2', { text: { value: 'theirs', mode: 'create' } }),
    ]);
    expect(entry?.content).toBe('mine');
    expect(entry?.revisions.map(({ text }) => text)).toEqual(['theirs']);
  });

  it('voids what came before a hard delete, also what arrives after it, and nothing that came later', () => {
    const log = new EntryLog('PUBLIC', 'k', 'aaaaaaaa');
    log.add(put(1, 'w', { text: { value: 'secret', mode: 'create' } }));
    log.add({
      stamp: '000003',
      writer: 'w',
      operation: { op: 'erase', entry: 'aaaaaaaa', at: 3, by, reason: '' },
    });
    expect(log.entry()).toBeUndefined();
    expect(log.add(put(2, 'late', { text: { value: 'secret again', mode: 'keep' } }))).toBe(true);
    expect(log.entry()).toBeUndefined();
    log.add(put(4, 'w', { text: { value: 'new life', mode: 'create' } }));
    expect(log.entry()).toMatchObject({ content: 'new life', revisions: [] });
  });
});
