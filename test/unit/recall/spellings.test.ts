import { describe, expect, it } from 'vitest';
import { respelledEndings, Spellings } from '../../../src/recall/spellings.ts';

function spellingsOf(...words: string[]): Spellings {
  const spellings = new Spellings();
  for (const word of words) spellings.add(word);
  return spellings;
}

const near = (spellings: Spellings, word: string) =>
  spellings.near(word, 3, () => true).map(({ text }) => text);

describe('near', () => {
  it.each([
    ['left out', 'conection'],
    ['put in', 'connnection'],
    ['replaced', 'connektion'],
    ['swapped', 'conenction'],
    ['first replaced', 'xonnection'],
    ['last replaced', 'connectiox'],
    ['two errors in a long word', 'conectoin'],
  ])('finds a word with a letter %s', (_, word) => {
    expect(near(spellingsOf('connection', 'collection'), word)).toEqual(['connection']);
  });

  it('believes one error in a short word, none in a very short one', () => {
    expect(near(spellingsOf('redis', 'locks'), 'redsi')).toEqual(['redis']);
    expect(near(spellingsOf('cache'), 'kashe')).toEqual([]);
    expect(near(spellingsOf('pool'), 'poll')).toEqual([]);
  });

  it.each([
    ['멱동키', '멱등키'],
    ['결재', '결제'],
    ['제시도', '재시도'],
  ])('compares Hangul by its letters: %s', (word, known) => {
    expect(near(spellingsOf(known, '배포판', '회의'), word)).toEqual([known]);
  });

  it('gives only the nearest, in order, that are accepted', () => {
    const spellings = spellingsOf('migration', 'mitigation', 'migrations');
    expect(spellings.near('migratio', 3, () => true)).toEqual([{ text: 'migration', errors: 1 }]);
    expect(spellings.near('migratio', 3, (text) => text !== 'migration').map(({ text }) => text)).toEqual([
      'migrations',
    ]);
  });

  it('never takes a word for another script, a number or a name with signs', () => {
    expect(near(spellingsOf('v2.0.1', '1.17.0', 'пул'), '1.17.1')).toEqual([]);
  });
});

describe('respelledEndings', () => {
  it.each(['connetcion', 'connectoin', 'connecton', 'connectiom', 'connectionn'])('undoes %s', (word) => {
    expect(respelledEndings(word)).toContain('connection');
  });

  it('leaves short words, long ones and other scripts alone', () => {
    for (const word of ['form', 'x'.repeat(30), '데이터베이스', 'a-b-c-d-e-f'])
      expect(respelledEndings(word)).toEqual([]);
  });
});
