/** Work of subagents in a store that is sealed: it lands, is taken back, kept and found again as in one that is not. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Repository } from '../../../src/git/repository.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { isSealedFile } from '../../../src/journal/sealedFile.ts';
import { sealPlace } from '../../../src/journal/sealedPlaces.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import { putStored } from '../../../src/journal/storedFile.ts';
import { recoverInterrupted } from '../../../src/subagent/interrupted.ts';
import { readRecord } from '../../../src/subagent/isolationRecord.ts';
import { keepTask, landTask } from '../../../src/subagent/landing.ts';
import { finishLandings } from '../../../src/subagent/landingFinish.ts';
import { LandingFolder } from '../../../src/subagent/landingJournal.ts';
import { revertLanding, undoLanding } from '../../../src/subagent/landingUndo.ts';
import { readRecovery } from '../../../src/subagent/recovery.ts';
import { refitPlaces } from '../../../src/worker/refitPlaces.ts';
import { newRepo, open, put, snapshot } from '../git/repo.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isolate, work } from './isolationSupport.ts';

const MARK = 'mark-of-the-task';
const FILES = { 'a.txt': 'one\n', 'tool.sh': '#!\n' };
const DONE = { 'a.txt': `${MARK}\n`, 'new/b.txt': `${MARK} 2\n` };

/** A repository whose store has the switch. */
async function opened() {
  const root = newRepo(FILES);
  const repository = await open(root);
  const store = repository.stateDir;
  const keysDir = join(temporaryFolder(), 'keys');
  sealPlace({ dir: store, name: '', of: { store, keysDir } });
  const seals = new SealSwitch(store);
  const keys = new KeyRing({ dir: keysDir, seals });
  const key = keys.newStoreKey().id;
  const switchTo = (state: 'sealed' | 'plain') => {
    seals.put({ state, key });
    expect(refitPlaces({ dir: store, keys })).toBe(0);
  };
  return { root, repository, store, keysDir, switchTo };
}

/** Files of ours in which the text of a task stands; its work tree is there for git and for commands. */
function clearIn({ stateDir }: Repository): string[] {
  return ['landings', 'patches', 'worktrees', 'git-drafts']
    .flatMap((name) => {
      const dir = join(stateDir, name);
      if (statSync(dir, { throwIfNoEntry: false }) === undefined) return [];
      return readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((file) => join(dir, file));
    })
    .filter((file) => statSync(file).isFile())
    .filter((file) => !/worktrees\/[^/]+\/[^/]+\/./.test(file) && !file.includes('.index'))
    .filter((file) => {
      const bytes = readFileSync(file);
      return !isSealedFile(bytes) && /mark-of|a\.txt|new\/b/.test(bytes.toString('latin1'));
    });
}

describe('in a store that is sealed, work', () => {
  it.each(['undo', 'revert'])('lands and is taken back (%s)', async (how) => {
    const { root, repository, switchTo } = await opened();
    switchTo('sealed');
    const before = snapshot(root);
    const delta = await work(repository, 'task', (path) => put(path, DONE));
    const { landing = '', status } = await landTask(repository, delta);
    expect(status).toBe('applied');
    expect(snapshot(root)).toMatchObject({ 'a.txt': `644 ${MARK}\n`, 'new/b.txt': `644 ${MARK} 2\n` });
    expect(clearIn(repository)).toEqual([]);
    await (how === 'undo' ? undoLanding(repository, landing) : revertLanding(repository, landing));
    expect(snapshot(root)).toEqual(before);
  });

  it.each([
    ['plain', 'sealed'],
    ['sealed', 'plain'],
  ] as const)('that landed in one that was %s is taken back', async (first, then) => {
    const { root, repository, switchTo } = await opened();
    switchTo(first);
    const before = snapshot(root);
    const delta = await work(repository, 'task', (path) => put(path, DONE));
    const { landing = '' } = await landTask(repository, delta);
    expect(clearIn(repository).length > 0).toBe(first === 'plain');
    switchTo(then);
    expect(clearIn(repository).length > 0).toBe(then === 'plain');
    await undoLanding(repository, landing);
    expect(snapshot(root)).toEqual(before);
  });

  it('that is kept lands later', async () => {
    const { root, repository, switchTo } = await opened();
    switchTo('sealed');
    const delta = await work(repository, 'task', (path) => put(path, DONE));
    await keepTask(repository, delta, 'kept');
    const again = await readRecovery(repository, delta.id);
    expect(clearIn(repository)).toEqual([]);
    expect((await landTask(repository, again)).status).toBe('applied');
    expect(snapshot(root)['a.txt']).toBe(`644 ${MARK}\n`);
  });

  it('whose process died half way through its landing is finished, once the key is here', async () => {
    const { root, repository, store, keysDir, switchTo } = await opened();
    switchTo('sealed');
    const delta = await work(repository, 'task', (path) => put(path, DONE));
    const { landing = '' } = await landTask(repository, delta);
    const folder = new LandingFolder(store);
    const journal = folder.read(landing);
    if (journal === undefined || journal === 'damaged') throw new Error('no journal');
    folder.write({ ...journal, state: 'writing' });
    put(root, FILES);
    const parts = { root, storeDir: store, files: { list: async () => [] } as never };
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    sealPlace({ dir: store, name: '', of: { store, keysDir: join(store, 'none') } });
    expect(await recoverInterrupted({ ...parts, log })).toBe(false);
    expect(await finishLandings(repository)).toEqual([]);
    expect(snapshot(root)['a.txt']).toBe('644 one\n');
    sealPlace({ dir: store, name: '', of: { store, keysDir } });
    expect(await recoverInterrupted({ ...parts, log })).toBe(true);
    expect(await finishLandings(repository)).toEqual([{ id: landing, outcome: 'finished' }]);
    expect(snapshot(root)['a.txt']).toBe(`644 ${MARK}\n`);
    expect(folder.read(landing)).toMatchObject({ state: 'landed' });
  });

  it('has a record of its work tree that is found again', async () => {
    const { repository, switchTo } = await opened();
    const made = await isolate(repository);
    switchTo('sealed');
    expect(readRecord(repository, made.path)).toMatchObject({ id: made.id, path: made.path });
    expect(clearIn(repository)).toEqual([]);
    const other = await isolate(repository, 'other');
    expect(readRecord(repository, other.path)).toMatchObject({ id: other.id });
    expect(clearIn(repository)).toEqual([]);
  });
});

it('nothing that was landed is lost when its key is not here: it is not looked at', async () => {
  const { repository, store, switchTo } = await opened();
  switchTo('sealed');
  const delta = await work(repository, 'task', (path) => put(path, DONE));
  const { landing = '' } = await landTask(repository, delta);
  sealPlace({ dir: store, name: '', of: { store, keysDir: join(store, 'none') } });
  expect(new LandingFolder(store).read(landing)).toBe('damaged');
  await expect(undoLanding(repository, landing)).rejects.toThrow();
  expect(() => putStored(join(store, 'patches', 'x.patch'), Buffer.from('x'))).toThrow(/LODELINE_KEY/);
  expect(new LandingFolder(store).ids()).toEqual([landing]);
});
