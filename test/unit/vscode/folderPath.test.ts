import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathInFolder } from '../../../src/vscode/folderPath.ts';

let top: string;
let root: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'lodeline-path-')));
  root = join(top, 'folder');
  mkdirSync(join(root, 'docs'), { recursive: true });
  mkdirSync(join(top, 'outside'));
  writeFileSync(join(root, 'TODO.md'), '');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test.each(['TODO.md', 'docs/new.md', 'not/yet/there.md', 'docs/../TODO.md', '할 일.md', './TODO.md'])(
  '%s is in the folder',
  async (name) => {
    expect(await pathInFolder(root, name)).toBe(join(root, name));
  },
);

test.each(['', '.', '..', '../outside/a.md', '/etc/passwd', 'docs/../../outside/a.md', 'a\0b'])(
  '%j is not',
  async (name) => {
    expect(await pathInFolder(root, name)).toBeUndefined();
  },
);

test('a link that leads out is not in the folder, whether what it names is there or not', async () => {
  symlinkSync(join(top, 'outside'), join(root, 'out'));
  symlinkSync(join(top, 'outside', 'new.md'), join(root, 'dangling.md'));
  symlinkSync(join(root, 'docs'), join(root, 'in'));
  expect(await pathInFolder(root, 'out/a.md')).toBeUndefined();
  expect(await pathInFolder(root, 'out/deep/a.md')).toBeUndefined();
  expect(await pathInFolder(root, 'dangling.md')).toBeUndefined();
  expect(await pathInFolder(root, 'in/a.md')).toBe(join(root, 'in', 'a.md'));
});
