/**
 * How a record stands in a transcript: one line of JSON whose last two fields are
 *
 *     "prev"   the hash of the line before, empty in the first
 *     "hash"   SHA-256 of this line's bytes up to here, its first 128 bits
 *
 * As `prev` is among the hashed bytes, each hash speaks for the whole transcript up to its line. 128 bits: what
 * must be infeasible is a second line with the hash of a given one, and half the digits keep the lines short.
 * The chain shows accidents and careless edits; who can write the file can make a new chain, which is why
 * sealed content is also bound to its place by the seal.
 *
 * Content above the folder's default level, or all where the store is sealed, is sealed: `key` and `box` stand in the
 * place of the content.
 * Lines of the reference format (seed 002: none of these fields) are read, too, as long as they come first.
 */
import { hash, randomBytes } from 'node:crypto';
import type { KeyRing } from '../journal/keys.ts';
import { NONCE_BYTES, type SealedFields, seal, unseal } from '../journal/seal.ts';
import { canFlowTo, type Level, parseLevel } from '../policy/level.ts';
import type { OpaqueReason, RecordBody, RecordHead, SessionRecord } from './record.ts';

const HASH_DIGITS = 32;
const HASH_KEY = ',"hash":"';
const LINE_END = '"}';
const LINE_FEED = Buffer.from('\n');
/** Every field of a line that is not content. */
const HEAD_FIELDS: ReadonlySet<string> = new Set([
  ...['uuid', 'parent_uuid', 'session_id', 'agent_id', 'is_sidechain', 'timestamp'],
  ...['type', 'level', 'seq', 'prev'],
]);
const TRAILER = HASH_KEY.length + HASH_DIGITS + LINE_END.length;

export interface CodecOptions {
  readonly keys: KeyRing;
  /** What is above the folder's default level is sealed. */
  readonly defaultLevel: Level;
  /** Content above this level is not opened. Without it everything is. */
  readonly reader?: Level | undefined;
}

export interface DecodedLine {
  record: SessionRecord;
  /** Undefined in a line of the reference format. */
  prev: string | undefined;
  hash: string;
  /** Its content is in a box. */
  isSealed: boolean;
}

type Shape = { [K in RecordBody['type']]: (value: unknown) => boolean };

/** The field that holds a record's content has the record's type as its name. This is what it must look like. */
const CONTENT: Shape = {
  session: (value) => hasText(value, 'key') && hasText(value, 'kind'),
  message: (value) => isObject(value) && typeof value.role === 'string' && Array.isArray(value.content),
  // The reference once wrote only the number of tokens.
  boundary: (value) => isObject(value) || typeof value === 'number',
  checkpoint: (value) => hasText(value, 'event'),
  branch_summary: (value) => hasText(value, 'checkpoint'),
  rewind_report: (value) => hasText(value, 'checkpoint') && hasText(value, 'report'),
  todo: hasPhases,
  todo_edit: hasPhases,
  todo_steps: (value) => isObject(value) && Array.isArray(value.steps),
  todo_told: isObject,
  told: isObject,
  provenance: (value) => hasText(value, 'source'),
  run: (value) => hasText(value, 'id') && hasText(value, 'requester') && hasText(value, 'target'),
  reconciled: (value) => isObject(value) && Array.isArray(value.calls),
  run_record: (value) => hasText(value, 'instance') && isObject(value) && isObject(value.policy),
  intent: (value) => areCalls(value, 'call'),
  outcome: (value) => areCalls(value, 'call'),
  acknowledged: (value) => areCalls(value, 'id'),
  fold_opened: (value) => hasText(value, 'block') && hasText(value, 'call_id'),
  returned: (value) => isObject(value) && (value.to === undefined || typeof value.to === 'string'),
  end: (value) => hasText(value, 'reason'),
};

/** A list is shown, edited and exported without further questions, so all of it must be what it says. */
function hasPhases(value: unknown): boolean {
  return (
    isObject(value) && isPhases(value.phases) && (value.cleared === undefined || isPhases(value.cleared))
  );
}

function isPhases(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPhase);
}

function isPhase(value: unknown): boolean {
  return (
    hasText(value, 'name') &&
    isObject(value) &&
    Array.isArray(value.tasks) &&
    value.tasks.every((task) => hasText(task, 'content') && hasText(task, 'status'))
  );
}

/** Whether there is a list of calls, each of which has a text in this field. */
function areCalls(value: unknown, field: string): boolean {
  return isObject(value) && Array.isArray(value.calls) && value.calls.every((call) => hasText(call, field));
}

/** Makes lines of records, and records of lines. */
export class LineCodec {
  readonly #options: CodecOptions;

  constructor(options: CodecOptions) {
    this.#options = options;
  }

  /**
   * The line of a record, with its line feed, and its hash.
   * @throws KeyError when it must be sealed and there is no key.
   */
  encode(head: RecordHead, body: RecordBody, prev: string): { bytes: Buffer; hash: string } {
    const { level, seq, ...names } = head;
    const content = contentOf(body);
    const said = this.seals(level) ? this.#sealed(head, body.type, content) : content;
    return this.#chained({ ...names, type: body.type, ...said, level, seq, prev });
  }

  /** Whether the content of a record at this level is to be sealed at this moment. */
  seals(level: Level): boolean {
    return this.#options.keys.sealsAll() || !canFlowTo(level, this.#options.defaultLevel);
  }

  /** Whether only the store's switch has a record of this level sealed. */
  isBelowSeal(level: Level): boolean {
    return canFlowTo(level, this.#options.defaultLevel);
  }

  /**
   * A line that verified, with its line feed, after another `prev` and in the form that counts. What it says is taken over
   * as it stands, whether this version knows it or not; what cannot be opened stays in its box.
   * @throws KeyError when it must be sealed and the key is not here.
   */
  refit(
    bytes: Buffer,
    start: number,
    end: number,
    seq: number,
    prev: string,
  ): { bytes: Buffer; hash: string } {
    const { hash: _, ...value } = JSON.parse(bytes.toString('utf8', start, end)) as Record<string, unknown>;
    const isOurs = value.seq !== undefined;
    const head = this.#head(isOurs ? value : { ...value, level: this.#options.defaultLevel, seq });
    if (head === undefined || (!isOurs && !this.seals(head.level)))
      return {
        bytes: Buffer.concat([bytes.subarray(start, end), LINE_FEED]),
        hash: digest(bytes.subarray(start, end)),
      };
    const { level, seq: _seq, ...names } = head;
    const type = String(value.type);
    const rest = Object.entries(value).filter(([name]) => !HEAD_FIELDS.has(name));
    const { key, box } = value;
    let said: object = Object.fromEntries(rest);
    if (typeof key === 'string' && typeof box === 'string') {
      const found = this.seals(level) ? undefined : this.#options.keys.find(key);
      const text = found && unseal(found.bytes, sealedFields(head, type), box);
      if (text !== undefined) said = JSON.parse(text) as object;
    } else if (this.seals(level)) said = this.#sealed(head, type, said);
    return this.#chained({ ...names, type, ...said, level, seq, prev });
  }

  #chained(value: object): { bytes: Buffer; hash: string } {
    const json = JSON.stringify(value);
    const bytes = Buffer.from(
      `${json.slice(0, -1)}${HASH_KEY}${'0'.repeat(HASH_DIGITS)}${LINE_END}\n`,
      'utf8',
    );
    const end = bytes.length - 1;
    const own = digest(bytes.subarray(0, end - TRAILER));
    bytes.write(own, end - TRAILER + HASH_KEY.length, 'latin1');
    return { bytes, hash: own };
  }

  /** The record in bytes [start, end), or undefined when they do not verify as one, or not as the one at `seq`. */
  decode(bytes: Buffer, start: number, end: number, seq?: number): DecodedLine | undefined {
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString('utf8', start, end));
    } catch {
      return undefined;
    }
    if (!isObject(value)) return undefined;
    if (value.seq === undefined && value.prev === undefined && value.hash === undefined) {
      const head = this.#head({ ...value, level: this.#options.defaultLevel, seq: seq ?? 0 });
      if (!head || value.level !== undefined) return undefined;
      return {
        record: this.#record(head, value),
        prev: undefined,
        hash: digest(bytes.subarray(start, end)),
        isSealed: false,
      };
    }
    if (typeof value.prev !== 'string' || (seq !== undefined && value.seq !== seq)) return undefined;
    const at = end - TRAILER;
    if (at <= start || bytes.toString('latin1', at, at + HASH_KEY.length) !== HASH_KEY) return undefined;
    const own = digest(bytes.subarray(start, at));
    const head = this.#head(value);
    if (value.hash !== own || !head) return undefined;
    const isSealed = typeof value.key === 'string' && typeof value.box === 'string';
    return { record: this.#record(head, value), prev: value.prev, hash: own, isSealed };
  }

  #sealed(head: RecordHead, type: string, content: object): { key: string; box: string } {
    const key = this.#options.keys.sealingKey();
    const box = seal(key.bytes, randomBytes(NONCE_BYTES), sealedFields(head, type), JSON.stringify(content));
    return { key: key.id, box };
  }

  #head(value: Record<string, unknown>): RecordHead | undefined {
    const { uuid, parent_uuid, session_id, agent_id, is_sidechain, timestamp, seq } = value;
    const level = typeof value.level === 'string' ? parseLevel(value.level) : undefined;
    if (typeof uuid !== 'string' || typeof session_id !== 'string' || typeof timestamp !== 'string') {
      return undefined;
    }
    if (!level || typeof seq !== 'number') return undefined;
    return {
      uuid,
      ...(typeof parent_uuid === 'string' ? { parent_uuid } : {}),
      session_id,
      ...(typeof agent_id === 'string' ? { agent_id } : {}),
      ...(is_sidechain === true ? { is_sidechain } : {}),
      timestamp,
      level,
      seq,
    };
  }

  /** Only whole and readable content is handed on; what is not is kept in its place, opaque. */
  #record(head: RecordHead, value: Record<string, unknown>): SessionRecord {
    const { reader } = this.#options;
    if (reader && !canFlowTo(head.level, reader)) return opaque(head, 'withheld');
    const type = String(value.type);
    if (!Object.hasOwn(CONTENT, type)) return opaque(head, 'newer-version');
    let content: Record<string, unknown> = value;
    if (typeof value.key === 'string' && typeof value.box === 'string') {
      const key = this.#options.keys.find(value.key);
      if (!key) return opaque(head, 'key-missing');
      const text = unseal(key.bytes, sealedFields(head, type), value.box);
      if (text === undefined) return opaque(head, 'seal-broken');
      content = JSON.parse(text) as Record<string, unknown>;
    }
    const body = bodyOf(type as RecordBody['type'], content);
    return body ? { ...head, ...body } : opaque(head, 'malformed');
  }
}

/** A record's content without its type: what is sealed. */
function contentOf({ type, ...content }: RecordBody): object {
  return content;
}

function bodyOf(type: RecordBody['type'], content: Record<string, unknown>): RecordBody | undefined {
  const value = content[type];
  if (!CONTENT[type](value)) return undefined;
  // The shapes above are all that the readers of a record rely on.
  if (type === 'boundary' && typeof value === 'number') return { type, boundary: { pre_tokens: value } };
  if (type === 'message') return { type, message: value, ...aboutMessage(content) } as unknown as RecordBody;
  return { type, [type]: value } as unknown as RecordBody;
}

/** What stands beside a message; what is not what it should be is left out. */
function aboutMessage(content: Record<string, unknown>) {
  const { usage, model, window, provenance, begins, summary_of } = content;
  const isKnown = hasText(provenance, 'kind') && hasText(provenance, 'sourceSessionKey');
  return {
    ...(isObject(usage) && { usage }),
    ...(typeof model === 'string' && { model }),
    ...(typeof window === 'number' && { window }),
    ...(isKnown && { provenance }),
    ...(begins === true && { begins }),
    ...(typeof summary_of === 'string' && { summary_of }),
  };
}

/** A box opens only in the record that it was made for. */
function sealedFields(head: RecordHead, type: string): SealedFields {
  const { uuid, timestamp, session_id, agent_id, seq, level } = head;
  return {
    id: uuid,
    stamp: timestamp,
    writer: JSON.stringify([session_id, agent_id ?? '', type, seq]),
    level,
  };
}

function opaque(head: RecordHead, reason: OpaqueReason): SessionRecord {
  return { ...head, type: 'opaque', reason };
}

function digest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, HASH_DIGITS);
}

function hasText(value: unknown, field: string): boolean {
  return isObject(value) && typeof value[field] === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
