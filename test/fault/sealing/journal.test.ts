/** The switch at the journal itself: a writer that does not know of it yet, and a word that was lost. */
import { readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WriteSome } from '../../../src/journal/disk.ts';
import { Journal } from '../../../src/journal/journal.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import type { Draft } from '../../../src/session/record.ts';
import { refitTranscript } from '../../../src/session/refit.ts';
import { followTranscript, openTranscript } from '../../../src/session/transcript.ts';
import { AGENT, temporaryFolder } from '../../unit/support/folder.ts';
import { filesWith, OWNER, openAll } from './kit.ts';

const TEXT = 'mark-of-the-journal';

function journalOf(folder: string, step: (name: string) => void = () => {}, write?: WriteSome) {
  const seals = new SealSwitch(join(folder, 'store'));
  const keys = new KeyRing({ dir: join(folder, 'keys'), seals });
  const dir = join(folder, 'store', 'memory', 'journal');
  const journal = new Journal({
    dir,
    keys,
    sealed: () => false,
    now: Date.now,
    seam: { step, ...(write && { write }) },
  });
  return { seals, keys, journal };
}

function sealIt(folder: string): void {
  const { seals, keys, journal } = journalOf(folder);
  seals.put({ state: 'sealing', key: keys.newStoreKey().id });
  journal.load();
  expect(journal.compact({ retain: () => true, newGeneration: true, keepDamage: true })).toMatchObject({
    done: true,
  });
  seals.put({ state: 'sealed', key: keys.word().key });
}

const STEPS = ['append: opening', 'append: open', 'append: written', 'append: durable', 'append: checked'];

it.each(STEPS)('acknowledges nothing in the clear when the store is sealed at "%s"', (at) => {
  const folder = temporaryFolder();
  let done = false;
  const { journal } = journalOf(folder, (name) => {
    if (name !== at || done) return;
    done = true;
    sealIt(folder);
  });
  journal.append([{ payload: TEXT, level: 'OPEN' }]);
  expect(done).toBe(true);
  journal.append([{ payload: `${TEXT} 2`, level: 'OPEN' }]);
  const reader = journalOf(folder).journal;
  expect(
    reader
      .load()
      .map(({ payload }) => payload)
      .sort(),
  ).toEqual([TEXT, `${TEXT} 2`]);
  expect(reader.hasMisfits()).toBe(false);
  expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
});

it.each(['', '{"v":1,"sta', '{"v":1,"state":"plain"}'])(
  'stays sealed when its word is lost (%j)',
  async (text) => {
    const folder = temporaryFolder();
    const first = openAll(folder);
    await first.store.remember({ category: 'bug', key: 'a', content: TEXT }, AGENT);
    await first.sealing.seal();
    await first.close();
    const word = join(folder, 'store', 'sealing.json');
    if (text === '') rmSync(word);
    else writeFileSync(word, text);
    const again = openAll(folder);
    await again.store.remember({ category: 'bug', key: 'b', content: `${TEXT} 2` }, AGENT);
    expect((await again.store.exportAll({ level: 'PUBLIC' })).map(({ key }) => key).sort()).toEqual([
      'a',
      'b',
    ]);
    await again.close();
    expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
    expect(new SealSwitch(join(folder, 'store')).read().state).toBe('sealed');
  },
);

it('stays sealed when its word and the manifest are lost: the records tell', async () => {
  const folder = temporaryFolder();
  const first = openAll(folder);
  await first.store.remember({ category: 'bug', key: 'a', content: TEXT }, AGENT);
  await first.sealing.seal();
  await first.close();
  const journal = join(folder, 'store', 'memory', 'journal');
  rmSync(join(folder, 'store', 'sealing.json'));
  for (const name of readdirSync(journal)) if (name.startsWith('manifest')) rmSync(join(journal, name));
  const again = openAll(folder);
  await again.store.remember({ category: 'bug', key: 'b', content: `${TEXT} 2` }, AGENT);
  const { id } = await again.sessions.turnBegin(OWNER, [
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: `${TEXT} 3` }] } } as never,
  ]);
  await again.sessions.turnEnd(id, [], { reason: 'answered' } as never);
  const item = { key: 'k', documentId: 'd', bank: 'b', level: 'PUBLIC', context: '', at: 1 } as const;
  await again.spool.spoolPut([{ ...item, tags: [], metadata: {}, content: `${TEXT} 4` }]);
  // Not only once it is tidied.
  expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
  await again.close();
  expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
});

it.each(['missing', 'wrong'])(
  'reads and changes nothing with a %s key, says what to do, and goes on once it is here',
  async (what) => {
    const folder = temporaryFolder();
    const first = openAll(folder);
    await first.store.remember({ category: 'bug', key: 'a', content: TEXT }, AGENT);
    const { key } = await first.sealing.seal();
    await first.close();
    const before = readdirSync(join(folder, 'store'), { recursive: true, encoding: 'utf8' }).sort();
    const other = openAll(folder, {
      keysDir: join(folder, 'elsewhere'),
      ...(what === 'wrong' ? { key: '0'.repeat(64) } : {}),
    });
    const told = new RegExp(`sealed with the key ${key}.*LODELINE_KEY`);
    await expect(other.store.remember({ category: 'bug', key: 'b', content: 'x' }, AGENT)).rejects.toThrow(
      told,
    );
    await expect(other.store.exportAll({ level: 'PUBLIC' })).rejects.toThrow(told);
    await expect(other.sealing.unseal()).rejects.toThrow(told);
    expect(await other.sealing.sealStatus()).toMatchObject({
      state: 'sealed',
      missing: expect.stringMatching(told),
    });
    await other.close();
    expect(readdirSync(join(folder, 'store'), { recursive: true, encoding: 'utf8' }).sort()).toEqual(before);
    const again = openAll(folder);
    expect((await again.store.exportAll({ level: 'PUBLIC' })).map(({ content }) => content)).toEqual([TEXT]);
  },
);

it.each(['missing', 'wrong'])(
  'reads and changes nothing with a %s key where a store is half open, and goes on once it is here',
  async (what) => {
    const folder = temporaryFolder();
    const first = openAll(folder);
    await first.store.remember({ category: 'bug', key: 'a', content: TEXT }, AGENT);
    const { key } = await first.sealing.seal();
    await first.close();
    new SealSwitch(join(folder, 'store')).put({ state: 'opening', key });
    const other = openAll(folder, {
      keysDir: join(folder, 'elsewhere'),
      ...(what === 'wrong' ? { key: '0'.repeat(64) } : {}),
    });
    const told = new RegExp(`sealed with the key ${key}.*LODELINE_KEY`);
    const late = { category: 'bug', key: 'b', content: 'x' } as const;
    await expect(other.store.remember(late, AGENT)).rejects.toThrow(told);
    await expect(other.store.exportAll({ level: 'PUBLIC' })).rejects.toThrow(told);
    await expect(other.sealing.seal()).rejects.toThrow(told);
    await expect(other.sealing.unseal()).rejects.toThrow(told);
    await other.sealing.tidy();
    expect(await other.sealing.sealStatus()).toMatchObject({
      state: 'opening',
      missing: expect.stringMatching(told),
    });
    await other.close();
    const again = openAll(folder);
    await again.sealing.tidy();
    expect((await again.sealing.sealStatus()).state).toBe('plain');
    expect((await again.store.exportAll({ level: 'PUBLIC' })).map(({ content }) => content)).toEqual([TEXT]);
  },
);

it('seals what a process that has ended left half written in the clear', async () => {
  const folder = temporaryFolder();
  const first = openAll(folder);
  await first.store.remember({ category: 'bug', key: 'a', content: TEXT }, AGENT);
  await first.close();
  const journal = join(folder, 'store', 'memory', 'journal');
  const [name = ''] = readdirSync(journal).filter((each) => each.endsWith('.seg'));
  const bytes = readFileSync(join(journal, name));
  const sealer = openAll(folder);
  await sealer.sealing.seal();
  await sealer.close();
  // Of a record that is all its segment has, the text and no end.
  const at = bytes.indexOf(TEXT);
  expect(at).toBeGreaterThan(0);
  const torn = name.replace(/^[0-9a-f]+/, 'a'.repeat(12));
  writeFileSync(join(journal, torn), bytes.subarray(0, at + TEXT.length));
  const next = openAll(folder);
  await next.sealing.tidy();
  await next.close();
  expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
});

/** Fails as a full disk does, from the nth write on. */
function fullAt(nth: number): { write: WriteSome; wasFull(): boolean } {
  let writes = 0;
  return {
    write(fd, bytes, offset, length) {
      writes++;
      if (writes < nth) return writeSync(fd, bytes, offset, length);
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      });
    },
    wasFull: () => writes >= nth,
  };
}

it('loses nothing when the disk is full at any write of the journal, and seals it once there is room', () => {
  for (let nth = 1, isFull = true; isFull; nth++) {
    const folder = temporaryFolder();
    const writer = journalOf(folder).journal;
    for (let n = 0; n < 5; n++) writer.append([{ payload: `${TEXT} ${n}`, level: 'OPEN' }]);
    const disk = fullAt(nth);
    const { seals, keys, journal } = journalOf(folder, undefined, disk.write);
    seals.put({ state: 'sealing', key: keys.newStoreKey().id });
    try {
      journal.load();
      journal.compact({ retain: () => true, newGeneration: true, keepDamage: true });
    } catch {
      // Told to whoever asked.
    }
    isFull = disk.wasFull();
    expect(journalOf(folder).journal.load()).toHaveLength(5);
    writer.append([{ payload: `${TEXT} 5`, level: 'OPEN' }]);
    sealIt(folder);
    expect(journalOf(folder).journal.load()).toHaveLength(6);
    expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
  }
});

it('leaves a transcript as it was when the disk is full while it is sealed, and seals it once there is room', () => {
  for (let nth = 1, isFull = true; isFull; nth++) {
    const folder = temporaryFolder();
    const { seals, keys } = journalOf(folder);
    const at = {
      dir: join(folder, 'store', 'sessions'),
      id: 's',
      keys,
      defaultLevel: 'PUBLIC',
      now: Date.now,
    } as const;
    const drafts: Draft[] = [1, 2, 3].map((n) => ({ type: 'returned', returned: { to: `${TEXT} ${n}` } }));
    const first = openTranscript(at).writer;
    first?.append(drafts);
    first?.close();
    const disk = fullAt(nth);
    const { writer } = openTranscript({ ...at, seam: { write: disk.write } });
    seals.put({ state: 'sealing', key: keys.newStoreKey().id });
    expect(writer?.follow()?.reason).toBe(disk.wasFull() ? 'write-failed' : undefined);
    isFull = disk.wasFull();
    writer?.close();
    expect(followTranscript(at).read().records).toHaveLength(3);
    expect(refitTranscript(at)).toBe(false);
    expect(followTranscript(at).read().records).toHaveLength(3);
    expect(filesWith(join(folder, 'store'), [TEXT])).toEqual([]);
  }
});
