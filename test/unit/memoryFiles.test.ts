/** When the files of memory are looked at. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemoryFilesKeeper } from '../../src/memoryFiles.ts';
import type { FilesInput, FilesReport } from '../../src/worker/filesApi.ts';
import { temporaryFolder } from './support/folder.ts';

const NOTHING: FilesReport = {
  ...{ isBusy: false, written: [], removed: [], created: [], changed: [], restored: [], forgotten: [] },
  ...{ problems: [], missing: [] },
};
const CONFLICT: FilesReport = { ...NOTHING, problems: [{ kind: 'conflict', file: 'a.md', detail: 'd' }] };

function openKeeper(answers: (FilesReport | Error)[] = []) {
  const workTree = temporaryFolder();
  const state = { isOn: true, isTrusted: true };
  const asked: FilesInput[] = [];
  const told: FilesReport[] = [];
  const log: string[] = [];
  const listeners: (() => void)[] = [];
  const on = (listener: () => void) => {
    listeners.push(listener);
    return () => void listeners.splice(listeners.indexOf(listener), 1);
  };
  const keeper = new MemoryFilesKeeper({
    store: {
      filesSync: async (input) => {
        asked.push(input);
        const answer = answers.shift() ?? NOTHING;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      onChange: on,
    },
    ...{ workTree, branch: () => 'main', onWrite: on },
    settings: { get: () => state.isOn },
    trusted: () => state.isTrusted,
    log: { warn: (message) => log.push(message) },
    tell: (report) => told.push(report),
  });
  closing.push(keeper);
  return { keeper, workTree, state, asked, told, log, listeners };
}

const closing: MemoryFilesKeeper[] = [];
afterEach(async () => {
  for (const keeper of closing.splice(0)) await keeper.close();
});

describe('the files of memory', () => {
  test('are looked at when one of them, or memory, changes', async () => {
    const { workTree, asked, listeners } = openKeeper();
    await vi.waitFor(() => expect(asked).toHaveLength(1), 5000);
    const dir = join(workTree, '.lodeline', 'memory');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'a.md'), 'x');
    await vi.waitFor(() => expect(asked).toHaveLength(2), 5000);
    rmSync(join(dir, 'a.md'));
    await vi.waitFor(() => expect(asked).toHaveLength(3), 5000);
    for (const listener of listeners) listener();
    await vi.waitFor(() => expect(asked).toHaveLength(4), 5000);
  });

  test.each([
    { isOn: false, isTrusted: true },
    { isOn: true, isTrusted: false },
  ])('are left alone with %j', async (state) => {
    const opened = openKeeper();
    Object.assign(opened.state, state);
    opened.keeper.look();
    expect(await opened.keeper.sync('forget')).toBeUndefined();
    expect(opened.asked).toEqual([]);
  });

  test('that another process looks at are looked at again', async () => {
    const { keeper, asked, told } = openKeeper([{ ...NOTHING, isBusy: true }, CONFLICT]);
    await keeper.sync();
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1), 5000);
    await vi.waitFor(() => expect(told).toEqual([CONFLICT]), 5000);
  });

  test('are told of where something is new, also that it is over', async () => {
    const { keeper, told } = openKeeper([CONFLICT, CONFLICT, NOTHING, NOTHING]);
    for (let at = 0; at < 4; at++) await keeper.sync();
    expect(told).toEqual([CONFLICT, NOTHING]);
  });

  test('that cannot be written are told of once, and tried again', async () => {
    const full = new Error('The disk is full.');
    const { keeper, log, told } = openKeeper([full, full, CONFLICT]);
    for (let at = 0; at < 3; at++) await keeper.sync();
    expect(log).toEqual([full.message]);
    expect(told).toEqual([CONFLICT]);
  });

  test('that could not be written are looked at again though nothing changed', async () => {
    const { keeper, asked } = openKeeper([new Error('The disk is full.')]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await keeper.sync();
      expect(asked).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test('are not looked at after the end', async () => {
    const { keeper, asked, listeners } = openKeeper();
    await keeper.close();
    expect(listeners).toEqual([]);
    const before = asked.length;
    keeper.look();
    expect(await keeper.sync()).toBeUndefined();
    expect(asked).toHaveLength(before);
  });
});
