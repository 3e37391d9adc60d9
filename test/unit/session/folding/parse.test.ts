import { describe, expect, it } from 'vitest';
import { COMPRESS_SPEC } from '../../../../src/session/folding/foldTools.ts';
import { parseFoldInput, repairedInput } from '../../../../src/session/folding/parse.ts';
import { askModel } from '../../../../src/session/modelAnswer.ts';
import { Conversation, SUMMARY } from './kit.ts';

const RANGE = { startId: 'm1', endId: 'm2', summary: 's' };
const item = JSON.stringify(RANGE);

describe('what a model wrote', () => {
  it('is taken out of a fence, with commas too many (N-NO-02)', () => {
    const written = '```json\n{"content":[{"startId":"m1","endId":"m2","summary":"s",},],}\n```';
    expect(parseFoldInput(written)).toMatchObject({ kind: 'ok', ranges: [RANGE], isCut: false });
  });

  it('counts as far as its items are whole, with a reason for each that is not (N-NO-04)', () => {
    const content = [{ ...RANGE, summary: 'good' }, { startId: 'm3' }, { summary: 'no refs' }];
    const parsed = parseFoldInput(JSON.stringify({ content }));
    if (parsed.kind !== 'ok') return expect.unreachable();
    expect(parsed.ranges).toHaveLength(1);
    expect(parsed.invalid).toHaveLength(2);
    expect(parsed.invalid.map(({ reason }) => reason)).toEqual([
      'lacks endId, summary',
      'lacks startId, endId',
    ]);
  });

  it.each([
    ['', 'empty-input'],
    ['   ', 'empty-input'],
    ['null', 'empty-input'],
    ['{"topic":"auth"}', 'missing-content'],
    ['{"content":[{"startId":"m1"}]}', 'no-valid-ranges'],
    ['not json at all', 'malformed-json'],
  ])('%j is %s (N-NO-05)', (written, kind) => {
    expect(parseFoldInput(written).kind).toBe(kind);
  });

  it.each([
    [null, 'empty-input'],
    [undefined, 'empty-input'],
    ['```json\n```', 'empty-input'],
    ['{"content":[]}', 'no-valid-ranges'],
    ['{"content": what?}', 'malformed-json'],
    ['7', 'not-object'],
    ['{"content":7}', 'content-not-array'],
    ['{"content":[{"startId":"m1","endId":"m2","summary":"half', 'truncated'],
    ['{"content":[{"startId":"m1"', 'truncated'],
  ])('%j is %s', (written, kind) => {
    expect(parseFoldInput(written).kind).toBe(kind);
  });

  it.each([
    ['a raw line feed', '{"content":[{"startId":"m1","endId":"m2","summary":"one\ntwo"}]}', 'one\ntwo'],
    ['a text in a text', JSON.stringify(JSON.stringify({ content: [RANGE] })), 's'],
    ['a list as a text', { content: `[${item}]` }, 's'],
    ['an item as a text', { content: [item] }, 's'],
    ['an item without a list', { content: RANGE }, 's'],
    ['the list alone', [RANGE], 's'],
    ['words around it', `Here it is: {"content":[${item}]} as you wished`, 's'],
    ['brackets that are missing', `{"content":[${item.slice(0, -1)}`, 's'],
    [
      'a fence within',
      `{"content":[${JSON.stringify({ ...RANGE, summary: 'a ```js\nb``` c' })},]}`,
      'a ```js\nb``` c',
    ],
  ])('is understood with %s', (_, written, summary) => {
    expect(parseFoldInput(written)).toMatchObject({ kind: 'ok', ranges: [{ ...RANGE, summary }] });
  });

  it('that broke off counts as far as its items are whole', () => {
    const parsed = parseFoldInput(`{"content":[${item},${item},{"startId":"m5","endId":"m6","summary":"hal`);
    expect(parsed).toMatchObject({ kind: 'ok', isCut: true, ranges: [RANGE, RANGE] });
  });

  it('is read in a time that grows with its length', () => {
    const many = `{"content":[${`${item},`.repeat(20_000)}`;
    expect(parseFoldInput(many)).toMatchObject({ kind: 'ok', isCut: true });
    expect(parseFoldInput('['.repeat(200_000)).kind).toBe('truncated');
    expect(parseFoldInput(`{"content":"${'\\"'.repeat(200_000)}`).kind).toBe('truncated');
  });

  it('never throws, whatever it is', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '\\',
      '\n',
      'a',
      '1',
      'content',
      item,
      '```',
      '\ud800',
      'null',
    ];
    let state = 7;
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state;
    };
    for (let at = 0; at < 20_000; at++) {
      const text = Array.from({ length: next() % 12 }, () => parts[next() % parts.length]).join('');
      expect(typeof parseFoldInput(text).kind).toBe('string');
    }
  });
});

describe('arguments that are no JSON', () => {
  it('are recorded as what was understood, so that the fold can be made again', async () => {
    const written = `{"content":[{"startId":"m2","endId":"m13","summary":${JSON.stringify(SUMMARY)},},]`;
    const model = {
      name: 'x',
      async *send() {
        yield { type: 'tool_use', id: 'a', name: 'Compress', input: undefined, raw: written } as const;
      },
    };
    const request = { system: '', messages: [], tools: [COMPRESS_SPEC] };
    const { calls } = await askModel(model, request, new AbortController().signal, new Set(), {
      onText: () => {},
    });
    const [call] = calls;
    expect(call?.problem).toBeUndefined();
    expect(call?.block.input).toEqual(repairedInput(written));
    const talk = new Conversation().user('Go.');
    for (let at = 0; at < 12; at++) talk.read(4_000);
    expect(talk.compress(call?.block.input ?? null)).toMatch(/^b1\(T1\)=m00002\.\.m00013/);
    expect(talk.folds.folded).toHaveLength(1);
    expect(repairedInput('no json')).toBeUndefined();
  });
});
