/** What the JSON of a record says. */

import type { KeyRing } from './keys.ts';
import { NONCE_BYTES, seal, unseal } from './seal.ts';
import { isStamp } from './stamp.ts';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** One op, as it was appended. */
export interface JournalRecord {
  /** The op id: a second record with the same id changes nothing. */
  id: string;
  /** Hybrid-clock stamp; sorts as a string. Total order: stamp, then writer. */
  stamp: string;
  /** The instance that wrote it: 12 hex digits. */
  writer: string;
  level: string;
  /** The op itself. May be of a kind that only a newer version knows. */
  payload: JsonValue;
}

/** First record of a segment: who writes it. */
export interface SegmentHeader {
  generation: number;
  pid: number;
  host: string;
  /** Unix milliseconds. */
  started: number;
}

/** Which base a store has, and from which byte on the segments are not in it. */
export interface ManifestBody {
  generation: number;
  base: string | null;
  folded: Record<string, number>;
  /** Id of the key, where the whole store is sealed. */
  sealed?: string | undefined;
}

/** Why a whole record could not be read; it is kept as it is. */
export type OpaqueReason = 'newer-version' | 'malformed' | 'key-missing' | 'seal-broken';

interface RecordFields {
  id: string;
  stamp: string;
  writer: string;
  level: string;
}

/** A line that is an op, readable or not. */
export type OpLine =
  | ({ kind: 'plain'; payload: JsonValue } & RecordFields)
  | ({
      kind: 'sealed';
      keyId: string;
      box: string;
      /** Sealed because the whole store is, whatever its level. */
      whole: boolean;
      /** In the box is not the payload, but a record that could not be read, as it stood. */
      wrapped: boolean;
    } & RecordFields)
  | { kind: 'opaque'; reason: OpaqueReason; id: string | undefined };

export type Line =
  | OpLine
  | { kind: 'header'; header: SegmentHeader }
  | { kind: 'close' }
  | { kind: 'end'; count: number }
  | { kind: 'manifest'; manifest: ManifestBody };

/** The version this code writes. A record with another one is carried along unread. */
const VERSION = 1;
/** Of records that have none of their own. */
const FIRST_STAMP = '000000000000-0000';

/** The JSON of a segment's first record. */
export function headerJson(header: SegmentHeader): string {
  return JSON.stringify({ v: VERSION, h: header });
}

/** The JSON of a segment's last record: its owner will write no more to it. */
export function closeJson(): string {
  return JSON.stringify({ v: VERSION, c: true });
}

/** The JSON of a base's last record: how many records stand before it. */
export function endJson(count: number): string {
  return JSON.stringify({ v: VERSION, e: count });
}

/** The JSON of a manifest. */
export function manifestJson(manifest: ManifestBody): string {
  return JSON.stringify({ v: VERSION, m: manifest });
}

/** The JSON of an op, in the clear. Lone surrogates survive: JSON.stringify escapes them. */
export function plainJson({ id, stamp, writer, level, payload }: JournalRecord): string {
  return JSON.stringify({ v: VERSION, id, t: stamp, w: writer, l: level, p: payload });
}

/**
 * The JSON of an op whose payload only the key's owner can read.
 * @throws KeyError when there is no key and none can be made.
 */
export function sealedJson(record: JournalRecord, keys: KeyRing, random: (n: number) => Uint8Array): string {
  return boxed(record, JSON.stringify(record.payload), keys, random, {});
}

/**
 * The JSON of a record that takes the place of one that cannot be read, where nothing may stand in the clear.
 * @param key what tells it from others (see `lineKey`)
 * @throws KeyError as above.
 */
export function wrappedJson(
  key: string,
  body: Buffer,
  keys: KeyRing,
  random: (n: number) => Uint8Array,
): string {
  const fields = { id: key, stamp: FIRST_STAMP, writer: '', level: '' };
  return boxed(fields, body.toString('utf8'), keys, random, { b: 1 });
}

function boxed(
  fields: RecordFields,
  text: string,
  keys: KeyRing,
  random: (n: number) => Uint8Array,
  marks: { readonly b?: 1 },
): string {
  const { id, stamp, writer, level } = fields;
  const key = keys.sealingKey();
  const box = seal(key.bytes, random(NONCE_BYTES), fields, text);
  const whole = keys.sealsAll() ? { a: 1 } : {};
  return JSON.stringify({
    v: VERSION,
    id,
    t: stamp,
    w: writer,
    l: level,
    k: key.id,
    s: box,
    ...whole,
    ...marks,
  });
}

export function isOp(line: Line): line is OpLine {
  return line.kind === 'plain' || line.kind === 'sealed' || line.kind === 'opaque';
}

/** What one record's JSON is, or undefined when it is not JSON or not an object. */
export function parseLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { v, id, t, w, l, k, s, a, b } = value;
  if (v !== VERSION) return opaque(typeof v === 'number' ? 'newer-version' : 'malformed', id);
  if (id === undefined) return controlLine(value);
  if (typeof id !== 'string' || !isStamp(t) || typeof w !== 'string' || typeof l !== 'string') {
    return opaque('malformed', id);
  }
  const fields = { id, stamp: t, writer: w, level: l };
  if (typeof k === 'string' && typeof s === 'string')
    return { kind: 'sealed', ...fields, keyId: k, box: s, whole: a === 1, wrapped: b === 1 };
  if (value.p === undefined) return opaque('malformed', id);
  return { kind: 'plain', ...fields, payload: value.p as JsonValue };
}

/** The op of a line, or why it cannot be read. */
export function openLine(line: OpLine, keys: KeyRing): JournalRecord | OpaqueReason {
  if (line.kind === 'opaque') return line.reason;
  const { id, stamp, writer, level } = line;
  if (line.kind === 'plain') return { id, stamp, writer, level, payload: line.payload };
  const key = keys.find(line.keyId);
  if (!key) return 'key-missing';
  const text = unseal(key.bytes, line, line.box);
  if (text === undefined) return 'seal-broken';
  if (line.wrapped) return unreadable(text);
  return { id, stamp, writer, level, payload: JSON.parse(text) as JsonValue };
}

/** What was wrapped is still not to be read by this version; a newer one may. */
function unreadable(text: string): OpaqueReason {
  const inner = parseLine(text);
  return inner?.kind === 'opaque' ? inner.reason : 'malformed';
}

/** The text in a record's box, undefined when it cannot be opened. */
export function boxText(line: Extract<OpLine, { kind: 'sealed' }>, keys: KeyRing): string | undefined {
  const key = keys.find(line.keyId);
  return key && unseal(key.bytes, line, line.box);
}

function controlLine(value: Record<string, unknown>): Line {
  const { h, c, e, m } = value;
  if (isHeader(h)) return { kind: 'header', header: h };
  if (c === true) return { kind: 'close' };
  if (typeof e === 'number') return { kind: 'end', count: e };
  if (isManifest(m)) return { kind: 'manifest', manifest: m };
  return opaque('malformed', undefined);
}

function opaque(reason: OpaqueReason, id: unknown): Line {
  return { kind: 'opaque', reason, id: typeof id === 'string' ? id : undefined };
}

function isHeader(value: unknown): value is SegmentHeader {
  return (
    isObject(value) &&
    Number.isInteger(value.generation) &&
    Number.isInteger(value.pid) &&
    typeof value.host === 'string' &&
    typeof value.started === 'number'
  );
}

function isManifest(value: unknown): value is ManifestBody {
  return (
    isObject(value) &&
    Number.isInteger(value.generation) &&
    (value.base === null || typeof value.base === 'string') &&
    isObject(value.folded) &&
    Object.values(value.folded).every((offset) => Number.isInteger(offset))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
