import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conflictsOf, foldsCase } from '../../../src/session/presenceConflicts.ts';
import type { Presence } from '../../../src/session/presenceRecord.ts';
import { START, temporaryFolder } from '../support/folder.ts';

function session(key: string, files: readonly string[], changes: Partial<Presence> = {}): Presence {
  return {
    ...{ key, agent: key, branch: 'main', level: 'PUBLIC', root: '/r', window: '', capture: false },
    ...{ started: START, seen: START, ended: 0 },
    files: Object.fromEntries(files.map((file) => [file, START])),
    ...changes,
  };
}

const found = (sessions: readonly Presence[], ignoresCase = false) =>
  conflictsOf(sessions, ignoresCase).map(({ file, sessions }) => [file, ...sessions]);

describe('a soft conflict', () => {
  it('is a file that several sessions touched', () => {
    const sessions = [
      session('a', ['x', 'y']),
      session('b', ['y', 'z'], { branch: '' }),
      session('c', ['y']),
    ];
    expect(found(sessions)).toEqual([['y', 'a@main', 'b', 'c@main']]);
  });

  it('is found however Hangul is composed', () => {
    expect(
      found([session('a', ['한글.ts'.normalize('NFC')]), session('b', ['한글.ts'.normalize('NFD')])]),
    ).toHaveLength(1);
  });

  it('heeds case only where the file system does', () => {
    const sessions = [session('a', ['Src/A.ts']), session('b', ['src/a.ts'])];
    expect(found(sessions)).toEqual([]);
    expect(found(sessions, true)).toEqual([['Src/A.ts', 'a@main', 'b@main']]);
  });

  it('is not between work trees', () => {
    expect(found([session('a', ['x']), session('b', ['x'], { root: '/other' })])).toEqual([]);
  });

  it('is not between a window and its own chats, and is between two windows or two chats', () => {
    const window = session('w1', ['x'], { window: 'w1' });
    const chat = session('c1', ['x'], { window: 'w1' });
    expect(found([window, chat])).toEqual([]);
    expect(found([window, chat, session('c2', ['x'], { window: 'w1' })])).toEqual([
      ['x', 'c1@main', 'c2@main'],
    ]);
    expect(found([window, session('w2', ['x'], { window: 'w2' })])).toHaveLength(1);
    expect(found([window, chat, session('w2', ['x'], { window: 'w2' })])).toEqual([
      ['x', 'c1@main', 'w2@main'],
    ]);
  });

  it('knows what a file system does with case', () => {
    const folder = temporaryFolder();
    const dir = join(folder, 'presence');
    expect(foldsCase(dir)).toBe(false);
    mkdirSync(dir);
    mkdirSync(join(folder, 'PRESENCE'), { recursive: true });
    expect(foldsCase(dir)).toBe(true);
  });
});
