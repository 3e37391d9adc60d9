import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import type { AuditEvent } from '../../../src/policy/audit.ts';
import { LEVELS, type Level, maxLevel } from '../../../src/policy/level.ts';
import { Taint, TaintError } from '../../../src/policy/taint.ts';
import { temporaryFolder } from '../support/folder.ts';

const RISE = { reason: 'read a file', source: 'copilot', rule: 'file:secrets/**' };

function place() {
  const folder = temporaryFolder();
  const dir = join(folder, 'store', 'taint');
  const events: AuditEvent[] = [];
  /** What another process would have. */
  const open = () =>
    new Taint({
      dir,
      keys: () => new KeyRing({ dir: join(folder, 'keys') }),
      audit: { record: (event) => void events.push(event) },
    });
  return { folder, dir, events, open };
}

const session = (key: string, start: Level = 'PUBLIC') => ({ key, start });

describe('the taint of sessions', () => {
  it('starts at what the session starts at, and leaves no trace', () => {
    const { folder, open } = place();
    for (const level of LEVELS) expect(open().levelOf(session('s', level))).toBe(level);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(
    LEVELS.flatMap((start) => LEVELS.flatMap((one) => LEVELS.map((two) => [start, one, two] as const))),
  )('is the highest of %s, %s and %s, in every process, now and later', async (start, one, two) => {
    const { open } = place();
    const [a, b] = [open(), open()];
    await a.raise(session('s', start), one, RISE);
    await b.raise(session('s', start), two, RISE);
    const highest = maxLevel(maxLevel(start, one), two);
    for (const taint of [a, b, open()]) expect(taint.levelOf(session('s', start))).toBe(highest);
    expect(open().levelOf(session('other', start))).toBe(start);
  });

  it('audits what rose and nothing else', async () => {
    const { open, events } = place();
    const taint = open();
    expect(await taint.raise(session('s'), 'CONFIDENTIAL', RISE)).toEqual({
      before: 'PUBLIC',
      after: 'CONFIDENTIAL',
    });
    expect(await taint.raise(session('s'), 'INTERNAL', RISE)).toBeUndefined();
    expect(await open().raise(session('s'), 'CONFIDENTIAL', RISE)).toBeUndefined();
    expect(events).toEqual([
      {
        ...{ kind: 'level-raised', level: 'CONFIDENTIAL', actor: 'agent', session: 's', source: 'copilot' },
        ...{ before: 'PUBLIC', after: 'CONFIDENTIAL', tool: undefined },
        ...{ rule: 'file:secrets/**', reason: 'read a file' },
      },
    ]);
  });

  it('tells those who show it', async () => {
    const told: unknown[] = [];
    const taint = place().open();
    const stop = taint.onRaise((key, raised) => told.push([key, raised]));
    await taint.raise(session('s'), 'INTERNAL', RISE);
    stop();
    await taint.raise(session('s'), 'RESTRICTED', RISE);
    expect(told).toEqual([['s', { before: 'PUBLIC', after: 'INTERNAL' }]]);
  });

  it('does not fall when its files are taken away', async () => {
    const { open, dir } = place();
    const taint = open();
    await taint.raise(session('s'), 'RESTRICTED', RISE);
    rmSync(dir, { recursive: true });
    expect(taint.levelOf(session('s'))).toBe('RESTRICTED');
  });

  it('counts in this process although it cannot be written', async () => {
    const { open, dir, folder } = place();
    mkdirSync(join(folder, 'store'));
    writeFileSync(dir, 'in the way');
    const taint = open();
    await expect(taint.raise(session('s'), 'RESTRICTED', RISE)).rejects.toThrow(TaintError);
    rmSync(dir);
    expect(taint.levelOf(session('s'))).toBe('RESTRICTED');
  });

  it.each([
    ['damaged', () => 'x'],
    ['cut', (text: string) => text.slice(0, -9)],
    ['empty', () => ''],
  ])('cannot be told where its file is %s, and is never taken for lower', async (_, change) => {
    const { open, dir } = place();
    await open().raise(session('s'), 'INTERNAL', RISE);
    for (const name of readdirSync(dir))
      writeFileSync(join(dir, name), change(readFileSync(join(dir, name), 'utf8')));
    expect(() => open().levelOf(session('s'))).toThrow(TaintError);
    expect(open().levelOf(session('other'))).toBe('PUBLIC');
  });

  it('is not raised by files that others put there', async () => {
    const { open, dir } = place();
    await open().raise(session('s'), 'INTERNAL', RISE);
    const [name = ''] = readdirSync(dir);
    const put = (rank: number) =>
      writeFileSync(join(dir, name.replace(/-1$/, `-${rank}`)), readFileSync(join(dir, name)));
    // One level's file in the place of another's: alone it says nothing.
    put(3);
    expect(open().levelOf(session('s'))).toBe('INTERNAL');
    put(2);
    expect(() => open().levelOf(session('s'))).toThrow(TaintError);
  });

  it('counts once all its files are there, and is made whole by the next rise', async () => {
    const { open, dir } = place();
    await open().raise(session('s'), 'RESTRICTED', RISE);
    const names = readdirSync(dir).sort();
    expect(names.map((name) => name.slice(-2))).toEqual(['-1', '-2', '-3']);
    // As a process leaves it that ends before its rise was saved: the highest is there first.
    for (const name of names.slice(0, 2)) rmSync(join(dir, name));
    expect(open().levelOf(session('s'))).toBe('PUBLIC');
    await open().raise(session('s'), 'INTERNAL', RISE);
    expect(open().levelOf(session('s'))).toBe('INTERNAL');
    await open().raise(session('s'), 'CONFIDENTIAL', RISE);
    expect(open().levelOf(session('s'))).toBe('RESTRICTED');
    expect(readdirSync(dir).sort()).toEqual(names);
  });

  it('keeps keys out of names and files', async () => {
    const { open, dir } = place();
    const key = `../${'태스크'.normalize('NFD')}\ud800`;
    await open().raise(session(key), 'INTERNAL', RISE);
    expect(open().levelOf(session(key))).toBe('INTERNAL');
    for (const name of readdirSync(dir)) {
      expect(name).toMatch(/^[0-9a-f]{32}-1$/);
      expect(readFileSync(join(dir, name), 'utf8')).not.toContain('..');
    }
  });
});
