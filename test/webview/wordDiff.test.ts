import { describe, expect, it } from 'vitest';
import { wordDiff } from '../../webview/kit/word-diff.ts';

const told = (before: string, after: string) =>
  wordDiff(before, after)
    .map(({ kind, text }) => ({ same: text, added: `{+${text}+}`, removed: `[-${text}-]` })[kind])
    .join('');

describe('a comparison of two texts', () => {
  it.each([
    ['', '', ''],
    ['', 'a', '{+a+}'],
    ['a', '', '[-a-]'],
    ['one two', 'one two', 'one two'],
    ['at most five times', 'at most ten times', 'at most [-five-]{+ten+} times'],
    ['재시도는 다섯 번까지', '재시도는 열 번까지', '재시도는 [-다섯-]{+열+} 번까지'],
    ['three times', 'with backoff', '[-three times-]{+with backoff+}'],
  ])('shows what makes %j of the first %j', (before, after, shown) => {
    expect(told(before, after)).toBe(shown);
  });

  it('holds both texts, whatever they are', () => {
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const text = () =>
      Array.from({ length: next(14) }, () => ['a', 'b', ' ', '\n', '.', '가', '😀', '\ud800'][next(8)]).join(
        '',
      );
    for (let round = 0; round < 3_000; round++) {
      const [before, after] = [text(), text()];
      const pieces = wordDiff(before, after);
      const without = (kind: string) =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map((piece) => piece.text)
          .join('');
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }
  });

  it('compares lines where nearly every word differs, and gives up on what has nothing in common', () => {
    const words = (name: string) => Array.from({ length: 900 }, (_, at) => `${name}${at}`).join(' ');
    const pieces = wordDiff(`kept line\n${words('a')}`, `kept line\n${words('b')}`);
    expect(pieces.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added']);
    expect(pieces[0]?.text).toBe('kept line\n');
    const lines = (name: string) => Array.from({ length: 900 }, (_, at) => `${name}${at}\n`).join('');
    expect(wordDiff(lines('a'), lines('b'))).toHaveLength(2);
  });
});
