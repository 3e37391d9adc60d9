/** Notes of subagents, and what spawned sessions were given, in a store that is sealed. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KeyRing } from '../../../../src/journal/keys.ts';
import { sealPlace } from '../../../../src/journal/sealedPlaces.ts';
import { SealSwitch } from '../../../../src/journal/sealSwitch.ts';
import { stageAttachments } from '../../../../src/messaging/attachments.ts';
import { sealFolders } from '../../../../src/session/attachedFolders.ts';
import { bytesUnder } from '../../support/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { buildSearchThread, openTools } from './kit.ts';

let searchThread: URL;
let remove: () => void;

beforeAll(async () => {
  ({ url: searchThread, remove } = await buildSearchThread());
});
afterAll(() => remove());

const MARK = 'mark-of-the-notes';

/** A folder of notes in a sealed store, and a workspace beside it. */
function sealed() {
  const folder = realpathSync(temporaryFolder());
  const of = { store: join(folder, 'store'), keysDir: join(folder, 'keys') };
  const root = join(folder, 'work');
  const notes = join(of.store, 'sessions', 's', 'local', 'files');
  for (const dir of [root, notes]) mkdirSync(dir, { recursive: true });
  sealFolders(of, root);
  const seals = new SealSwitch(of.store);
  const key = new KeyRing({ dir: of.keysDir }).newStoreKey().id;
  const switchTo = (state: 'sealed' | 'plain') => seals.put({ state, key });
  switchTo('sealed');
  return { folder, of, root, notes, switchTo };
}

it('notes are written, read, changed, found and searched as any files, and stand nowhere in the clear', async () => {
  const { folder, notes, of } = sealed();
  const { call } = openTools(notes, { searchThread });
  const path = 'deep/plan.md';
  await call('write', { path, content: `one ${MARK}\ntwo\n` });
  expect(await call('read', { path })).toContain(`one ${MARK}`);
  await call('edit', { path, old: 'two', new: `zwei ${MARK}` });
  expect(bytesUnder(folder)).not.toContain(MARK);
  const other = openTools(notes, { searchThread });
  expect(await other.call('read', { path })).toContain(`zwei ${MARK}`);
  expect(await other.call('search', { pattern: 'zwei mark-of', literal: true })).toContain(`2: zwei ${MARK}`);
  expect(await other.call('search', { pattern: 'TWO|ZWEI', ignore_case: true })).toContain(path);
  expect(await other.call('find', { glob: '*.md' })).toBe(path);
  // A thread that is given another key finds nothing, and says nothing of what stands there.
  sealPlace({ dir: of.store, name: '', of: { ...of, keysDir: join(folder, 'none') } });
  expect(await other.call('search', { pattern: 'zwei' })).toContain('No match');
  expect(await other.wrong('read', { path })).toMatch(/cannot be read: .*LODELINE_KEY/);
});

it('notes that were written before are read and changed, whatever form they are in', async () => {
  const { notes, switchTo } = sealed();
  writeFileSync(join(notes, 'a.md'), `one ${MARK}\n`);
  const { call } = openTools(notes, { searchThread });
  expect(await call('read', { path: 'a.md' })).toContain(MARK);
  await call('edit', { path: 'a.md', old: 'one', new: 'eins' });
  expect(readFileSync(join(notes, 'a.md'), 'utf8')).not.toContain(MARK);
  switchTo('plain');
  await call('edit', { path: 'a.md', old: 'eins', new: 'une' });
  expect(readFileSync(join(notes, 'a.md'), 'utf8')).toBe(`une ${MARK}\n`);
});

it('files that a spawned session was given are read in its workspace, and nothing else there is opened', async () => {
  const { root, notes } = sealed();
  await stageAttachments(root, 'given', [{ name: 'a.txt', bytes: Buffer.from(MARK), sha256: '' }]);
  const dir = join(root, '.lodeline', 'attachments', 'given');
  expect(bytesUnder(dir)).not.toContain(MARK);
  const { call, wrong } = openTools(root, { searchThread });
  expect(await call('read', { path: '.lodeline/attachments/given/a.txt' })).toContain(MARK);
  // A box of the store that somebody lays beside it is no file that was given.
  const { call: note } = openTools(notes, { searchThread });
  await note('write', { path: 'a.txt', content: 'a note of others' });
  writeFileSync(join(dir, 'b.txt'), readFileSync(join(notes, 'a.txt')));
  expect(await wrong('read', { path: '.lodeline/attachments/given/b.txt' })).toMatch(/cannot be read/);
  writeFileSync(join(root, 'c.txt'), readFileSync(join(dir, 'a.txt')));
  expect(await call('read', { path: 'c.txt' })).not.toContain(MARK);
});
