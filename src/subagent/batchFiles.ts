/**
 * The records of batches on disk, one file each, so that every process can show them and none is lost when the
 * one that runs a batch dies. Only that process writes a record, until it is gone; a file is replaced whole.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../journal/disk.ts';
import { isAlive } from '../journal/liveness.ts';
import { type BatchRecord, isOpenTask, type TaskRecord } from './batchRecord.ts';

const NAME = /^[A-Za-z0-9_-]+\.json$/;
/** Records that nobody wrote to for so long are cleared away; what landed or can be recovered lies elsewhere. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

export class BatchFiles {
  readonly #dir: string;
  readonly #now: () => number;
  readonly #read = new Map<string, { stamp: string; record: BatchRecord | undefined }>();
  #drafts = 0;

  /** @param dir the folder of all batches of a store; made with the first record */
  constructor(dir: string, now: () => number) {
    this.#dir = dir;
    this.#now = now;
  }

  /** Writes a record; durable when this resolves if it is `final`, else at the system's leisure. */
  async save(record: BatchRecord, final = false): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const file = join(this.#dir, `${record.id}.json`);
    const draft = `${file}.${process.pid}-${this.#drafts++}.tmp`;
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(record));
        if (final) await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /**
   * All batches, the latest first. A batch whose process is gone is answered with its open tasks as
   * `interrupted`; a file that cannot be read harms no other.
   */
  async list(): Promise<readonly BatchRecord[]> {
    let names: string[];
    try {
      names = (await readdir(this.#dir)).filter((name) => NAME.test(name));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
    for (const name of this.#read.keys()) if (!names.includes(name)) this.#read.delete(name);
    const records = await Promise.all(names.map((name) => this.#one(name)));
    return records
      .filter((record) => record !== undefined)
      .map(settled)
      .sort((a, b) => b.started - a.started || (a.id > b.id ? -1 : 1));
  }

  /** Removes a record. */
  async remove(id: string): Promise<void> {
    if (NAME.test(`${id}.json`)) await rm(join(this.#dir, `${id}.json`), { force: true });
  }

  async #one(name: string): Promise<BatchRecord | undefined> {
    const file = join(this.#dir, name);
    try {
      const { size, mtimeMs, ino } = await stat(file);
      if (this.#now() - mtimeMs > KEPT_MS) {
        await rm(file, { force: true });
        return undefined;
      }
      const stamp = `${size} ${mtimeMs} ${ino}`;
      const known = this.#read.get(name);
      if (known?.stamp === stamp) return known.record;
      const record = parse(await readFile(file, 'utf8'), name);
      this.#read.set(name, { stamp, record });
      return record;
    } catch {
      return undefined;
    }
  }
}

/** Undefined for what is no record of ours, or one of a newer version. */
function parse(text: string, name: string): BatchRecord | undefined {
  const value = JSON.parse(text) as Partial<BatchRecord> | null;
  const isRecord =
    value?.version === 1 &&
    `${value.id}.json` === name &&
    typeof value.owner?.pid === 'number' &&
    Array.isArray(value.tasks);
  return isRecord ? (value as BatchRecord) : undefined;
}

/** The record with what its process can no longer tell. */
function settled(record: BatchRecord): BatchRecord {
  if (!record.tasks.some(isOpenTask) || !isGone(record.owner)) return record;
  const tasks = record.tasks.map(
    (task): TaskRecord => (isOpenTask(task) ? { ...task, status: 'interrupted' } : task),
  );
  return { ...record, tasks };
}

function isGone({ pid, host }: BatchRecord['owner']): boolean {
  return host === hostname() && !isAlive(pid);
}
