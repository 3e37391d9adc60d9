import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Usage {
  used: number;
  lastUsed: number | undefined;
}

const NEVER: Readonly<Usage> = { used: 0, lastUsed: undefined };
/** More files than this are merged into one when a store opens. */
const MERGE_ABOVE = 16;
const SUFFIX = '.json';
/** The last moment that a date can name. */
const LAST_MOMENT = 8.64e15;

/**
 * How often, and when last, entries were returned to readers. Each process rewrites a file of its own, without
 * fsync: losing the last few counts in a crash harms nobody.
 */
export class AccessCounts {
  readonly #dir: string;
  readonly #file: string;
  readonly #others = new Map<string, Usage>();
  readonly #own = new Map<string, Usage>();
  #dirty = false;

  /** `writer` names this process's own file; it holds only file-name-safe characters. */
  constructor(dir: string, writer: string) {
    this.#dir = dir;
    this.#file = join(dir, `${writer}${SUFFIX}`);
    this.#load();
  }

  usage(id: string): Readonly<Usage> {
    const own = this.#own.get(id);
    const others = this.#others.get(id);
    if (own === undefined || others === undefined) return own ?? others ?? NEVER;
    return { used: own.used + others.used, lastUsed: Math.max(own.lastUsed ?? 0, others.lastUsed ?? 0) };
  }

  count(id: string, now: number): void {
    const usage = this.#own.get(id) ?? { used: 0, lastUsed: undefined };
    this.#own.set(id, { used: usage.used + 1, lastUsed: now });
    this.#dirty = true;
  }

  /** Makes the counts at least these, as another tool kept them. `lastUsed`: epoch milliseconds. */
  raise(id: string, used: number, lastUsed: number | undefined): void {
    const known = this.usage(id);
    const own = this.#own.get(id) ?? NEVER;
    const missing = Math.max(0, used - known.used);
    const last = Math.max(own.lastUsed ?? 0, lastUsed ?? 0);
    if (missing === 0 && last <= (known.lastUsed ?? 0)) return;
    this.#own.set(id, { used: own.used + missing, lastUsed: last === 0 ? undefined : last });
    this.#dirty = true;
  }

  /** Writes this process's counts if they changed. A failure is ignored: counts are a convenience. */
  flush(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      replaceFile(this.#file, serialize(this.#own));
    } catch {
      this.#dirty = true;
    }
  }

  clear(): void {
    this.#own.clear();
    this.#others.clear();
    this.#dirty = false;
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #load(): void {
    let names: string[];
    try {
      names = readdirSync(this.#dir).filter((name) => name.endsWith(SUFFIX));
    } catch {
      return;
    }
    for (const name of names) {
      for (const [id, usage] of readCounts(join(this.#dir, name))) {
        const known = this.#others.get(id) ?? NEVER;
        this.#others.set(id, {
          used: known.used + usage.used,
          lastUsed: Math.max(known.lastUsed ?? 0, usage.lastUsed ?? 0),
        });
      }
    }
    if (names.length > MERGE_ABOVE) this.#merge(names);
  }

  /** A live process whose file is merged away writes it again with its own counts only: a few may count twice. */
  #merge(names: readonly string[]): void {
    try {
      replaceFile(join(this.#dir, `merged${SUFFIX}`), serialize(this.#others));
      for (const name of names)
        if (name !== `merged${SUFFIX}`) rmSync(join(this.#dir, name), { force: true });
    } catch {
      // A full or read-only disk: the files stay as they are.
    }
  }
}

function serialize(counts: ReadonlyMap<string, Usage>): string {
  return JSON.stringify([...counts].map(([id, { used, lastUsed }]) => [id, used, lastUsed ?? 0]));
}

function readCounts(file: string): [string, Usage][] {
  try {
    const rows: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(rows)) return [];
    return rows.flatMap((row: unknown): [string, Usage][] => {
      if (!Array.isArray(row)) return [];
      const [id, used, lastUsed] = row as unknown[];
      if (typeof id !== 'string' || !isCount(used) || !isCount(lastUsed) || lastUsed > LAST_MOMENT) return [];
      return [[id, { used, lastUsed }]];
    });
  } catch {
    return [];
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function replaceFile(file: string, content: string): void {
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, file);
}
