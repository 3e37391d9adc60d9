import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Attendance, PresenceBoard } from '../../../src/session/presence.ts';
import { ACTIVE_MS } from '../../../src/session/presenceRecord.ts';
import { bytesUnder } from '../support/files.ts';
import { START, temporaryFolder } from '../support/folder.ts';

const CHAT: Attendance = { key: 'a', agent: 'copilot', branch: 'main', level: 'PUBLIC', root: '/r' };
const OTHER: Attendance = { ...CHAT, key: 'b', agent: 'claude-code' };

/** Boards of one folder are what several processes have of it. */
function boards(count: number) {
  const dir = join(temporaryFolder(), 'presence');
  const clock = { time: START };
  const living = { value: true };
  const open = () =>
    new PresenceBoard({ dir, defaultLevel: 'INTERNAL', now: () => clock.time, alive: () => living.value });
  return { dir, clock, living, open, all: Array.from({ length: count }, open) };
}

const filesOf = (board: PresenceBoard) => board.view('PUBLIC').sessions.map(({ key, files }) => [key, files]);

it('shows each session with its agent, branch and files to every process', () => {
  const { all } = boards(2);
  const [one, two] = all as [PresenceBoard, PresenceBoard];
  one.attend([{ ...CHAT, files: ['src/a.ts'] }]);
  two.attend([{ ...OTHER, branch: 'feature/x', files: ['src/b.ts'] }]);
  one.attend([{ ...CHAT, files: ['src/c.ts'] }]);
  for (const board of all) {
    expect(board.view('PUBLIC').sessions).toMatchObject([
      { key: 'a', agent: 'copilot', branch: 'main', files: ['src/a.ts', 'src/c.ts'], started: START },
      { key: 'b', agent: 'claude-code', branch: 'feature/x', files: ['src/b.ts'] },
    ]);
  }
});

it('tells of what a session did above a level nothing below it, also where it is at work there as well', () => {
  const dir = join(temporaryFolder(), 'presence');
  const clock = { time: START };
  const open = () => new PresenceBoard({ dir, defaultLevel: 'CONFIDENTIAL', now: () => clock.time });
  const [one, two] = [open(), open()];
  one.attend([{ ...CHAT, level: 'CONFIDENTIAL', files: ['merger.ts'] }]);
  for (const board of [one, two]) {
    clock.time += 1000;
    board.attend([{ ...CHAT, files: ['a.ts'] }]);
    expect(two.view('PUBLIC').sessions).toMatchObject([
      { key: 'a', files: ['a.ts'], started: START + 1000, seen: clock.time },
    ]);
  }
});

it('joins what several processes saw of one session', () => {
  const { all, open } = boards(3);
  all.forEach((board, n) => {
    board.attend([{ ...CHAT, files: [`${n}.ts`] }]);
  });
  expect(filesOf(open())).toEqual([['a', ['0.ts', '1.ts', '2.ts']]]);
});

it('frees the files of a session that ended, also those that others saw, until it goes on', () => {
  const { all, clock } = boards(2);
  const [one, two] = all as [PresenceBoard, PresenceBoard];
  one.attend([{ ...CHAT, files: ['a.ts'] }]);
  two.attend([{ ...CHAT, files: ['b.ts'] }]);
  clock.time += 1000;
  two.leave(['a']);
  expect(one.view('PUBLIC').sessions).toEqual([]);
  one.attend([{ ...CHAT, files: ['c.ts'] }]);
  for (const board of all) expect(filesOf(board)).toEqual([['a', ['c.ts']]]);
});

it('takes a session for active for ten minutes, and forgets it when its process is gone, too', () => {
  const { all, clock, dir, living } = boards(2);
  const [one, two] = all as [PresenceBoard, PresenceBoard];
  one.attend([{ ...CHAT, files: ['a.ts'] }]);
  clock.time += ACTIVE_MS;
  expect(two.view('PUBLIC').sessions).toHaveLength(1);
  clock.time += 1;
  expect(two.view('PUBLIC').sessions).toEqual([]);
  two.attend([OTHER]);
  expect(readdirSync(dir)).toHaveLength(2);
  living.value = false;
  two.attend([OTHER]);
  expect(readdirSync(dir)).toHaveLength(1);
  expect(bytesUnder(dir)).not.toContain('a.ts');
});

it('survives clocks that are put right, in either direction', () => {
  const { all, clock } = boards(1);
  const [board] = all as [PresenceBoard];
  clock.time += 365 * 86_400_000;
  board.attend([{ ...CHAT, files: ['future.ts'] }]);
  board.leave(['a']);
  board.attend([{ ...OTHER, files: ['future.ts'] }]);
  clock.time = START;
  expect(board.view('PUBLIC').sessions).toEqual([]);
  board.attend([
    { ...CHAT, files: ['now.ts'] },
    { ...OTHER, files: ['now.ts'] },
  ]);
  expect(filesOf(board)).toEqual([
    ['a', ['now.ts']],
    ['b', ['now.ts']],
  ]);
  clock.time -= 60_000;
  board.attend([{ ...CHAT, files: ['back.ts'] }]);
  expect(filesOf(board)[0]).toEqual(['a', ['back.ts', 'now.ts']]);
});

it('believes of a damaged file only what is as it should be', () => {
  const { all, dir } = boards(1);
  const [board] = all as [PresenceBoard];
  board.attend([CHAT]);
  const good = { ...OTHER, window: '', capture: false, started: START, seen: START, ended: 0, files: {} };
  const bad = [null, 3, {}, { ...good, level: 'SECRET' }, { ...good, seen: 'x' }, { ...good, files: null }];
  const said = {
    ...bad,
    b: { ...good, files: { '../../etc/passwd': START, 'x\n• you': START, 'ok.ts': START, 'y.ts': null } },
    __proto__: { ...good, key: '__proto__' },
  };
  writeFileSync(join(dir, '00000000-1-00000000.json'), JSON.stringify(said));
  expect(filesOf(board)).toEqual([
    ['a', []],
    ['b', ['ok.ts']],
  ]);
});

it('keeps the files touched last when there are too many', () => {
  const { all, clock } = boards(1);
  const [board] = all as [PresenceBoard];
  for (let n = 0; n < 250; n++) {
    clock.time += 1;
    board.attend([{ ...CHAT, files: [`${n}.ts`] }]);
  }
  const [[, files = []] = []] = filesOf(board);
  expect(files).toHaveLength(200);
  expect(files).toContain('249.ts');
  expect(files).not.toContain('0.ts');
});

it('shows nothing of a session above the reader', () => {
  const { all, dir } = boards(1);
  const [board] = all as [PresenceBoard];
  const files = ['plans/merger.md'];
  board.attend([
    { ...CHAT, files },
    { ...OTHER, level: 'INTERNAL', files },
    { ...OTHER, key: 'c', level: 'CONFIDENTIAL', files: ['plans/secret.md'] },
  ]);
  const below = board.view('PUBLIC');
  expect(below.sessions).toMatchObject([{ key: 'a', files }]);
  expect(below.conflicts).toEqual([]);
  expect(board.view('INTERNAL').conflicts).toMatchObject([{ file: 'plans/merger.md' }]);
  expect(bytesUnder(dir)).not.toContain('secret.md');
});

it('takes no name for a file that leads elsewhere or breaks a line', () => {
  const { all } = boards(1);
  const [board] = all as [PresenceBoard];
  board.attend([
    { ...CHAT, files: ['../x', '/etc/passwd', 'C:\\x', 'a\nb', '', '.git/config', '\ud800', 'ok'] },
  ]);
  expect(filesOf(board)).toEqual([['a', ['ok']]]);
});
