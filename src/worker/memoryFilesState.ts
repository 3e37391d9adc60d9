/**
 * What files and entries said when they last agreed, for one work tree. It holds hashes alone, so that nothing that is
 * deleted for good lives on in it; without it everything is merely compared anew.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { claimFile, errorCode, lookAt, removeFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { isAlive } from '../journal/liveness.ts';
import { comparable, type FileEntry } from '../memory/markdownFile.ts';
import { putFile } from '../memory/newFile.ts';
import { hashOf, StoreSealed, sweep } from './memoryFilesDisk.ts';

const VERSION = 1;
/** Far longer than a look at the files takes. */
const STALE_MS = 5 * 60 * 1000;
const WRITING_MS = 10_000;
/** A draft of the state, or a lock that was moved away, whose process ended there. */
const LEFT_OVER = /\.tmp$|\.lock\../;

/** One entry and its file. */
export interface Agreed {
  readonly name: string;
  /** Of the file's bytes. */
  readonly hash: string;
  /** Of what the entry said of itself, see `entryHash`. */
  readonly entry: string;
  /** Its description was a part of the content, see `contentOf`. */
  readonly isOwn: boolean;
  /** Hashes of what there was, by its field, and of each tag and link: who changed one of them is told by it. */
  readonly fields: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly links: readonly string[];
}

export const SCALARS = ['category', 'file', 'pathScope', 'importance', 'pinned', 'expires'] as const;
type Facts = Pick<FileEntry, (typeof SCALARS)[number] | 'tags' | 'links'>;

/** Equal for entries whose files would say the same. */
export function entryHash(entry: FileEntry): string {
  const texts = [entry.content, ...[...entry.additions].sort()].map(comparable);
  return hashOf(
    JSON.stringify([
      texts,
      SCALARS.map((name) => entry[name] ?? null),
      sorted(entry.tags),
      sorted(entry.links),
    ]),
  );
}

/** The facts of an entry as the state keeps them. */
export function agreedFacts(facts: Facts): Pick<Agreed, 'fields' | 'tags' | 'links'> {
  return {
    fields: Object.fromEntries(SCALARS.map((name) => [name, hashOf(String(facts[name] ?? ''))])),
    tags: sorted(facts.tags).map(hashOf),
    links: sorted(facts.links).map(hashOf),
  };
}

function sorted(values: readonly string[]): string[] {
  return [...values].sort();
}

export class FilesState {
  readonly #file: string;
  readonly #before: string;
  readonly #isSealed: () => boolean;
  /** By the entry's long id. */
  readonly agreed: Map<string, Agreed>;

  private constructor(file: string, text: string, isSealed: () => boolean) {
    this.#file = file;
    this.#before = text;
    this.#isSealed = isSealed;
    this.agreed = read(text);
  }

  /**
   * Opens the state of a work tree for one writer.
   * @param dir the folder of states
   * @param isSealed whether the store is, which then has no state
   * @returns undefined while another one has it
   */
  static open(
    dir: string,
    workTree: string,
    isSealed: () => boolean,
  ): { state: FilesState; release: () => void } | undefined {
    const file = join(dir, hashOf(workTree).replace(/[^A-Za-z0-9]/g, '0'));
    makeDir(dir);
    sweep(dir, LEFT_OVER, Date.now());
    const release = lock(`${file}.lock`);
    return release && { state: new FilesState(`${file}.json`, readText(`${file}.json`), isSealed), release };
  }

  /** Throws away what is known of all work trees. */
  static discard(dir: string): void {
    rmSync(dir, { recursive: true, force: true });
  }

  /** @throws StoreSealed */
  save(): void {
    const entries = [...this.agreed].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify({ version: VERSION, entries });
    if (text !== this.#before) putFile(this.#file, text);
    // Asked last, so that whoever seals the store finds either the state, or nobody who still writes it.
    if (this.#isSealed()) throw new StoreSealed();
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function read(text: string): Map<string, Agreed> {
  try {
    const { version, entries } = JSON.parse(text) as { version: unknown; entries: unknown };
    if (version !== VERSION || !Array.isArray(entries)) return new Map();
    return new Map(entries.filter(isAgreed));
  } catch {
    return new Map();
  }
}

function isAgreed(row: unknown): row is [string, Agreed] {
  if (!Array.isArray(row) || typeof row[0] !== 'string') return false;
  const agreed = row[1] as Partial<Agreed> | null;
  return (
    typeof agreed?.name === 'string' &&
    typeof agreed.hash === 'string' &&
    typeof agreed.entry === 'string' &&
    typeof agreed.fields === 'object' &&
    Array.isArray(agreed.tags) &&
    Array.isArray(agreed.links)
  );
}

/** One at a time looks at a work tree's files: two would each take what the other writes for a person's. */
function lock(file: string): (() => void) | undefined {
  const own = JSON.stringify({ pid: process.pid, host: hostname(), at: Date.now(), id: randomUUID() });
  if (!claimFile(file, own) && !(breakStale(file) && claimFile(file, own))) return undefined;
  return () => {
    if (readText(file) === own) removeFile(file);
  };
}

function breakStale(file: string): boolean {
  const text = readText(file);
  if (!isStale(text, lookAt(file)?.mtimeMs ?? 0)) return false;
  const broken = `${file}.${randomUUID()}`;
  try {
    // Of several who find it stale one alone moves it away.
    renameSync(file, broken);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return true;
  }
  const moved = readText(broken);
  rmSync(broken, { force: true });
  return moved === text;
}

function isStale(text: string, written: number): boolean {
  // Its holder is just writing it, or died as it did.
  if (text === '') return Date.now() - written > WRITING_MS;
  try {
    const { pid, host, at } = JSON.parse(text) as { pid: number; host: string; at: number };
    return Math.abs(Date.now() - at) > STALE_MS || (host === hostname() && !isAlive(pid));
  } catch {
    return true;
  }
}
