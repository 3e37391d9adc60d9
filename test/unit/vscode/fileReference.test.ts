import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fileReferenceOf, resolveFileReference } from '../../../src/vscode/fileReference.ts';

const ROOT = resolve('/work space/project');

test.each([
  ['src/a.ts', 'src/a.ts', 1],
  ['src/a.ts:12', 'src/a.ts', 12],
  ['src/a.ts:12:7', 'src/a.ts', 12],
  ['src/a.ts:0', 'src/a.ts', 1],
  ['./src/../b.md', 'b.md', 1],
  ['a:b.txt:3', 'a:b.txt', 3],
  ['..dots/file', '..dots/file', 1],
  [join(ROOT, 'src/a.ts:4'), 'src/a.ts', 4],
])('%s is inside', (reference, path, line) => {
  expect(resolveFileReference(ROOT, reference)).toEqual({ path: join(ROOT, path), line });
});

test.each([
  '',
  '  ',
  '.',
  '..',
  '../other/a.ts',
  'src/../../a.ts:3',
  '/etc/passwd',
  '/etc/passwd:1',
  '/work space/project-two/a.ts',
  'a\0b',
])('%j is not', (reference) => {
  expect(resolveFileReference(ROOT, reference)).toBeUndefined();
});

test('a place becomes a reference and back', () => {
  expect(fileReferenceOf(ROOT, join(ROOT, 'src', 'a.ts'), 3)).toBe('src/a.ts:3');
  expect(fileReferenceOf(ROOT, resolve('/elsewhere/a.ts'), 3)).toBeUndefined();
});
