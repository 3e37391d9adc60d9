import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readChains } from '../../../src/journal/chainReader.ts';
import { type ChainOptions, ChainWriter } from '../../../src/journal/chainWriter.ts';
import { frame } from '../../../src/journal/frame.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { temporaryFolder } from '../support/folder.ts';

function chains(options: Partial<ChainOptions> = {}) {
  const folder = temporaryFolder();
  const dir = join(folder, 'audit');
  const keys = new KeyRing({ dir: join(folder, 'keys') });
  const clock = { time: 1_000_000 };
  const writer = (more: Partial<ChainOptions> = {}) =>
    new ChainWriter({
      ...{ dir, keys, sealed: (level: string) => level !== 'PUBLIC', now: () => clock.time++ },
      ...options,
      ...more,
    });
  const read = () => readChains(dir, new KeyRing({ dir: join(folder, 'keys') }));
  const file = (at = 0) => join(dir, readdirSync(dir).sort(byIndex)[at] ?? '');
  return { dir, folder, keys, clock, writer, read, file };
}

function byIndex(a: string, b: string): number {
  const index = (name: string) => Number(/-(\d+)\./.exec(name)?.[1]);
  return index(a) - index(b);
}

/** The framed lines of a file. */
function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

/** Puts lines in a file's place; texts that are not framed are framed rightly. */
function rewrite(file: string, parts: readonly string[]): void {
  writeFileSync(
    file,
    Buffer.concat(parts.map((part) => (part.startsWith('\x1e') ? Buffer.from(`${part}\n`) : frame(part)))),
  );
}

function bodyOf(line: string): string {
  return line.slice(10);
}

describe('a hash-chained log', () => {
  it('leaves no trace before the first record', () => {
    const { folder, writer, read } = chains();
    writer().close();
    expect(read()).toEqual({ files: 0, records: [], problems: [], torn: [] });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reads back what several writers wrote, and seals what is not for all', () => {
    const { writer, read, dir } = chains();
    const [one, other] = [writer(), writer()];
    one.append({ what: 'open' }, 'PUBLIC', true);
    other.append({ what: 'hidden falcon' }, 'RESTRICTED', true);
    one.append({ what: 'more' }, 'PUBLIC', false);
    const { records, problems, files } = read();
    expect({ problems, files }).toEqual({ problems: [], files: 2 });
    expect(records.map(({ payload }) => payload)).toEqual(
      expect.arrayContaining([{ what: 'open' }, { what: 'hidden falcon' }, { what: 'more' }]),
    );
    const bytes = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
    expect(bytes.join()).not.toContain('falcon');
    expect(readChains(dir, new KeyRing({ dir: join(dir, 'none') }))).toMatchObject({ problems: [] });
  });

  it('rotates, keeps the last files only, and verifies to what is kept', () => {
    const { writer, read, dir } = chains({ maxFileBytes: 2_000, maxFiles: 3 });
    const log = writer();
    for (let each = 0; each < 200; each++) {
      log.append({ each }, 'PUBLIC', false);
      expect(read().problems).toEqual([]);
    }
    expect(readdirSync(dir)).toHaveLength(3);
    expect(read().records.at(-1)?.payload).toEqual({ each: 199 });
    expect(read().records.length).toBeGreaterThan(10);
  });

  it.each([
    ['changed', (all: string[]) => all.with(3, all[3]?.replace('"each":2', '"each":7') ?? ''), 3],
    [
      'changed with its checksum',
      (all: string[]) => all.with(3, bodyOf(all[3] ?? '').replace('"each":2', '"each":7')),
      3,
    ],
    ['taken out', (all: string[]) => all.toSpliced(3, 1), 3],
    ['taken out at the beginning', (all: string[]) => all.toSpliced(1, 1), 1],
    ['put twice', (all: string[]) => all.toSpliced(3, 0, all[3] ?? ''), 3],
    ['swapped', (all: string[]) => all.with(3, all[4] ?? '').with(4, all[3] ?? ''), 3],
    ['put in', (all: string[]) => all.toSpliced(4, 0, bodyOf(all[3] ?? '').replace('"n":3', '"n":4')), 3],
  ])('says which record was %s', (_, change, record) => {
    const { writer, read, file } = chains();
    const log = writer();
    for (let each = 0; each < 6; each++) log.append({ each }, 'PUBLIC', false);
    expect(read().problems).toEqual([]);
    const name = file();
    rewrite(name, change(lines(name)));
    const [first] = read().problems;
    expect(first).toEqual({ file: name.split('/').at(-1), record, reason: 'changed' });
  });

  it('tells one broken place once', () => {
    const { writer, read, file } = chains();
    const log = writer();
    for (let each = 0; each < 6; each++) log.append({ each }, 'PUBLIC', false);
    const all = lines(file());
    rewrite(file(), all.with(2, all[2]?.replace('each', 'xxxx') ?? ''));
    expect(read().problems).toHaveLength(1);
  });

  it('notices a sealed record that was changed, also the last one', () => {
    const { writer, read, file } = chains();
    writer().append({ each: 1 }, 'RESTRICTED', true);
    const all = lines(file());
    rewrite(file(), all.with(1, bodyOf(all[1] ?? '').replace('RESTRICTED', 'INTERNAL')));
    expect(read().problems).toMatchObject([{ record: 1, reason: 'changed' }]);
  });

  it.each([
    ['first', 0, 0],
    ['middle', 2, undefined],
  ])('notices that the %s file of a chain is gone', (_, gone, record) => {
    const { writer, read, file, dir } = chains({ maxFileBytes: 1_000, maxFiles: 5 });
    const log = writer();
    do log.append({ text: 'x'.repeat(200) }, 'PUBLIC', false);
    while (readdirSync(dir).length < 4);
    const name = file(gone);
    rmSync(name);
    expect(read().problems).toMatchObject([
      { file: name.split('/').at(-1), reason: 'file-missing', ...(record === undefined ? {} : { record }) },
    ]);
  });

  it('takes an unfinished end for what it is, wherever it was cut', () => {
    const { writer, read, file } = chains();
    const log = writer();
    for (let each = 0; each < 3; each++) log.append({ each }, 'PUBLIC', false);
    const whole = readFileSync(file());
    const last = whole.lastIndexOf(0x1e);
    for (let end = whole.length - 2; end > last; end--) {
      truncateSync(file(), end);
      const { problems, torn, records } = read();
      expect({ problems, records: records.length, torn: torn.length }).toEqual({
        problems: [],
        records: 2,
        torn: 1,
      });
    }
    truncateSync(file(), last);
    appendFileSync(file(), Buffer.alloc(100));
    expect(read()).toMatchObject({ problems: [], torn: [{ bytes: 100 }] });
  });

  it('goes on after a write that failed halfway, and stays whole', () => {
    const { writer, read } = chains();
    let room = Number.POSITIVE_INFINITY;
    const log = writer({
      seam: {
        write: (fd, bytes, offset, length) => {
          if (room <= 0)
            throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
          const some = Math.min(length, room);
          room -= some;
          writeFileSync(fd, bytes.subarray(offset, offset + some));
          return some;
        },
      },
    });
    log.append({ each: 0 }, 'PUBLIC', false);
    for (const left of [0, 1, 50]) {
      room = left;
      expect(() => log.append({ lost: left }, 'PUBLIC', false)).toThrow(/Not recorded: ENOSPC/);
      room = Number.POSITIVE_INFINITY;
      log.append({ after: left }, 'PUBLIC', true);
    }
    expect(read()).toMatchObject({ problems: [], torn: [] });
    expect(read().records.map(({ payload }) => payload)).toEqual([
      { each: 0 },
      { after: 0 },
      { after: 1 },
      { after: 50 },
    ]);
  });

  it('drops whole chains of ended writers, the oldest first, and says so; never one of a living writer', () => {
    const { writer, read, dir } = chains({ maxTotalBytes: 3_000 });
    const dead: string[] = [];
    for (let each = 0; each < 5; each++) {
      const log = writer({ maxTotalBytes: Number.POSITIVE_INFINITY });
      log.append({ text: 'x'.repeat(900) }, 'PUBLIC', false);
      log.close();
      const name = readdirSync(dir).find((one) => one.startsWith(log.writer)) ?? '';
      utimesSync(join(dir, name), each + 1, each + 1);
      dead.push(name);
    }
    const now = () => 2 * 24 * 60 * 60 * 1000;
    const own = writer({ now });
    own.append({ text: 'new' }, 'PUBLIC', false);
    const left = readdirSync(dir);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(dead.slice(3)));
    expect(readFileSync(join(dir, `${own.writer}-0.chain`), 'utf8')).toContain(dead[0]);
    expect(read().problems).toEqual([]);
    // Not silent for a day, and of a process that lives: they stay, however many there are.
    for (const name of left) utimesSync(join(dir, name), now() / 1000, now() / 1000);
    writer({ now, maxTotalBytes: 0 }).append({}, 'PUBLIC', false);
    expect(readdirSync(dir)).toHaveLength(4);
    writer({ now, maxTotalBytes: 0, seam: { alive: () => false } }).append({}, 'PUBLIC', false);
    expect(readdirSync(dir)).toHaveLength(1);
    expect(read().problems).toEqual([]);
  });

  it('notices that its file was taken away, and so does whoever verifies', () => {
    const { writer, read, file } = chains();
    const log = writer();
    log.append({ each: 0 }, 'PUBLIC', false);
    rmSync(file());
    log.append({ each: 1 }, 'PUBLIC', false);
    expect(read().records.map(({ payload }) => payload)).toEqual([{ each: 1 }]);
    expect(read().problems).toMatchObject([{ reason: 'file-missing' }]);
  });

  it('keeps its files to the person', () => {
    const { writer, file, dir } = chains();
    writer().append({}, 'PUBLIC', true);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });
});
