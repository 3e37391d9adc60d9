import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import { ownName } from '../../../src/session/foreignPresenceRecord.ts';
import { type Attendance, PresenceBoard } from '../../../src/session/presence.ts';
import { ACTIVE_MS } from '../../../src/session/presenceRecord.ts';
import { bytesUnder } from '../support/files.ts';
import { START, temporaryFolder } from '../support/folder.ts';

const PARTS = ['.toon-memory', 'memory', 'sessions'];

/** A work tree in which the other program is used, and boards of ours on it. */
function place({ theirs = true } = {}) {
  const root = realpathSync(temporaryFolder());
  const dir = join(root, ...PARTS);
  if (theirs) mkdirSync(dir, { recursive: true });
  const clock = { time: START };
  const living = { value: true };
  const board = () =>
    new PresenceBoard({
      ...{ dir: join(root, '.git', 'lodeline', 'presence'), root, defaultLevel: 'INTERNAL' },
      ...{ now: () => clock.time, alive: () => living.value },
    });
  const chat: Attendance = { key: 'a', agent: 'copilot', branch: 'feature/x', level: 'PUBLIC', root };
  /** A heartbeat as the other program writes it: in place, with two spaces. */
  const put = (id: string, files: readonly string[], changes: object = {}) => {
    const now = new Date(clock.time).toISOString();
    const record = {
      ...{ id, agent: 'opencode', pid: 999_999, branch: 'foo', startedAt: now, lastSeen: now, ended: false },
      files: Object.fromEntries(files.map((file) => [file, now])),
      ...changes,
    };
    writeFileSync(join(dir, `${id}.json`), JSON.stringify(record, null, 2));
  };
  const own = (key = 'a') => JSON.parse(readFileSync(join(dir, ownName(key)), 'utf8'));
  return { root, dir, clock, living, board, chat, put, own };
}

const keysOf = (board: PresenceBoard) => board.view('INTERNAL').sessions.map(({ key }) => key);
const conflictsIn = (board: PresenceBoard) =>
  board.view('INTERNAL').conflicts.map(({ file, sessions }) => [file, ...sessions]);

describe('sessions of agents that run the other program', () => {
  it('are seen, and stand in conflict with ours', () => {
    const { board, chat, put } = place();
    const own = board();
    own.attend([{ ...chat, files: ['src/shared.ts', 'src/own.ts'] }]);
    put('sess-B', ['src/shared.ts']);
    expect(keysOf(own)).toEqual(['a', 'toon-memory:sess-B']);
    expect(conflictsIn(own)).toEqual([['src/shared.ts', 'copilot@feature/x', 'opencode@foo']]);
    expect(own.view('PUBLIC').sessions.map(({ key }) => key)).toEqual(['a']);
  });

  it('are seen for ten minutes, until they end, and not from the future', () => {
    const { board, put, clock } = place();
    const own = board();
    put('a', []);
    put('over', [], { ended: true });
    put('ahead', [], { lastSeen: new Date(START + ACTIVE_MS + 1).toISOString() });
    put('skewed', [], { lastSeen: new Date(START + ACTIVE_MS).toISOString() });
    expect(keysOf(own).toSorted()).toEqual(['toon-memory:a', 'toon-memory:skewed']);
    clock.time += ACTIVE_MS;
    expect(keysOf(own)).toContain('toon-memory:a');
    clock.time += 1;
    expect(keysOf(own)).not.toContain('toon-memory:a');
  });

  it('are one with ours when hooks of both tell of them', () => {
    const { board, chat, put, dir } = place();
    const own = board();
    put('a', ['x.ts']);
    own.attend([{ ...chat, files: ['x.ts'] }]);
    expect(keysOf(own)).toEqual(['a']);
    expect(conflictsIn(own)).toEqual([]);
    expect(readdirSync(dir)).toEqual(['a.json']);
    put('a', ['x.ts'], { ended: true });
    own.attend([chat]);
    expect(readdirSync(dir)).toContain(ownName('a'));
  });

  it('say what they said before while their file is half written', () => {
    const { board, put, dir } = place();
    const own = board();
    put('b', ['x.ts']);
    expect(keysOf(own)).toEqual(['toon-memory:b']);
    writeFileSync(join(dir, 'b.json'), '{"id": "b", "age');
    expect(keysOf(own)).toEqual(['toon-memory:b']);
    expect(keysOf(board())).toEqual([]);
  });

  it('harm nothing, whatever lies in their folder', () => {
    const { board, chat, put, dir, root } = place();
    put('good', ['x.ts']);
    writeFileSync(join(dir, 'huge.json'), `{"x": "${'y'.repeat(300_000)}"}`);
    writeFileSync(join(dir, 'broken.json'), '{');
    writeFileSync(join(dir, 'no.txt'), '{}');
    mkdirSync(join(dir, 'folder.json'));
    writeFileSync(
      join(root, 'elsewhere.json'),
      readFileSync(join(dir, 'good.json'), 'utf8').replace('good', 'link'),
    );
    symlinkSync(join(root, 'elsewhere.json'), join(dir, 'link.json'));
    symlinkSync(join(dir, 'loop.json'), join(dir, 'loop.json'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(dir, 'pipe.json')]);
    const own = board();
    own.attend([{ ...chat, files: ['x.ts'] }]);
    expect(keysOf(own)).toEqual(['a', 'toon-memory:good']);
    own.leave(['a']);
    own.erase();
    expect(readdirSync(dir)).toHaveLength(process.platform === 'win32' ? 7 : 8);
  });

  it('are looked at up to a bound, the ones written last first', () => {
    const { board, put, dir } = place();
    for (let n = 0; n < 1_000; n++) {
      put(`s-${n}`, []);
      if (n < 800) utimesSync(join(dir, `s-${n}.json`), START / 1000, START / 1000);
    }
    const seen = keysOf(board());
    expect(seen).toHaveLength(200);
    expect(seen).not.toContain('toon-memory:s-0');
  });
});

describe('sessions of ours in their folder', () => {
  it('stand there in their format, by the spelling that theirs use', () => {
    const { board, chat, put, own, root, dir } = place();
    const one = board();
    one.attend([{ ...chat, files: ['src/a.ts'] }]);
    expect(own()).toEqual({
      ...{ id: ownName('a').replace('.json', ''), agent: 'copilot', pid: process.pid, branch: 'feature/x' },
      ...{ startedAt: '2026-07-12T09:00:00.000Z', lastSeen: '2026-07-12T09:00:00.000Z', ended: false },
      files: { 'src/a.ts': '2026-07-12T09:00:00.000Z' },
    });
    expect(keysOf(one)).toEqual(['a']);
    put('b', [join(root, 'src', 'a.ts')]);
    one.attend([chat]);
    expect(Object.keys(own().files)).toEqual([join(root, 'src', 'a.ts')]);
    expect(readdirSync(dir).toSorted()).toEqual(['b.json', ownName('a')].toSorted());
    expect(lstatSync(join(dir, ownName('a'))).mode & 0o777).toBe(0o600);
  });

  it('are never the reason that the folder is made, nor written through a link', () => {
    const without = place({ theirs: false });
    without.board().attend([{ ...without.chat, files: ['a.ts'] }]);
    expect(existsSync(join(without.root, '.toon-memory'))).toBe(false);
    for (const at of [1, 2, 3]) {
      const { root, board, chat } = place({ theirs: false });
      const target = temporaryFolder();
      mkdirSync(join(target, ...PARTS.slice(at)), { recursive: true });
      mkdirSync(join(root, ...PARTS.slice(0, at - 1)), { recursive: true });
      symlinkSync(target, join(root, ...PARTS.slice(0, at)));
      const own = board();
      own.attend([chat]);
      writeFileSync(join(target, ...PARTS.slice(at), 'x.json'), '{}');
      expect(keysOf(own)).toEqual(['a']);
      expect(bytesUnder(target)).toBe('{}');
    }
  });

  it('end with their files freed, and are cleared away later, with those of dead processes', () => {
    const { board, chat, own, dir, clock, living, put } = place();
    const one = board();
    put('theirs', [], { ended: true });
    one.attend([
      { ...chat, files: ['a.ts'] },
      { ...chat, key: 'killed' },
    ]);
    clock.time += 1_000;
    one.leave(['a']);
    expect(own()).toMatchObject({ ended: true, files: {} });
    clock.time += ACTIVE_MS + 1;
    one.attend([{ ...chat, key: 'c' }]);
    // The process of `killed` seems to live: it may only be slow.
    const left = (...keys: string[]) => ['theirs.json', ...keys.map(ownName)].toSorted();
    expect(readdirSync(dir).toSorted()).toEqual(left('killed', 'c'));
    living.value = false;
    one.attend([{ ...chat, key: 'c' }]);
    expect(readdirSync(dir).toSorted()).toEqual(left('c'));
  });

  it('clear away what a killed process left half written', () => {
    const { board, chat, dir } = place();
    const draft = '.lodeline-0123456789abcdef-01234567.tmp';
    writeFileSync(join(dir, draft), '{');
    utimesSync(join(dir, draft), 0, 0);
    board().attend([chat]);
    expect(readdirSync(dir)).toEqual([ownName('a')]);
  });

  it('are taken back with everything else, and nothing of theirs is', () => {
    const { board, chat, dir, put } = place();
    put('theirs', []);
    const one = board();
    one.attend([chat, { ...chat, key: 'b' }]);
    one.erase();
    expect(readdirSync(dir)).toEqual(['theirs.json']);
  });

  it('are not there while they are above the folder’s level, nor what their window saves', () => {
    const { board, chat, dir } = place();
    const one = board();
    one.attend([{ ...chat, files: ['quiet.ts'] }]);
    one.attend([{ ...chat, level: 'CONFIDENTIAL', window: 'w', files: ['merger.md'] }]);
    one.attend([{ ...chat, key: 'w', agent: 'vscode', window: 'w', files: ['merger.md'] }]);
    expect(bytesUnder(dir)).not.toMatch(/merger|quiet|copilot/);
    expect(readdirSync(dir)).toEqual([ownName('w')]);
  });

  it('do not stand in the way of their own window', () => {
    const { board, chat, own } = place();
    const one = board();
    one.attend([{ ...chat, window: 'w', files: ['agent.ts'] }]);
    one.attend([{ ...chat, key: 'w', agent: 'vscode', window: 'w', files: ['agent.ts', 'person.ts'] }]);
    expect(Object.keys(own('w').files)).toEqual(['person.ts']);
  });

  it('fail for nobody where they cannot be written', () => {
    const { board, chat, dir } = place();
    mkdirSync(join(dir, ownName('a')));
    const one = board();
    one.attend([chat]);
    expect(keysOf(one)).toEqual(['a']);
    expect(readdirSync(dir)).toEqual([ownName('a')]);
  });
});

it('tells nothing of ours there while the store is sealed, takes back what was told, and sees theirs', () => {
  const { root, dir, board, chat, put } = place();
  const file = 'secret-plan.ts';
  board().attend([{ ...chat, files: [file] }]);
  expect(readdirSync(dir)).toEqual([ownName('a')]);
  const store = join(root, '.git', 'lodeline');
  const seals = new SealSwitch(store);
  const keys = new KeyRing({ dir: join(root, 'keys'), seals });
  seals.put({ state: 'sealing', key: keys.newStoreKey().id });
  const own = new PresenceBoard({
    ...{ dir: join(store, 'presence'), root, defaultLevel: 'INTERNAL', now: () => START, keys },
  });
  own.refit();
  expect(readdirSync(dir)).toEqual([]);
  own.attend([{ ...chat, key: 'b', files: [file] }]);
  own.leave(['a']);
  expect(readdirSync(dir)).toEqual([]);
  expect(bytesUnder(store)).not.toContain('secret-plan');
  put('sess-B', [file]);
  expect(conflictsIn(own)).toEqual([[file, 'copilot@feature/x', 'opencode@foo']]);
  seals.put({ state: 'plain', key: keys.newStoreKey().id });
  own.attend([{ ...chat, key: 'b', files: [file] }]);
  expect(readdirSync(dir).sort()).toEqual([ownName('b'), 'sess-B.json'].sort());
});

it('is shared with a peer of another process, also one that is killed', async () => {
  const { board, chat, dir, root, own } = place();
  const one = new PresenceBoard({
    ...{ dir: join(root, '.git', 'lodeline', 'presence'), root, defaultLevel: 'PUBLIC', now: Date.now },
  });
  one.attend([{ ...chat, files: ['src/a.ts'] }]);
  // A peer of its own making: it reads what is there and says the same of itself, over and over.
  const script = `
    const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
    const beat = () => {
      const others = readdirSync('.').filter((name) => name.endsWith('.json') && name !== 'peer.json')
        .map((name) => JSON.parse(readFileSync(name, 'utf8')));
      const files = Object.assign({}, ...others.map((other) => other.files));
      const now = new Date().toISOString();
      writeFileSync('peer.json', JSON.stringify({ id: 'peer', agent: 'claude', pid: process.pid, branch: 'foo',
        startedAt: now, lastSeen: now, ended: false, files }, null, 2));
    };
    beat(); console.log('ready'); setInterval(beat, 1);`;
  const peer = spawn(process.execPath, ['-e', script], { cwd: dir });
  const ended = new Promise((resolve) => peer.on('close', resolve));
  await new Promise((resolve, reject) => {
    peer.stdout.once('data', resolve);
    peer.once('error', reject);
  });
  const seen = () => one.view('PUBLIC').conflicts.map(({ file }) => file);
  expect(seen()).toEqual(['src/a.ts']);
  for (let n = 0; n < 50; n++) {
    one.attend([{ ...chat, files: [`src/${n}.ts`] }]);
    // Half written files hide nobody.
    expect(keysOf(one)).toContain('toon-memory:peer');
  }
  peer.kill('SIGKILL');
  await ended;
  expect(existsSync(join(dir, 'peer.json'))).toBe(true);
  expect(Object.keys(own().files)).toHaveLength(51);
  expect(board().view('INTERNAL').sessions).toEqual([]);
});
