/** Originals of folds that somebody altered are still found out after their form was changed. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import { type Archive, FoldFiles } from '../../../src/worker/foldFiles.ts';
import { bytesUnder } from '../../unit/support/files.ts';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { ringOf } from './kit.ts';

const ARCHIVES: readonly Archive[] = [1, 2].map((at) => ({
  path: `tier1/b${at}_m00001-m00002.md`,
  block: `h${at}`,
  text: `original ${at}`,
}));
const FIRST = ARCHIVES[0]?.path ?? '';

function opened() {
  const folder = temporaryFolder();
  const dir = join(folder, 'store', 'folds');
  const keys = ringOf(folder);
  const files = new FoldFiles({ dir, session: 's', keys, defaultLevel: 'PUBLIC' });
  files.commit('PUBLIC', ARCHIVES, { density: 2, blocks: [] });
  const switched = (state: 'sealing' | 'opening', key: string) =>
    new SealSwitch(join(folder, 'store')).put({ state, key });
  return { dir, keys, files, switched };
}

it('seals what is as it was written, and opens it again', () => {
  const { dir, keys, files, switched } = opened();
  const { id } = keys.newStoreKey();
  switched('sealing', id);
  expect(files.refit(false)).toBe(true);
  expect(files.refit(true)).toBe(false);
  expect(bytesUnder(dir)).not.toContain('original');
  expect(files.verify(ARCHIVES)).toEqual([]);
  expect(files.holds(ARCHIVES)).toBe(true);
  expect(files.state()).toEqual({ density: 2, blocks: [] });
  switched('opening', id);
  expect(files.refit(true)).toBe(false);
  expect(bytesUnder(dir)).toContain('original 2');
  expect(files.verify(ARCHIVES)).toEqual([]);
});

it('makes no altered original a true one, though the hash that goes with it was written', () => {
  const { dir, keys, files, switched } = opened();
  writeFileSync(join(dir, FIRST), 'forged');
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  manifest.files[FIRST].sha256 = hash('sha256', 'forged');
  manifest.check = hash('sha256', `s\n${JSON.stringify(manifest.files)}`);
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
  switched('sealing', keys.newStoreKey().id);
  files.refit(true);
  expect(files.verify(ARCHIVES)).toEqual([{ path: FIRST, problem: 'altered' }]);
});

it('keeps no file in the clear that does not verify, and tells that it is gone', () => {
  const { dir, keys, files, switched } = opened();
  writeFileSync(join(dir, FIRST), 'forged');
  switched('sealing', keys.newStoreKey().id);
  files.refit(true);
  expect(existsSync(join(dir, FIRST))).toBe(false);
  expect(files.verify(ARCHIVES)).toEqual([{ path: FIRST, problem: 'missing' }]);
});
