/** The list of complaints is whole, and the tests that it names are there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const COUNT = 34;

const sections = readFileSync(join(import.meta.dirname, 'complaints.md'), 'utf8')
  .split(/^### /m)
  .slice(1)
  .map((section) => ({
    number: Number(/^\d+/.exec(section)?.[0]),
    title: section.slice(0, section.indexOf('\n')),
    tests: [...section.matchAll(/^- `([^`]+)` › (.+)$/gm)].map(([, file = '', title = '']) => ({
      file,
      title,
    })),
  }));

it('every complaint is listed, once', () => {
  expect(sections.map(({ number }) => number).sort((one, other) => one - other)).toEqual(
    Array.from({ length: COUNT }, (_, at) => at + 1),
  );
});

describe('a complaint has a test', () => {
  it.each(sections.map(({ title, tests }) => [title, tests] as const))('%s', (_title, tests) => {
    expect(tests).not.toEqual([]);
    for (const { file, title } of tests) {
      const path = join(ROOT, file);
      const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const quoted = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
      expect([file, title, quoted.some((text) => source.includes(text))]).toEqual([file, title, true]);
    }
  });
});
