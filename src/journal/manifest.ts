/**
 * The manifest: which base holds what was folded. There is one file per change, `manifest-<seq>`, and the
 * highest counts. A new one is put in place with `link`, which fails when the name is taken: of two processes
 * that compact at once (a lock outlived a sleeping laptop, say) one loses, and nothing that the other removed
 * can be lost through it. It also makes the name alone tell whether anything moved.
 */
import { linkSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, readFrom, removeFile, writeNewFile } from './disk.ts';
import { type Listing, latestSeq, manifestName } from './folder.ts';
import { frame, scan } from './frame.ts';
import { type Line, type ManifestBody, manifestJson, parseLine } from './record.ts';

export interface ManifestProblem {
  reason: 'unverified' | 'newer-version';
  bytes: Buffer;
}

/** How a folder is to be read. */
export interface View {
  seq: number;
  generation: number;
  /** Names of the bases to read: one or none, or every one there is when the manifest cannot tell. */
  bases: string[];
  /** Bytes of each segment that are in the base. Empty when the manifest cannot tell. */
  folded: Record<string, number>;
  /** Id of the key, where the whole store is sealed. */
  sealed?: string | undefined;
  /** What is wrong with the manifest itself; undefined when it is fine or there never was one. */
  problem?: ManifestProblem | undefined;
}

/** Remembers the last manifest read: a file of that name never changes. */
export class ManifestReader {
  readonly #dir: string;
  #last: View | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * What the folder's manifest says. Without a readable one every base and every segment counts from its first
   * byte; op ids make that right.
   */
  read(listing: Listing): View {
    const seq = latestSeq(listing);
    if (seq > 0 && this.#last?.seq === seq) return this.#last;
    const found = seq > 0 ? readManifest(join(this.#dir, manifestName(seq))) : undefined;
    if (found?.manifest) {
      const { generation, base, folded, sealed } = found.manifest;
      const bases = base === null ? [] : [base];
      this.#last = { seq, generation, bases, folded, sealed, problem: found.problem };
      return this.#last;
    }
    const generation = Math.max(0, ...listing.bases.map((base) => base.generation));
    const bases = listing.bases.map((base) => base.name);
    return { seq, generation, bases, folded: {}, problem: found?.problem };
  }
}

function readManifest(
  file: string,
): { manifest?: ManifestBody; problem?: ManifestProblem | undefined } | undefined {
  const bytes = readFrom(file, 0)?.bytes;
  if (!bytes) return undefined;
  let line: Line | undefined;
  let whole = true;
  const consumed = scan(bytes, false, {
    body(start, end) {
      line = parseLine(bytes.toString('utf8', start, end));
      return line !== undefined;
    },
    damage() {
      whole = false;
    },
  });
  const newer = line?.kind === 'opaque' && line.reason === 'newer-version';
  const problem: ManifestProblem = { reason: newer ? 'newer-version' : 'unverified', bytes };
  if (line?.kind !== 'manifest') return { problem };
  return { manifest: line.manifest, problem: whole && consumed === bytes.length ? undefined : problem };
}

/**
 * Makes `manifest` the one that counts; durable once the folder is synced.
 * @returns false when another process took this sequence number first.
 * @throws errors of the file system.
 */
export function commitManifest(
  dir: string,
  seq: number,
  writer: string,
  manifest: ManifestBody,
  step: (name: string) => void,
): boolean {
  const draft = join(dir, `manifest-${seq}-${writer}.tmp`);
  const target = join(dir, manifestName(seq));
  removeFile(draft);
  writeNewFile(draft, frame(manifestJson(manifest)));
  step('manifest written');
  try {
    linkSync(draft, target);
  } catch (error) {
    // A network file system may report a link it did make as one that was there.
    if (isSame(draft, target)) return true;
    const code = errorCode(error);
    // ENOENT: a faster compaction cleared our draft away.
    if (code === 'EEXIST' || code === 'ENOENT' || inodeOf(target) !== undefined) return false;
    // A file system without hard links; the lock has to do there.
    renameSync(draft, target);
  }
  return true;
}

function isSame(file: string, other: string): boolean {
  const inode = inodeOf(file);
  return inode !== undefined && inode === inodeOf(other);
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
