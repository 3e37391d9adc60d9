/**
 * What was set up in which file, so that it can be undone: `~/.lodeline/init/<file>.json`. It holds what Lodeline put
 * in and nothing of what others wrote.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { claimFile, errorCode, removeFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { isAlive } from '../journal/liveness.ts';
import { putFile } from '../memory/newFile.ts';
import { removeEmptyFolders } from './agentConfigFile.ts';

const RECORD = z.object({
  version: z.literal(1),
  /** The file, behind links. */
  file: z.string(),
  /** The folder that it may not lead out of. */
  base: z.string(),
  format: z.enum(['json', 'toml']),
  /** Whether there was none before. */
  created: z.boolean(),
  /** Folders that were made for it, outermost first. */
  folders: z.array(z.string()),
  /** Hash of the text with everything put in. */
  after: z.string(),
  insertions: z.array(z.object({ at: z.number(), text: z.string() })),
  added: z.array(z.object({ path: z.array(z.string()), value: z.unknown(), inList: z.boolean().optional() })),
  made: z.array(z.array(z.string())),
  /** For whom: the workspace folder, and the agent or `vocabulary`. */
  users: z.array(z.object({ root: z.string(), agent: z.string() })),
});

export type ConfigRecord = z.infer<typeof RECORD>;

/** Far longer than any set-up takes. */
const PATIENCE_MS = 10_000;
const LOCK = 'lock';

export class ConfigRecords {
  readonly #dir: string;

  constructor(home: string) {
    this.#dir = join(home, '.lodeline', 'init');
  }

  /** Runs something while no other process sets up anything. @throws when another one does for too long. */
  async alone<T>(run: () => Promise<T> | T): Promise<T> {
    makeDir(this.#dir);
    const lock = join(this.#dir, LOCK);
    for (let waited = 0; !this.#claim(lock); waited += 50) {
      if (waited >= PATIENCE_MS)
        throw new Error(`Another process is setting up agents. If none is, remove ${lock} and try again.`);
      await sleep(50);
    }
    try {
      return await run();
    } finally {
      removeFile(lock);
      removeEmptyFolders([this.#dir]);
    }
  }

  /** The record of a file; undefined when there is none, or it cannot be made out. */
  read(file: string): ConfigRecord | undefined {
    const record = this.#parse(nameOf(file));
    return record?.file === file ? record : undefined;
  }

  /** All records. */
  all(): ConfigRecord[] {
    try {
      return readdirSync(this.#dir)
        .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
        .sort()
        .flatMap((name) => this.#parse(name) ?? []);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  write(record: ConfigRecord): void {
    putFile(join(this.#dir, nameOf(record.file)), `${JSON.stringify(record)}\n`);
  }

  remove(file: string): void {
    removeFile(join(this.#dir, nameOf(file)));
  }

  #parse(name: string): ConfigRecord | undefined {
    try {
      return RECORD.parse(JSON.parse(readFileSync(join(this.#dir, name), 'utf8')));
    } catch {
      return undefined;
    }
  }

  /** A lock whose holder is gone is nobody's. */
  #claim(lock: string): boolean {
    // The folder goes with its last record.
    makeDir(this.#dir);
    try {
      if (claimFile(lock, String(process.pid))) return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
    try {
      const holder = Number(readFileSync(lock, 'utf8'));
      // An empty one is being written at this moment, or its writer was killed while it was.
      const isLeft = holder > 0 ? !isAlive(holder) : Date.now() - statSync(lock).mtimeMs > PATIENCE_MS;
      if (isLeft) removeFile(lock);
    } catch {
      return false;
    }
    return false;
  }
}

/** A hash of a text, to see whether it is still the same. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function nameOf(file: string): string {
  return `${hashOf(file).slice(0, 24)}.json`;
}
