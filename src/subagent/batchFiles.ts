/**
 * The records of batches on disk, one file each, so that every process can show them and none is lost when the
 * one that runs a batch dies. Only that process writes a record, until it is gone; a file is replaced whole.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../journal/disk.ts';
import { isAlive } from '../journal/liveness.ts';
import { openedAt } from '../journal/sealedPlaces.ts';
import { firstOfEach } from '../policy/level.ts';
import {
  type BatchOwner,
  type BatchRecord,
  isOpenTask,
  levelOfBatch,
  type TaskRecord,
} from './batchRecord.ts';
import { parseBatch } from './batchSchema.ts';
import { replaceFile } from './replaceFile.ts';

const NAME = /^[A-Za-z0-9_-]+\.json$/;
/** Records that nobody wrote to for so long are cleared away; what landed or can be recovered lies elsewhere. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;
/** So many of each level are kept at most: all of them are looked at again and again, and held in memory. */
const MOST = 500;
/** A running batch that nobody wrote to for so long has lost its process, whoever has its pid by now. */
const SILENT_MS = 24 * 60 * 60 * 1000;

/** This process, as the owner of batches. */
export const OWNER: BatchOwner = {
  pid: process.pid,
  host: hostname(),
  started: Math.round(performance.timeOrigin),
};

interface Saved {
  readonly batch: BatchRecord;
  /** Epoch milliseconds. */
  readonly written: number;
}

export class BatchFiles {
  readonly #dir: string;
  readonly #now: () => number;
  readonly #read = new Map<string, { stamp: string; record: Saved | undefined }>();
  /** Of this process, as they are: there was no place for them, such as on a full disk. */
  readonly #unsaved = new Map<string, BatchRecord>();

  /** @param dir the folder of all batches of a store; made with the first record */
  constructor(dir: string, now: () => number) {
    this.#dir = dir;
    this.#now = now;
  }

  /**
   * Writes a record; durable when this resolves if it is `final`, else at the system's leisure.
   * @throws what the disk says. A record of this process is then kept here, and written when there is a place for it.
   */
  async save(record: BatchRecord, final = false): Promise<void> {
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await replaceFile(join(this.#dir, `${record.id}.json`), JSON.stringify(record), final);
      this.#unsaved.delete(record.id);
    } catch (error) {
      if (record.owner === OWNER) this.#unsaved.set(record.id, record);
      throw error;
    }
  }

  /**
   * All batches, the latest first. A batch whose process is gone is answered with its open tasks as
   * `interrupted`; a file that cannot be read harms no other.
   * @param running batches that run in this process, as they are now: what is saved of them is older
   */
  async list(running: ReadonlyMap<string, BatchRecord> = new Map()): Promise<readonly BatchRecord[]> {
    // That it has no place was told when it was to be saved.
    for (const [id, record] of this.#unsaved)
      if (!running.has(id)) await this.save(record, true).catch(() => {});
    const own = new Map([...this.#unsaved, ...running]);
    let names: string[];
    try {
      names = (await readdir(this.#dir)).filter((name) => NAME.test(name)).sort();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      names = [];
    }
    for (const name of this.#read.keys()) if (!names.includes(name)) this.#read.delete(name);
    const others = names.filter((name) => !own.has(name.slice(0, -'.json'.length)));
    const saved = await Promise.all(others.map(async (name) => ({ name, one: await this.#one(name) })));
    // Ids begin with the time. What cannot be read may be of any level.
    const newest = firstOfEach(
      saved.toReversed(),
      ({ one }) => (one === undefined ? 'RESTRICTED' : levelOfBatch(one.batch)),
      MOST,
    );
    const kept = new Set(newest.map(({ name }) => name));
    for (const name of others) if (!kept.has(name)) await rm(join(this.#dir, name), { force: true });
    const now = this.#now();
    return newest
      .flatMap(({ one }) => (one === undefined ? [] : [settled(one, now)]))
      .concat([...own.values()])
      .sort((a, b) => b.started - a.started || (a.id > b.id ? -1 : 1));
  }

  /** Removes a record. */
  async remove(id: string): Promise<void> {
    this.#unsaved.delete(id);
    if (NAME.test(`${id}.json`)) await rm(join(this.#dir, `${id}.json`), { force: true });
  }

  async #one(name: string): Promise<Saved | undefined> {
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
      const batch = parseBatch(openedAt(file, await readFile(file)).toString('utf8'));
      const record = `${batch?.id}.json` === name && batch ? { batch, written: mtimeMs } : undefined;
      this.#read.set(name, { stamp, record });
      return record;
    } catch {
      return undefined;
    }
  }
}

/** The record with what its process can no longer tell. */
function settled({ batch, written }: Saved, now: number): BatchRecord {
  if (!batch.tasks.some(isOpenTask) || (now - written < SILENT_MS && !isGone(batch.owner))) return batch;
  const tasks = batch.tasks.map(
    (task): TaskRecord => (isOpenTask(task) ? { ...task, status: 'interrupted' } : task),
  );
  return { ...batch, tasks };
}

function isGone({ pid, host, started }: BatchOwner): boolean {
  if (host !== OWNER.host) return false;
  if (pid === OWNER.pid && started !== undefined) return started !== OWNER.started;
  return !isAlive(pid);
}
