import { createHash } from 'node:crypto';
import { type Level, levelRank } from '../policy/level.ts';
import type { Author, Category, Importance, Origin, Status } from './entry.ts';

/**
 * How a text joins an entry. `create`: it was new to the writer. `keep`: the entry had a content, which
 * stays; this becomes a revision shown with it. `replace`: this is the content from now on.
 */
export type TextMode = 'create' | 'keep' | 'replace';

/** Attributes with one value; the last writer wins. `null` clears. */
export interface Attributes {
  readonly category?: Category;
  readonly file?: string;
  readonly expires?: number | null;
  readonly importance?: Importance | null;
  readonly confidence?: number;
  /** Quality without its recency part (see quality.ts). */
  readonly quality?: number;
  readonly pinned?: boolean;
  readonly pathScope?: string;
  readonly origin?: Origin;
  readonly status?: Status;
  readonly confirmed?: boolean;
  readonly supersededBy?: string;
  readonly reason?: string;
}

export interface Delta {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

export type Signature = Pick<Author, 'actor' | 'source' | 'session' | 'branch'>;

interface OperationText {
  readonly value: string;
  readonly mode: TextMode;
}

/** Creates or changes one entry. */
export interface PutOperation {
  readonly op: 'put';
  readonly key: string;
  /** Wall clock, epoch milliseconds; the order of operations is the journal's stamp, not this. */
  readonly at: number;
  readonly by: Signature;
  readonly text?: OperationText;
  /** Texts that follow it, each with whose it is. All of an operation is written, or nothing of it. */
  readonly more?: readonly (OperationText & { readonly by: Signature })[];
  readonly set?: Attributes;
  readonly tags?: Delta;
  readonly links?: Delta;
}

/**
 * A person's hard delete: every earlier operation on the entry is void and leaves the disk. It names the entry by
 * a digest, since a key may say as much as a content.
 */
export interface EraseOperation {
  readonly op: 'erase';
  /** The entry's long id (see `entryIds`). */
  readonly entry: string;
  readonly at: number;
  readonly by: Signature;
  readonly reason: string;
}

/** The summary of a file, or its removal by an empty text. */
export interface SummaryOperation {
  readonly op: 'summary';
  readonly file: string;
  readonly text: string;
  readonly at: number;
  readonly by: Signature;
}

export type Operation = PutOperation | EraseOperation | SummaryOperation;

/** An operation with its place in the total order. */
export interface Stamped<Op extends Operation = Operation> {
  readonly stamp: string;
  readonly writer: string;
  readonly operation: Op;
}

/** Total order of operations: hybrid-clock stamp, then writer. */
export function compareStamped(
  a: Pick<Stamped, 'stamp' | 'writer'>,
  b: Pick<Stamped, 'stamp' | 'writer'>,
): number {
  if (a.stamp !== b.stamp) return a.stamp < b.stamp ? -1 : 1;
  if (a.writer !== b.writer) return a.writer < b.writer ? -1 : 1;
  return 0;
}

/** Whether a journal payload is an operation this version knows. */
export function isOperation(payload: unknown): payload is Operation {
  if (typeof payload !== 'object' || payload === null || !('op' in payload)) return false;
  if (payload.op === 'summary') return 'file' in payload && typeof payload.file === 'string';
  if (payload.op === 'erase') return 'entry' in payload && typeof payload.entry === 'string';
  return payload.op === 'put' && 'key' in payload && typeof payload.key === 'string';
}

/** The form in which keys are compared and stored: NFC, trimmed, without halves of characters. */
export function normalizeKey(key: string): string {
  return key.toWellFormed().normalize('NFC').trim();
}

/** The form in which texts are compared: they are kept as written, and differ only where a reader sees it. */
export function comparableText(text: string): string {
  return text.normalize('NFC');
}

/** The form in which tags are compared and stored: as keys, in lower case, each once, none empty. */
export function normalizeTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => normalizeKey(tag).toLowerCase()))].filter((tag) => tag !== '');
}

/** Seed 001 shows ids of eight characters. */
const ID_LENGTH = 8;

/**
 * Ids of the entry with this key at this level, in base 36. They are derived, so two processes that create the
 * same key at once mean the same entry. The long one serves when the short one is taken: 39 bits make that a
 * 1-in-100 event among 100,000 keys. The last two bits are the level's, so that no entry takes the id of one at
 * another level, which would tell of it there.
 */
export function entryIds(level: Level, key: string): { short: string; long: string } {
  const digest = createHash('sha256').update(level).update('\0').update(key).digest();
  const bits = (digest.readBigUInt64BE(0) & ~3n) | BigInt(levelRank(level));
  const long = bits.toString(36).padStart(13, '0');
  return { short: shortOf(long), long };
}

/** The short id that a long one ends with. */
export function shortOf(long: string): string {
  return long.slice(-ID_LENGTH);
}
