import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EntryDetail } from '../../src/protocol.ts';
import { shortAge } from '../../webview/kit/format.ts';
import { setLanguage, t } from '../../webview/kit/l10n.ts';
import { clip, visible, visibleLine } from '../../webview/kit/text.ts';
import { editInput, fieldsOf, NO_FIELDS, rememberInput, validate } from '../../webview/memory/form-fields.ts';
import { cutReferences } from '../../webview/memory/references.ts';
import { savedId, savedMessage } from '../../webview/memory/saved.ts';
import { suggestKey } from '../../webview/memory/suggest-key.ts';

describe('suggested keys', () => {
  it.each([
    ['Retries use exponential backoff, five times', 'retries-use-exponential-backoff-five'],
    ['인증 토큰은 15분 뒤에 만료된다', '인증-토큰은-15분-뒤에-만료된다'],
    ['인증 토큰'.normalize('NFD'), '인증-토큰'],
    ['  ** `npm ci` ** ', 'npm-ci'],
    ['Café Zürich', 'café-zürich'],
    ['!!! ???', ''],
    ['', ''],
    [`${'x'.repeat(100)} y`, 'x'.repeat(48)],
  ])('%j → %j', (content, key) => expect(suggestKey(content)).toBe(key));
});

describe('text from elsewhere', () => {
  it('shows control characters, reordering and half pairs for what they are', () => {
    expect(visible('\u001b[31mred\u0000')).toBe('␛[31mred␀');
    expect(visible('a\u202egpj.exe')).toBe('a[U+202E]gpj.exe');
    expect(visible('x\ud800y')).toBe('x\ufffdy');
    expect(visible('tab\tline\n한글 👩‍💻')).toBe('tab\tline\n한글 👩‍💻');
    expect(visibleLine('a\n b')).toBe('a b');
  });

  it('is never cut inside a character', () => {
    expect(clip('ab😀', 3)).toBe('ab');
    expect(clip('ab😀', 4)).toBe('ab😀');
  });

  it('is cut at references only', () => {
    expect(cutReferences('see [[a b]] and [x](y) [[')).toEqual([
      { text: 'see ' },
      { text: '[[a b]]', key: 'a b' },
      { text: ' and [x](y) [[' },
    ]);
    expect(cutReferences('')).toEqual([]);
  });
});

describe('forms', () => {
  const entry = {
    ...NO_FIELDS,
    key: 'k',
    content: 'a [[b]]\r\nc',
    importance: 'high',
    expires: null,
    linked: [
      { key: 'b', id: null },
      { key: 'd', id: 'x' },
    ],
  } as unknown as EntryDetail;

  it('send what changed and nothing else', () => {
    const base = fieldsOf(entry);
    expect(base.content).toBe('a [[b]]\nc');
    expect(base.links).toEqual(['d']);
    expect(editInput('id', base, base)).toEqual({ key: 'id' });
    expect(editInput('id', base, { ...base, importance: '', tags: ['x'], file: ' a.ts ' })).toEqual({
      key: 'id',
      importance: 'automatic',
      set_tags: ['x'],
      file: 'a.ts',
    });
  });

  it('leave out what is empty in a new entry', () => {
    expect(rememberInput({ ...NO_FIELDS, key: ' k ', content: 'c' })).toEqual({
      category: 'knowledge',
      key: 'k',
      content: 'c',
    });
  });

  it('say what is wrong', () => {
    expect(Object.keys(validate(NO_FIELDS))).toEqual(['key', 'content']);
    const ok = { ...NO_FIELDS, key: 'k', content: 'c' };
    for (const ttl of ['', '7d', '24h', '2030-12-31', '2030-12-31T10:00Z'])
      expect(validate({ ...ok, ttl })).toEqual({});
    for (const ttl of ['soon', '7', '7w', '2030-13-40'])
      expect(validate({ ...ok, ttl })).toHaveProperty('ttl');
  });
});

describe('what a save answers', () => {
  it('is told in a sentence for each thing worth knowing', () => {
    setLanguage({}, 'en');
    expect(savedMessage({ id: 'x', redacted: [] })).toBe('Saved.');
    const other = (key: string) => ({ entry: { key }, overlap: 0.7 });
    const outcome = {
      entry: { id: 'x' },
      keptContent: true,
      redacted: ['AWS key'],
      rejected: [{ key: 'rejected-graphql' }],
      contradictions: [other('never-mock')],
      duplicates: ['never-mock', 'a', 'b', 'c', 'd'].map(other),
    };
    expect(savedMessage(outcome)).toBe(
      'The key existed: your text was added to its entry.\nSecrets were taken out: AWS key\nMay contradict: never-mock, rejected-graphql\nSimilar: a, b, c, …',
    );
    expect(savedId(outcome)).toBe('x');
    expect(savedId(null)).toBeUndefined();
    expect(savedMessage(undefined)).toBe('Saved.');
  });
});

describe('translations', () => {
  it('fall back to English, fill holes, and ignore inherited names', () => {
    setLanguage({ 'Forgot “{0}”.': '“{0}”을(를) 잊었습니다.' }, 'ko');
    expect(t('Forgot “{0}”.', 'a{0}')).toBe('“a{0}”을(를) 잊었습니다.');
    expect(t('toString')).toBe('toString');
    expect(shortAge(0, 3 * 86_400_000)).toBe('3일 전');
    setLanguage({}, 'not a locale');
    expect(shortAge(0, 3 * 86_400_000)).toBe('3d ago');
    expect(shortAge(0, 0)).toBe('now');
  });

  it('cover every string of the panels, with the same holes, and nothing else', () => {
    const korean: Record<string, string> = JSON.parse(
      readFileSync(new URL('../../webview/strings.ko.json', import.meta.url), 'utf8'),
    );
    const used = new Set<string>();
    const panels = readdirSync(new URL('../../webview/', import.meta.url), { withFileTypes: true });
    for (const folder of panels.filter((each) => each.isDirectory())) {
      const url = new URL(`../../webview/${folder.name}/`, import.meta.url);
      for (const file of readdirSync(url, { recursive: true, encoding: 'utf8' })) {
        if (!file.endsWith('.ts')) continue;
        const source = readFileSync(new URL(file, url), 'utf8');
        for (const [, text] of source.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g))
          if (text !== undefined) used.add(text);
        expect(
          [...source.matchAll(/\bt\(\s*[^'\s)]/g)].filter(() => file !== 'l10n.ts'),
          `${file}: t() takes a literal`,
        ).toEqual([]);
      }
    }
    expect(Object.keys(korean).sort()).toEqual([...used].sort());
    for (const [english, text] of Object.entries(korean)) {
      expect(text.match(/\{\d\}/g)?.sort() ?? []).toEqual(english.match(/\{\d\}/g)?.sort() ?? []);
    }
  });
});
