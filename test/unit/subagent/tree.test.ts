import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeTree } from '../../../src/subagent/tree.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A folder with these files; a path that ends with a slash is an empty folder. */
function folderWith(...paths: string[]): string {
  const root = temporaryFolder();
  for (const path of paths) {
    mkdirSync(join(root, path.endsWith('/') ? path : dirname(path)), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(join(root, path), '');
  }
  return root;
}
const isHidden = (path: string) => basename(path).startsWith('secret');

it.each([
  ['a file', ['gone/secret.md']],
  ['files in folders', ['gone/secret-1.md', 'gone/a/b/c/d/secret-2.md']],
  ['folders', ['gone/secrets/open.md']],
])('does not name a folder that holds nothing but hidden %s', async (_what, paths) => {
  expect(await describeTree(folderWith('here/open.md', ...paths), isHidden)).toBe('here/\n  open.md');
});

it('does not count such folders among those that are left out', async () => {
  const open = Array.from({ length: 42 }, (_, at) => `open-${at}/a.md`);
  const hidden = Array.from({ length: 42 }, (_, at) => `gone-${at}/secret.md`);
  expect(await describeTree(folderWith(...open, ...hidden), isHidden)).toBe(
    await describeTree(folderWith(...open), isHidden),
  );
});

it('names folders with anything else in them: below what is shown, a folder that is empty, a link', async () => {
  const root = folderWith('a/b/c/d/e/open.md', 'b/secret.md', 'b/empty/', 'c/', 'd/secret.md');
  symlinkSync('nowhere', join(root, 'd', 'link'));
  expect(await describeTree(root, isHidden)).toBe('a/\n  b/\n    c/\nb/\n  empty/\nc/\nd/\n  link');
});
