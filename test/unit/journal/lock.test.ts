/** A lock that is being written is somebody's; one whose holder died over it is not, after a while. */
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeLock } from '../../../src/journal/lock.ts';
import { temporaryFolder } from '../support/folder.ts';

const open = (dir: string) => takeLock({ dir, now: Date.now, writer: 'me', seam: {} }, 'lock');

it('is had by one at a time, and free again once it is released', () => {
  const dir = temporaryFolder();
  const release = open(dir);
  expect(open(dir)).toBeUndefined();
  release?.();
  expect(open(dir)).toBeDefined();
});

it.each(['', '{"pid":12'])('that says "%s" so far is being written, and is left to its holder', (text) => {
  const dir = temporaryFolder();
  const file = join(dir, 'lock');
  writeFileSync(file, text);
  expect(open(dir)).toBeUndefined();
  expect(existsSync(file)).toBe(true);
  const long = new Date(Date.now() - 60_000);
  utimesSync(file, long, long);
  expect(open(dir)).toBeDefined();
});
