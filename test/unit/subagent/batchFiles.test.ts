import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BatchFiles, OWNER } from '../../../src/subagent/batchFiles.ts';
import { type BatchRecord, NO_PROGRESS, type TaskRecord } from '../../../src/subagent/batchRecord.ts';
import { temporaryFolder } from '../support/folder.ts';

const task = (id: string, status: TaskRecord['status']): TaskRecord => ({
  ...{ id, name: id, description: '', assignment: 'do it', status, preview: '' },
  ...{ progress: NO_PROGRESS, findings: [], files: [] },
});
const record = (id: string, change: Partial<BatchRecord> = {}): BatchRecord => ({
  ...{ version: 1, id, session: 's1', level: 'PUBLIC', agent: 'task', context: '', schema: '' },
  ...{ isolated: false, background: false, started: 1, owner: { pid: process.pid, host: hostname() } },
  tasks: [task('0-A', 'running'), task('1-B', 'completed')],
  ...change,
});
/** A task whose work has these ids. */
const landed = (work: object): TaskRecord => ({
  ...task('0-A', 'completed'),
  landing: {
    state: 'recoverable',
    work: { id: 'w', head: 'a'.repeat(40), base: 'b'.repeat(40), tree: 'c'.repeat(40), ...work },
  },
});
/** No process has it: it is above every system's highest. */
const DEAD = 2 ** 30;

describe('the records of batches', () => {
  it('are read by every process, the latest first', async () => {
    const dir = join(temporaryFolder(), 'batches');
    const files = new BatchFiles(dir, Date.now);
    await files.save(record('old', { started: 1 }));
    await files.save(record('new', { started: 2 }), true);
    expect((await new BatchFiles(dir, Date.now).list()).map(({ id }) => id)).toEqual(['new', 'old']);
    await files.remove('old');
    expect((await files.list()).map(({ id }) => id)).toEqual(['new']);
  });

  it('of this process are told from memory while they have no place, and those that were removed stay gone', async () => {
    const dir = join(temporaryFolder(), 'batches');
    const files = new BatchFiles(dir, Date.now);
    const ids = async (from: BatchFiles) => (await from.list()).map(({ id }) => id).sort();
    for (const id of ['a', 'b']) {
      mkdirSync(join(dir, `${id}.json`, 'taken'), { recursive: true });
      await expect(files.save(record(id, { owner: OWNER }))).rejects.toThrow();
    }
    expect(await ids(files)).toEqual(['a', 'b']);
    await files.remove('b').catch(() => {});
    for (const id of ['a', 'b']) rmSync(join(dir, `${id}.json`), { recursive: true });
    expect(await ids(files)).toEqual(['a']);
    expect(await ids(new BatchFiles(dir, Date.now))).toEqual(['a']);
  });

  it('say of tasks whose process is gone that they were interrupted, and leave what had ended', async () => {
    const files = new BatchFiles(join(temporaryFolder(), 'batches'), Date.now);
    await files.save(record('a', { owner: { pid: DEAD, host: hostname() } }));
    await files.save(record('b', { owner: { pid: DEAD, host: 'another-machine' } }));
    const byId = new Map((await files.list()).map((one) => [one.id, one.tasks.map(({ status }) => status)]));
    expect(byId.get('a')).toEqual(['interrupted', 'completed']);
    expect(byId.get('b')).toEqual(['running', 'completed']);
  });

  it('say the same of a process whose pid has another by now, and of a batch that was silent for a day', async () => {
    const dir = join(temporaryFolder(), 'batches');
    const files = new BatchFiles(dir, Date.now);
    await files.save(record('again', { owner: { ...OWNER, started: 1 } }));
    await files.save(record('own', { owner: OWNER }));
    const statuses = async (later: number) => {
      const batches = await new BatchFiles(dir, () => Date.now() + later).list();
      return Object.fromEntries(batches.map(({ id, tasks }) => [id, tasks[0]?.status]));
    };
    expect(await statuses(0)).toEqual({ again: 'interrupted', own: 'running' });
    expect(await statuses(25 * 3_600_000)).toEqual({ again: 'interrupted', own: 'interrupted' });
  });

  it('are answered as they are now where they run in this process', async () => {
    const files = new BatchFiles(join(temporaryFolder(), 'batches'), Date.now);
    await files.save(record('a'));
    const now = record('a', { context: 'later' });
    const unsaved = record('b', { started: 2 });
    expect(
      await files.list(
        new Map([
          ['a', now],
          ['b', unsaved],
        ]),
      ),
    ).toEqual([unsaved, now]);
  });

  it('are replaced whole: a reader never sees half of one, and no draft stays', async () => {
    const dir = join(temporaryFolder(), 'batches');
    const files = new BatchFiles(dir, Date.now);
    const other = new BatchFiles(dir, Date.now);
    const saves = Array.from({ length: 40 }, (_, at) =>
      files.save(record('a', { context: 'x'.repeat(at * 1000) })),
    );
    const seen = await Promise.all(Array.from({ length: 40 }, () => other.list()));
    await Promise.all(saves);
    for (const batches of seen)
      for (const { id, tasks } of batches) expect([id, tasks.length]).toEqual(['a', 2]);
    expect(readdirSync(dir)).toEqual(['a.json']);
  });

  it('harm no other when one is damaged, strange or of a newer version', async () => {
    const dir = join(temporaryFolder(), 'batches');
    const files = new BatchFiles(dir, Date.now);
    await files.save(record('good', { tasks: [landed({})] }));
    for (const [name, text] of Object.entries({
      torn: '{"version":1,"id":"torn"',
      list: '[]',
      none: 'null',
      newer: '{"version":2,"id":"newer","owner":{"pid":1},"tasks":[]}',
      other: JSON.stringify(record('good')),
      holes: JSON.stringify({ ...record('holes'), tasks: [null] }),
      empty: JSON.stringify({ ...record('empty'), tasks: [{}] }),
      elsewhere: JSON.stringify(record('elsewhere', { session: '../../home' })),
      option: JSON.stringify(record('option', { tasks: [landed({ tree: '--output=x' })] })),
      path: JSON.stringify(record('path', { tasks: [landed({ id: '../x' })] })),
    }))
      writeFileSync(join(dir, `${name}.json`), text);
    expect((await files.list()).map(({ id }) => id)).toEqual(['good']);
  });

  it('are cleared away after three months', async () => {
    const dir = join(temporaryFolder(), 'batches');
    await new BatchFiles(dir, Date.now).save(record('a'));
    expect(await new BatchFiles(dir, () => Date.now() + 91 * 86_400_000).list()).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('are cleared away, the oldest first, when there are very many', async () => {
    const dir = join(temporaryFolder(), 'batches');
    mkdirSync(dir);
    const id = (at: number) => `m${String(at).padStart(4, '0')}`;
    for (let at = 0; at < 505; at++)
      writeFileSync(join(dir, `${id(at)}.json`), JSON.stringify(record(id(at), { started: at })));
    const found = (await new BatchFiles(dir, Date.now).list()).map((one) => one.id);
    expect([found.length, found[0], found.at(-1)]).toEqual([500, id(504), id(5)]);
    expect(readdirSync(dir)).toHaveLength(500);
  });

  it('make no room for those of another level', async () => {
    const dir = join(temporaryFolder(), 'batches');
    mkdirSync(dir);
    const put = (id: string, more: Partial<BatchRecord>) =>
      writeFileSync(join(dir, `${id}.json`), JSON.stringify(record(id, more)));
    put('m0000', {});
    for (let at = 1; at <= 501; at++)
      put(`m${String(at).padStart(4, '0')}`, { level: 'CONFIDENTIAL', started: at });
    const found = await new BatchFiles(dir, Date.now).list();
    expect([found.length, found.at(-1)?.id]).toEqual([501, 'm0000']);
  });

  it('are none where there is no folder', async () => {
    expect(await new BatchFiles(join(temporaryFolder(), 'nowhere'), Date.now).list()).toEqual([]);
  });
});
