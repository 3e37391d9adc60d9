import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TOLD, toldPhrase } from '../../../src/tools/subagent/told.ts';
import { fill } from '../../../src/worker/api.ts';

describe('what subagents say to a person', () => {
  it('is found again with its holes', () => {
    expect(toldPhrase('Changed 3 of your files.')).toEqual({
      text: 'Changed {0} of your files.',
      values: ['3'],
    });
    expect(toldPhrase('a/b is a link, and a/b/c.ts would go through it.')).toEqual({
      text: '{0} is a link, and {1} would go through it.',
      values: ['a/b', 'a/b/c.ts'],
    });
  });

  it('stays as it is where we did not say it, whatever it holds', () => {
    for (const said of [
      '',
      'It {0} broke.',
      'Cancelled\nby me',
      'Changed 3 of your files. And more.',
      '\ud800',
    ]) {
      expect(toldPhrase(said)).toEqual({ text: said, values: [] });
      expect(fill(toldPhrase(said))).toBe(said);
    }
  });

  it('reads the same in English, also with line ends and braces in its holes', () => {
    for (const hole of ['x', '{1}', 'a\nb', '$&', '']) {
      for (const { text } of TOLD) {
        const said = text.replace(/\{\d\}/g, () => hole);
        expect(fill(toldPhrase(said))).toBe(said);
      }
    }
  });

  it('knows every reason and every error that a landing has', () => {
    const folder = new URL('../../../src/subagent/', import.meta.url);
    const files = readdirSync(folder).filter((name) =>
      /^(landing|batchActions|isolatedWork|interrupted|taskRunner)/.test(name),
    );
    const said = files.flatMap((name) => sentences(readFileSync(new URL(name, folder), 'utf8')));
    expect(said.length).toBeGreaterThan(15);
    const known = new Set(TOLD.map(({ text }) => text));
    expect(said.filter((text) => !known.has(toldPhrase(text).text))).toEqual([]);
  });
});

/** Literals that are given as a reason or to an error for the person, with a word in place of each hole, where they have words of their own. */
function sentences(source: string): string[] {
  const found = source.matchAll(
    /(?:reason(?::| =)|(?:LandingAction|CannotUndo)Error\()\s*(?:'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`)/g,
  );
  return [...found]
    .map(([, a, b, c]) => (a ?? b ?? c ?? '').replace(/\$\{[^}]*\}/g, 'it'))
    .filter((text) => text !== 'it.');
}
