import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, MAX_TERMS } from '../../../src/recall/analyze.ts';

const texts = (text: string) => analyze(text).map((term) => term.text);

describe('analyze: English', () => {
  it('drops stop words and stems the rest', () => {
    expect(texts('What is the validating of connections')).toEqual(['valid', 'connect']);
  });

  it('reads a possessive or a contraction as its word', () => {
    expect(texts("the server's")).toEqual(texts('server'));
    expect(texts('what’s')).toEqual([]);
  });
});

describe('analyze: identifiers are whole and split', () => {
  it.each([
    ['useZodSchema', ['usezodschema', 'use', 'zod', 'schema']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['max_retry_count', ['maxretrycount', 'max', 'retri', 'count']],
    ['redis-pool', ['redispool', 'redi', 'pool']],
    ['src/a/b.ts', ['src/a/b.ts', 'src', 'bts', 'b', 'ts']],
    ['@scope/pkg', ['scope/pkg', 'scope', 'pkg']],
    ['std::move', ['std::move', 'std', 'move']],
    ['client.confirm()', ['clientconfirm', 'client', 'confirm']],
    ['Node.js', ['nodej', 'node', 'js']],
    ['react@18.2.0', ['react@18.2.0', 'react', '18.2', '18.2.0']],
    ['node-20.11.1', ['node20.11.1', 'node', '20.11', '20.11.1']],
    ['10.0.0.1:8080', ['10.0.0.1:8080', '10.0', '10.0.0', '10.0.0.1', '8080']],
    ['Größe', ['gross', 'größe']],
    ['--dry-run', ['--dry-run', 'dryrun', 'dri', 'run']],
    ['C++', ['c++']],
    ['C++20', ['c++20', 'c++']],
    ['C#', ['c#']],
    ['1.17.0', ['1.17', '1.17.0']],
    ['v2', ['v2']],
    ['10MB', ['10mb', '10', 'mb']],
  ])('%s', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('writes plug-ins, plugIns and plugins alike', () => {
    for (const spelling of ['plug-ins', 'plugIns', 'plugins']) expect(texts(spelling)).toContain('plugin');
  });
});

describe('analyze: other scripts', () => {
  it('strips Korean particles and adds lighter pairs', () => {
    expect(analyze('레디스를')).toEqual([
      { text: '레디스', weight: 1, form: 'loose' },
      { text: '레디스를', weight: 0.5, form: 'loose' },
      { text: '레디', weight: 0.5, form: 'pair' },
      { text: '디스', weight: 0.5, form: 'pair' },
      { text: '스를', weight: 0.5, form: 'pair' },
    ]);
  });

  it('drops a particle glued to a word of another script, but keeps a word that is only a particle', () => {
    expect(texts('API는')).toEqual(['api']);
    expect(texts('이')).toEqual(['이']);
  });

  it('reads Han and kana as pairs, alone as one', () => {
    expect(texts('東京都')).toEqual(['東京', '京都']);
    expect(texts('猫')).toEqual(['猫']);
    expect(texts('サーバー')).toEqual(['サー', 'ーバ', 'バー']);
  });

  it('reads Cyrillic and Arabic as words', () => {
    expect(texts('Привет мир')).toEqual(['привет', 'мир']);
    expect(texts('مرحبا بالعالم')).toEqual(['مرحبا', 'بالعالم']);
  });

  it('finds accented Latin with and without its accents', () => {
    expect(texts('Café')).toEqual(['cafe', 'café']);
    expect(texts('configuración')).toContain(texts('configuracion')[0]);
  });

  it('reads decomposed text as composed text', () => {
    for (const text of ['사용자 역할은 개발자', 'résumé']) {
      expect(analyze(text.normalize('NFD'))).toEqual(analyze(text));
    }
  });
});

describe('analyze: any text', () => {
  it('takes NUL, controls and lone surrogates for separators', () => {
    expect(texts('red\0blue\u0007green\ud800black\udc00')).toEqual(['red', 'blue', 'green', 'black']);
  });

  it('never throws and gives bounded terms with weights in (0, 1]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const term of analyze(text)) {
          expect(term.text.length).toBeGreaterThan(0);
          expect(term.weight).toBeGreaterThan(0);
          expect(term.weight).toBeLessThanOrEqual(1);
        }
      }),
      { seed: 1 },
    );
  });

  it.each([
    ['one letter', 'a', 1_000_000],
    ['alternating case', 'aA', 500_000],
    ['dashes between letters', 'a-', 500_000],
    ['Hangul', '한', 1_000_000],
    ['emoji', '😀', 500_000],
    ['spaces', ' ', 1_000_000],
    ['combining marks', '\u0301', 1_000_000],
    ['lone surrogates', '\ud800', 1_000_000],
  ])('reads a million units of %s in linear time', (_, unit, times) => {
    const startedAt = performance.now();
    expect(analyze(unit.repeat(times)).length).toBeLessThanOrEqual(MAX_TERMS);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
