import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claimFile } from '../../../src/journal/disk.ts';
import { temporaryFolder } from '../support/folder.ts';

it('only one can claim a file', () => {
  const file = join(temporaryFolder(), 'lock');
  expect([claimFile(file, 'one'), claimFile(file, 'two')]).toEqual([true, false]);
  expect(readFileSync(file, 'utf8')).toBe('one');
});

it('a claim that the disk has no room for leaves nothing behind', () => {
  const file = join(temporaryFolder(), 'lock');
  const full = () => {
    throw new Error('ENOSPC');
  };
  expect(() => claimFile(file, 'one', full)).toThrow('ENOSPC');
  expect(existsSync(file)).toBe(false);
  expect(claimFile(file, 'one')).toBe(true);
});
