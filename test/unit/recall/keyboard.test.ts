import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hangulFromKeys, keysFromHangul } from '../../../src/recall/keyboard.ts';

describe('Hangul typed with the Latin layout', () => {
  it.each([
    ['qovh', '배포'],
    ['fhfqor', '롤백'],
    ['gksrmf', '한글'],
    ['rkqt', '값'],
    ['ekfrdmf', '닭을'],
    ['dlTek', '있다'],
    ['rhksflwk', '관리자'],
  ])('%s is %s', (keys, text) => {
    expect(hangulFromKeys(keys)).toBe(text);
  });

  it.each(['redis', 'x', '', 'Ab1', 'ㄱ'])('%j is no Hangul', (keys) => {
    expect(hangulFromKeys(keys)).toBe('');
  });

  it('reads back the keys of any text of whole syllables', () => {
    const syllable = fc.integer({ min: 0xac00, max: 0xd7a3 }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(syllable, { minLength: 1, maxLength: 6 }), (syllables) => {
        const text = syllables.join('');
        // A consonant between two vowels is ambiguous only for those who see keys; these keep their syllables.
        expect(keysFromHangul(hangulFromKeys(keysFromHangul(text)))).toBe(keysFromHangul(text));
      }),
      { seed: 5 },
    );
  });
});

describe('Latin typed with the Korean layout', () => {
  it('gives the keys of letters and syllables, and leaves the rest', () => {
    expect(keysFromHangul('ㄱㄷ얀')).toBe('redis');
    expect(keysFromHangul('a 배포!')).toBe('a qovh!');
  });
});
