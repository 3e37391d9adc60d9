import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { App, AttendingSession } from '../../src/appApi.ts';
import { keepStanding } from '../../src/standing.ts';
import { temporaryFolder } from './support/folder.ts';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A folder with or without a store, and what is said about it. */
function place({ store = true, makesStore = false, fails = false } = {}) {
  const folder = temporaryFolder();
  const storeDir = join(folder, 'store');
  if (store) mkdirSync(storeDir);
  const said: AttendingSession[] = [];
  const warnings: string[] = [];
  const app = {
    storeDir,
    attend: async (session: AttendingSession) => {
      if (fails) throw new Error('the disk is full');
      said.push(session);
    },
  } as unknown as App;
  const open = { app: app as App | undefined };
  const standing = keepStanding(
    {
      app: async () => open.app,
      session: () => ({ key: 'w', agent: 'vscode' }),
      warn: (message) => warnings.push(message),
    },
    () => makesStore,
  );
  return { folder, storeDir, said, warnings, open, standing };
}

it('says each minute that it is there, until it ends', async () => {
  const { said, standing } = place();
  expect(said).toEqual([]);
  await vi.advanceTimersByTimeAsync(3 * MINUTE);
  expect(said.length).toBeGreaterThanOrEqual(3);
  expect(said[0]).toEqual({ key: 'w', agent: 'vscode', paths: [] });
  const before = said.length;
  standing.end();
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(said).toHaveLength(before);
});

it('says at once which files were touched', async () => {
  const { said, standing } = place();
  await standing.beat(['/r/a.ts']);
  expect(said).toEqual([{ key: 'w', agent: 'vscode', paths: ['/r/a.ts'] }]);
});

it('leaves nothing behind in a folder that is only looked at, unless it is told to', async () => {
  const { said, standing, storeDir } = place({ store: false });
  await standing.beat();
  expect(said).toEqual([]);
  mkdirSync(storeDir);
  await standing.beat();
  expect(said).toHaveLength(1);
  const other = place({ store: false, makesStore: true });
  await other.standing.beat();
  expect(other.said).toHaveLength(1);
});

it('says nothing without a folder, and goes on after a failure', async () => {
  const { said, standing, open } = place();
  open.app = undefined;
  await standing.beat();
  expect(said).toEqual([]);
  const failing = place({ fails: true });
  await failing.standing.beat();
  expect(failing.warnings).toEqual([expect.stringContaining('the disk is full')]);
});
