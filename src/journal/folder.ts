/**
 * The names in a journal's folder.
 *
 *     <writer>-<n>.seg              a segment; `.retired` behind it: being folded away, still to be read
 *     base-<generation>-<seq>-<writer>.seg
 *     manifest-<seq>                the highest one counts
 *     compact.lock, damaged/, *.tmp
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode, syncDir } from './disk.ts';

const SEGMENT = /^([0-9a-f]{12}-\d+\.seg)(\.retired)?$/;
const BASE = /^base-(\d+)-(\d+)-[0-9a-f]{12}\.seg$/;
const MANIFEST = /^manifest-(\d+)$/;
/** What an interrupted compaction leaves: drafts, and locks that were being broken. */
const DRAFT = /^(?:(?:base-\d+|manifest)-(\d+)-.*\.tmp|compact\.lock\..+)$/;

export const LOCK = 'compact.lock';
export const DAMAGED = 'damaged';
const RETIRED = '.retired';

export interface BaseFile {
  name: string;
  generation: number;
  seq: number;
}

/** A folder's files by what they are for. */
export interface Listing {
  /** By the name it had while it was written, whatever it is called now. */
  segments: Map<string, string>;
  bases: BaseFile[];
  /** Sequence numbers of the manifests, ascending. */
  manifests: number[];
  drafts: { name: string; seq: number }[];
}

/** Reads the folder; one that is gone is empty. */
export function list(dir: string): Listing {
  const listing: Listing = { segments: new Map(), bases: [], manifests: [], drafts: [] };
  for (const name of namesIn(dir)) {
    const segment = SEGMENT.exec(name);
    const base = BASE.exec(name);
    const manifest = MANIFEST.exec(name);
    const draft = DRAFT.exec(name);
    if (segment?.[1]) listing.segments.set(segment[1], name);
    else if (base) listing.bases.push({ name, generation: Number(base[1]), seq: Number(base[2]) });
    else if (manifest) listing.manifests.push(Number(manifest[1]));
    else if (draft) listing.drafts.push({ name, seq: Number(draft[1] ?? 0) });
  }
  listing.manifests.sort((a, b) => a - b);
  return listing;
}

/** Names of what is in a folder, sorted; none when there is no such folder. @throws what the disk says otherwise */
export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The sequence number of the manifest that counts; 0 when there is none. */
export function latestSeq(listing: Listing): number {
  return listing.manifests.at(-1) ?? 0;
}

export function segmentName(writer: string, n: number): string {
  return `${writer}-${n}.seg`;
}

export function retiredName(segment: string): string {
  return segment + RETIRED;
}

export function isRetired(name: string): boolean {
  return name.endsWith(RETIRED);
}

export function baseName(generation: number, seq: number, writer: string): string {
  return `base-${generation}-${seq}-${writer}.seg`;
}

export function manifestName(seq: number): string {
  return `manifest-${seq}`;
}

/** Creates the folder (0700) with everything above it that is missing, durably. */
export function makeDir(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(dir); made !== dirname(made); made = dirname(made)) {
    syncDir(dirname(made));
    if (made === resolve(first)) return;
  }
}

/** Removes every copy that was put aside. */
export function purgeQuarantine(dir: string): void {
  rmSync(join(dir, DAMAGED), { recursive: true, force: true });
}
