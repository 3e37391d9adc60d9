/** Memories that wait to be sent, on disk. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import type { SpoolItem } from '../../../src/memory/hindsight/item.ts';
import { RetainSpool, type RetainSpoolOptions } from '../../../src/worker/retainSpool.ts';
import { bytesUnder } from '../support/files.ts';
import { temporaryFolder } from '../support/folder.ts';

function openFolder(folder = temporaryFolder()) {
  const [dir, store] = [join(folder, 'store', 'retain'), join(folder, 'store')];
  const keysDir = join(folder, 'keys');
  const seals = new SealSwitch(store);
  const clock = { time: 1_000_000 };
  const open = (
    seam?: RetainSpoolOptions['seam'],
    keys = new KeyRing({ dir: keysDir, seals: new SealSwitch(store) }),
  ) => {
    const spool = new RetainSpool({ dir, keys, defaultLevel: 'PUBLIC', now: () => clock.time, seam });
    onTestFinished(() => spool.close());
    return spool;
  };
  const seal = () => {
    mkdirSync(store, { recursive: true });
    seals.put({ state: 'sealed', key: new KeyRing({ dir: keysDir }).newStoreKey().id });
  };
  const spools = () => (existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.spool')) : []);
  return { folder, dir, clock, open, seal, spools, keysDir, seals };
}

function item(name: string, at = 1, level: SpoolItem['level'] = 'PUBLIC'): SpoolItem {
  return {
    ...{ key: name, documentId: name, bank: 'b', level, content: `content of ${name}`, context: '' },
    ...{ tags: [], metadata: {}, at },
  };
}

const keysOf = async (taken: ReturnType<RetainSpool['spoolTake']>) =>
  (await taken).items.map(({ key }) => key);

describe('what waits', () => {
  test('is on disk when it is kept, and is taken over in its order once its owner has ended', async () => {
    const { open, spools } = openFolder();
    const [first, second] = [open(), open()];
    await first.spoolPut([item('a', 1), item('b', 1)]);
    await first.spoolPut([item('c', 2)]);
    expect(await keysOf(second.spoolTake())).toEqual([]);
    expect(await second.spoolLook()).toEqual({ waiting: 3, locked: 0, oldest: 1 });
    await first.spoolDone(['b']);
    first.close();
    expect(await keysOf(second.spoolTake())).toEqual(['a', 'c']);
    expect(await keysOf(second.spoolTake())).toEqual([]);
    expect(await keysOf(second.spoolTake(true))).toEqual(['a', 'c']);
    await second.spoolDone(['a', 'c']);
    expect(spools()).toEqual([]);
    expect(await second.spoolLook()).toEqual({ waiting: 0, locked: 0 });
  });

  test('keeps its order though the clock was set back meanwhile', async () => {
    const { open } = openFolder();
    const [first, second] = [open(), open()];
    await first.spoolPut([item('a', 50), item('b', 3), item('c', 60), item('d', 4)]);
    await second.spoolPut([item('e', 10), item('f', 55)]);
    first.close();
    second.close();
    expect(await keysOf(open().spoolTake())).toEqual(['e', 'a', 'b', 'f', 'c', 'd']);
  });

  test('of a process that died without a word is taken over', async () => {
    const { open } = openFolder();
    await open().spoolPut([item('a')]);
    expect(await keysOf(open({ alive: () => true }).spoolTake())).toEqual([]);
    expect(await keysOf(open({ alive: () => false }).spoolTake())).toEqual(['a']);
  });

  test('is gone on with in another file by a process whose file was taken over while it slept', async () => {
    const { open, clock, spools } = openFolder();
    const sleeper = open();
    await sleeper.spoolPut([item('a')]);
    clock.time += 60 * 60_000;
    const other = open();
    expect(await keysOf(other.spoolTake())).toEqual(['a']);
    await sleeper.spoolPut([item('b')]);
    await sleeper.spoolDone(['a']);
    expect(spools()).toHaveLength(2);
    expect(await other.spoolLook()).toMatchObject({ waiting: 2 });
  });

  test('is everything up to a line that was cut, and what is added after it', async () => {
    const { open, dir, spools } = openFolder();
    const first = open();
    await first.spoolPut([item('a')]);
    first.close();
    appendFileSync(join(dir, spools()[0] ?? ''), '{"add":{"key":"torn"');
    const second = open();
    expect(await keysOf(second.spoolTake())).toEqual(['a']);
    await second.spoolPut([item('b')]);
    await second.spoolDone(['b']);
    expect(await second.spoolLook()).toMatchObject({ waiting: 1 });
  });

  test('with a full disk is told, and nothing of it is kept', async () => {
    const { open } = openFolder();
    const state = { isFull: false };
    const spool = open({
      write: () => {
        if (state.isFull) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        throw new Error('unused');
      },
    });
    state.isFull = true;
    await expect(spool.spoolPut([item('a')])).rejects.toThrow(/ENOSPC.*Nothing was queued/);
    expect(await spool.spoolLook()).toMatchObject({ waiting: 0 });
  });

  test('that nobody can read is put aside, not deleted', async () => {
    const { open, dir } = openFolder();
    mkdirSync(dir, { recursive: true });
    const lines = ['{"add":{"key":1}}', 'no json', JSON.stringify({ add: item('a') }), ''].join('\n');
    writeFileSync(join(dir, '0123456789ab.spool'), lines);
    const spool = open();
    expect(await keysOf(spool.spoolTake())).toEqual(['a']);
    await spool.spoolDone(['a']);
    expect(readFileSync(join(dir, 'damaged', '0123456789ab.bin'), 'utf8')).toContain('no json');
  });

  test('does not grow without end while something in it waits', async () => {
    const { open, dir, spools } = openFolder();
    const spool = open();
    await spool.spoolPut([item('stays')]);
    for (let at = 0; at < 400; at++) {
      await spool.spoolPut([item(`k${at}`)]);
      await spool.spoolDone([`k${at}`]);
    }
    const lines = readFileSync(join(dir, spools()[0] ?? ''), 'utf8').split('\n');
    expect(lines.length).toBeLessThan(600);
    expect(await spool.spoolLook()).toMatchObject({ waiting: 1 });
  });

  test('is erased when everything is', async () => {
    const { open, folder } = openFolder();
    const spool = open();
    await spool.spoolPut([item('a'), item('b')]);
    expect(await spool.spoolErase()).toBe(2);
    expect(bytesUnder(folder)).not.toContain('content of');
    await spool.spoolPut([item('c')]);
    expect(await spool.spoolLook()).toMatchObject({ waiting: 1 });
  });
});

describe('sealing', () => {
  test('what is above the folder’s level never stands in the clear', async () => {
    const { open, folder } = openFolder();
    const spool = open();
    await spool.spoolPut([item('low'), item('high', 1, 'CONFIDENTIAL')]);
    expect(bytesUnder(folder)).toContain('content of low');
    expect(bytesUnder(folder)).not.toContain('content of high');
    spool.close();
    expect(await keysOf(open().spoolTake())).toEqual(['low', 'high']);
  });

  test('what nobody can read is put aside and sealed, too, and what waits beside it goes on', async () => {
    const { open, folder, dir, seal } = openFolder();
    mkdirSync(dir, { recursive: true });
    const lines = ['half of a line', JSON.stringify({ add: item('stays') }), ''].join('\n');
    writeFileSync(join(dir, '0123456789ab.spool'), lines);
    const spool = open();
    expect(await keysOf(spool.spoolTake())).toEqual(['stays']);
    seal();
    expect(spool.refit()).toBe(0);
    expect(bytesUnder(folder)).not.toContain('half of a line');
    expect(readdirSync(join(dir, 'damaged'))).toHaveLength(1);
    spool.close();
    expect(await keysOf(open().spoolTake())).toEqual(['stays']);
  });

  test('in a sealed store nothing does, and what was in the clear is sealed with it', async () => {
    const { open, folder, seal } = openFolder();
    const [own, other, left] = [open(), open(), open()];
    await own.spoolPut([item('own')]);
    await other.spoolPut([item('other')]);
    await left.spoolPut([item('left')]);
    left.close();
    seal();
    expect(own.refit()).toBe(1);
    other.poll();
    expect(own.refit()).toBe(0);
    await own.spoolPut([item('new')]);
    expect(bytesUnder(folder)).not.toContain('content of');
    own.close();
    other.close();
    expect((await keysOf(open().spoolTake())).sort()).toEqual(['left', 'new', 'other', 'own']);
  });

  test('without its key what waits is counted, and stays', async () => {
    const { open, seal, keysDir, spools, seals } = openFolder();
    seal();
    const first = open();
    await first.spoolPut([item('a')]);
    first.close();
    const stranger = open(undefined, new KeyRing({ dir: `${keysDir}-empty`, seals }));
    expect(await keysOf(stranger.spoolTake())).toEqual([]);
    expect(await stranger.spoolLook()).toMatchObject({ waiting: 1, locked: 1 });
    stranger.close();
    expect(spools()).toHaveLength(1);
    expect(await keysOf(open().spoolTake())).toEqual(['a']);
  });
});
