/** Secrets that a person or an agent keeps on purpose: each sealed in a file of its own, whatever its level. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode, removeFile } from '../journal/disk.ts';
import type { KeyRing } from '../journal/keys.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { openBox, sealBox } from './box.ts';
import { putFile } from './newFile.ts';

const NAME = /^[0-9a-f]{32}\.json$/;

const secretSchema = z.object({
  name: z.string(),
  value: z.string(),
  file: z.string(),
  tags: z.array(z.string()),
  at: z.number(),
  expires: z.number().optional(),
});
const fileSchema = z.object({
  level: z.enum(LEVELS),
  box: z.object({ key: z.string(), text: z.string() }),
});

export type Secret = z.infer<typeof secretSchema>;

/** The secrets of one folder. */
export class Vault {
  readonly #dir: string;
  readonly #keys: KeyRing;

  constructor(dir: string, keys: KeyRing) {
    this.#dir = dir;
    this.#keys = keys;
  }

  put(level: Level, secret: Secret): void {
    const id = idOf(level, secret.name);
    const box = sealBox(this.#keys, { id, level, place: 'vault' }, JSON.stringify(secret));
    putFile(join(this.#dir, `${id}.json`), JSON.stringify({ level, box }));
  }

  /** The secret of this name at the highest level that the reader may see. */
  get(level: Level, name: string): Secret | undefined {
    const seen = LEVELS.filter((each) => canFlowTo(each, level)).reverse();
    return seen.map((each) => this.#read(idOf(each, name))?.secret).find((secret) => secret !== undefined);
  }

  /** The secrets that a reader may see, by name. Those whose key is not here are left out. */
  list(level: Level): Secret[] {
    return this.#ids()
      .flatMap((id) => {
        const found = this.#read(id);
        return found?.secret !== undefined && canFlowTo(found.level, level) ? [found.secret] : [];
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** True when there was one. Its file is gone from disk then. */
  remove(level: Level, name: string): boolean {
    const id = idOf(level, name);
    const was = this.#read(id) !== undefined;
    removeFile(join(this.#dir, `${id}.json`));
    return was;
  }

  /** Removes every secret of a level. */
  clear(level: Level): void {
    for (const id of this.#ids())
      if (this.#read(id)?.level === level) removeFile(join(this.#dir, `${id}.json`));
  }

  #ids(): string[] {
    try {
      return readdirSync(this.#dir)
        .filter((name) => NAME.test(name))
        .map((name) => name.slice(0, -'.json'.length));
    } catch {
      return [];
    }
  }

  #read(id: string): { level: Level; secret: Secret | undefined } | undefined {
    try {
      const { level, box } = fileSchema.parse(
        JSON.parse(readFileSync(join(this.#dir, `${id}.json`), 'utf8')),
      );
      const text = openBox(this.#keys, { id, level, place: 'vault' }, box);
      return { level, secret: text === undefined ? undefined : secretSchema.parse(JSON.parse(text)) };
    } catch (error) {
      // Gone, damaged or not ours to open: as if it were not there. The file stays for whoever has the key.
      if (errorCode(error) === undefined || errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

function idOf(level: Level, name: string): string {
  return createHash('sha256').update(level).update('\0').update(name).digest('hex').slice(0, 32);
}
