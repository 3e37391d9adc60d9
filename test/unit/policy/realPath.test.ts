import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realPathOf } from '../../../src/policy/realPath.ts';
import { temporaryFolder } from '../support/folder.ts';

function place() {
  const root = realpathSync(temporaryFolder());
  mkdirSync(join(root, 'secrets', 'deep'), { recursive: true });
  writeFileSync(join(root, 'secrets', 'a.md'), '');
  const link = (name: string, target: string) => symlinkSync(target, join(root, name));
  link('folder', 'secrets');
  link('file', 'secrets/a.md');
  link('dangling', 'secrets/new.md');
  link('twice', 'dangling');
  link('hanging', 'secrets/none');
  link('deep', 'secrets/deep');
  link('secrets/deep/next', '../new.md');
  link('secrets/deep/beside', '../a.md');
  link('round', 'deep/../new.md');
  link('one', 'two');
  link('two', 'one');
  return (path: string) => realPathOf(`${root}/${path}`)?.slice(root.length + 1);
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
  ['deep/beside', 'secrets/a.md'],
  ['deep/next', 'secrets/new.md'],
  ['deep/../a.md', 'secrets/a.md'],
  ['deep/../new.md', 'secrets/new.md'],
  ['round', 'secrets/new.md'],
  ['secrets/a.md/none', 'secrets/a.md/none'],
  [`${'n/'.repeat(300)}x`, `${'n/'.repeat(300)}x`],
])('%s leads to %s', (path, real) => {
  expect(place()(path)).toBe(real);
});

it('comes to an end where links lead in a circle', () => {
  expect(place()('one/a.md')).toBeUndefined();
});
