/**
 * The files of hash-chained logs, in one folder:
 *
 *     <writer>-<n>.chain      written by one process only, n counting up from 0
 *
 * A file is a sequence of framed lines (see frame.ts). Each line names the SHA-256 of the line before it, also across
 * the files of its writer; the first line of a file says who writes it and which of its files are still kept.
 */
import { createHash } from 'node:crypto';
import { namesIn } from './folder.ts';
import type { KeyRing } from './keys.ts';
import type { JsonValue } from './record.ts';
import { unseal } from './seal.ts';

const NAME = /^([0-9a-f]{12})-(\d{1,9})\.chain$/;
const VERSION = 1;
/** What the first line of a chain names as the one before it. */
export const CHAIN_START = '0'.repeat(64);

export interface ChainFileName {
  readonly name: string;
  readonly writer: string;
  readonly index: number;
}

/** First line of a file. */
export interface ChainHeader {
  readonly pid: number;
  readonly host: string;
  /** The lowest index of this writer's files that is still kept. */
  readonly first: number;
  /** Files of ended writers that this one removed to keep the folder within its bounds. */
  readonly dropped: readonly string[];
}

interface LineFields {
  /** Counts the lines of one writer, headers too, from 0. */
  readonly seq: number;
  /** SHA-256 of the line before, as 64 hex digits. */
  readonly prev: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export type ChainLine =
  | ({ readonly kind: 'header'; readonly header: ChainHeader } & LineFields)
  | ({ readonly kind: 'plain'; readonly level: string; readonly payload: JsonValue } & LineFields)
  | ({
      readonly kind: 'sealed';
      readonly level: string;
      readonly keyId: string;
      readonly box: string;
    } & LineFields);

export function chainFileName(writer: string, index: number): string {
  return `${writer}-${index}.chain`;
}

/** The files in the folder, by writer and index; a folder that is not there has none. @throws when it cannot be read. */
export function listChains(dir: string): ChainFileName[] {
  return namesIn(dir)
    .flatMap((name) => {
      const [, writer, index] = NAME.exec(name) ?? [];
      return writer === undefined ? [] : [{ name, writer, index: Number(index) }];
    })
    .sort((a, b) => (a.writer === b.writer ? a.index - b.index : a.writer < b.writer ? -1 : 1));
}

/** SHA-256 of a line's JSON, as 64 hex digits. */
export function hashOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** What a seal vouches for beside its text. */
export function sealedFields(writer: string, level: string, { seq, at }: Pick<LineFields, 'seq' | 'at'>) {
  return { id: `audit-${seq}`, stamp: String(at), writer, level };
}

/** The JSON of a line. */
export function lineJson(line: ChainLine): string {
  const { seq, prev, at } = line;
  const head = { v: VERSION, n: seq, h: prev, t: at };
  if (line.kind === 'header') return JSON.stringify({ ...head, f: line.header });
  if (line.kind === 'plain') return JSON.stringify({ ...head, l: line.level, p: line.payload });
  return JSON.stringify({ ...head, l: line.level, k: line.keyId, s: line.box });
}

/** The line that a verified body is, or undefined when it is none of this version. */
export function parseChainLine(text: string): ChainLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.v !== VERSION) return undefined;
  const { n, h, t, f, l, p, k, s } = value;
  if (!isCount(n) || typeof h !== 'string' || typeof t !== 'number' || !Number.isFinite(t)) return undefined;
  const fields = { seq: n, prev: h, at: t };
  if (isHeader(f)) return { kind: 'header', ...fields, header: f };
  if (typeof l !== 'string') return undefined;
  if (typeof k === 'string' && typeof s === 'string')
    return { kind: 'sealed', ...fields, level: l, keyId: k, box: s };
  return p === undefined ? undefined : { kind: 'plain', ...fields, level: l, payload: p as JsonValue };
}

/** What a record says, or why it cannot be read. */
export function openChainLine(
  line: Exclude<ChainLine, { kind: 'header' }>,
  writer: string,
  keys: KeyRing,
): { readonly payload: JsonValue } | 'key-missing' | 'seal-broken' {
  if (line.kind === 'plain') return { payload: line.payload };
  const key = keys.find(line.keyId);
  if (key === undefined) return 'key-missing';
  const text = unseal(key.bytes, sealedFields(writer, line.level, line), line.box);
  return text === undefined ? 'seal-broken' : { payload: JSON.parse(text) as JsonValue };
}

function isHeader(value: unknown): value is ChainHeader {
  return (
    isObject(value) &&
    isCount(value.pid) &&
    typeof value.host === 'string' &&
    isCount(value.first) &&
    Array.isArray(value.dropped) &&
    value.dropped.every((name) => typeof name === 'string')
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
