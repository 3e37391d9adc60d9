import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { fileIn } from '../../../src/session/presencePath.ts';
import { temporaryFolder } from '../support/folder.ts';

function place() {
  const folder = temporaryFolder();
  const root = join(folder, 'repo');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src', 'a.ts'), '');
  writeFileSync(join(folder, 'outside.ts'), '');
  return { folder, root };
}

it('names a file inside the root, whichever way the agent names it', () => {
  const { root } = place();
  const file = join(root, 'src', 'a.ts');
  expect(fileIn(root, file)).toBe('src/a.ts');
  expect(fileIn(root, pathToFileURL(file).href)).toBe('src/a.ts');
  expect(fileIn(root, 'src/./a.ts')).toBe('src/a.ts');
  expect(fileIn(root, 'a.ts', join(root, 'src'))).toBe('src/a.ts');
  expect(fileIn(root, join(root, 'new', 'deep', 'b.ts'))).toBe('new/deep/b.ts');
});

it('composes Hangul', () => {
  const { root } = place();
  expect(fileIn(root, join(root, '한글.ts'.normalize('NFD')))).toBe('한글.ts'.normalize('NFC'));
});

it('follows links, so that one file has one name and what lies elsewhere has none', () => {
  const { folder, root } = place();
  symlinkSync(join(root, 'src'), join(root, 'link'));
  symlinkSync(root, join(folder, 'alias'));
  symlinkSync(join(folder, 'outside.ts'), join(root, 'src', 'out.ts'));
  symlinkSync(folder, join(root, 'up'));
  expect(fileIn(root, join(root, 'link', 'a.ts'))).toBe('src/a.ts');
  expect(fileIn(join(folder, 'alias'), join(root, 'src', 'a.ts'))).toBe('src/a.ts');
  expect(fileIn(root, join(root, 'src', 'out.ts'))).toBeUndefined();
  expect(fileIn(root, join(root, 'up', 'outside.ts'))).toBeUndefined();
  expect(fileIn(root, join(root, 'up', 'new.ts'))).toBeUndefined();
});

it.each([
  '',
  '..',
  '../outside.ts',
  '/etc/passwd',
  'src',
  '.',
  '.git/config',
  'a\0b',
  'a\nb',
  'C:\\repo\\src\\a.ts',
  'c:/repo/a.ts',
  'file://host/share/a.ts',
  'file:%zz',
  'https://example.com/a.ts/..',
  'x'.repeat(2000),
  '\ud800.ts',
])('has no name for %j', (path) => {
  const { root } = place();
  if (path.startsWith('https:')) expect(fileIn(root, path)).not.toMatch(/^\.\./);
  else expect(fileIn(root, path)).toBeUndefined();
});
