import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realPathOf } from '../../../src/policy/realPath.ts';
import { temporaryFolder } from '../support/folder.ts';

function place() {
  const root = realpathSync(temporaryFolder());
  mkdirSync(join(root, 'secrets'));
  writeFileSync(join(root, 'secrets', 'a.md'), '');
  const link = (name: string, target: string) => symlinkSync(target, join(root, name));
  link('folder', 'secrets');
  link('file', 'secrets/a.md');
  link('dangling', 'secrets/new.md');
  link('twice', 'dangling');
  link('hanging', 'secrets/none');
  link('one', 'two');
  link('two', 'one');
  return (path: string) => realPathOf(join(root, path))?.slice(root.length + 1);
}

it.each([
  ['secrets/a.md', 'secrets/a.md'],
  ['folder/a.md', 'secrets/a.md'],
  ['file', 'secrets/a.md'],
  ['folder/new/deep.md', 'secrets/new/deep.md'],
  ['dangling', 'secrets/new.md'],
  ['twice', 'secrets/new.md'],
  ['folder/new.md', 'secrets/new.md'],
  ['hanging/new.md', 'secrets/none/new.md'],
  ['none/at/all', 'none/at/all'],
])('%s leads to %s', (path, real) => {
  expect(place()(path)).toBe(real);
});

it('comes to an end where links lead in a circle', () => {
  expect(place()('one/a.md')).toBeUndefined();
});
