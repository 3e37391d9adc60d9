/**
 * Reading of a transcript from its end, so that what is asked of its last records costs the same however many there
 * are. Each line is verified by itself and by the one after it; the chain to the beginning is for whoever opens the
 * transcript to go on with it.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../journal/disk.ts';
import type { LineCodec } from './line.ts';
import { contextTokens } from './messages.ts';
import type { SessionRecord, TurnEnd } from './record.ts';

const LF = 0x0a;
const CHUNK_BYTES = 32 * 1024;
/** What the last records tell is looked for in so many bytes at most. */
const TAIL_BYTES = 512 * 1024;
/** Answers of a model that nobody named: after so many in a row the session is one that is only observed. */
const UNNAMED = 8;

/** What the last records of a session tell; undefined where they tell nothing. */
export interface SessionTail {
  /** Of the model that answered last. */
  readonly model?: string | undefined;
  /** How many tokens fit into its window. */
  readonly window?: number | undefined;
  /** How many of them its last answer took up. */
  readonly tokens?: number | undefined;
  /** How the last turn ended; undefined while one is not over, or there was none. */
  readonly end?: TurnEnd['reason'] | undefined;
  /** A turn has begun and is not over. */
  readonly isOpen?: true | undefined;
}

/** A record on the way to the beginning, and where its line begins, in bytes. */
export interface PlacedRecord {
  readonly record: SessionRecord;
  readonly offset: number;
}

/**
 * The records of a transcript from the last to the first, as they are when it begins; it ends before a line that does
 * not verify, with `damaged`. A line without its line feed at the end is one that is being written, or was torn: it
 * is nothing yet.
 * @param before the offset of a record: only what comes before it
 */
export function* recordsBackwards(
  file: string,
  codec: LineCodec,
  before?: number,
): Generator<PlacedRecord | 'damaged'> {
  const fd = openedFile(file);
  if (fd === undefined) return;
  try {
    const { size } = fstatSync(fd);
    let wanted: string | undefined;
    for (const { bytes, offset } of linesBackwards(
      fd,
      before === undefined ? size : Math.min(before, size),
    )) {
      const line = codec.decode(bytes, 0, bytes.length);
      if (line === undefined || (wanted !== undefined && line.hash !== wanted)) {
        yield 'damaged';
        return;
      }
      yield { record: line.record, offset };
      // Lines of the reference format name none before them.
      wanted = line.prev === undefined || line.prev === '' ? undefined : line.prev;
    }
  } finally {
    closeSync(fd);
  }
}

/** What the end of a transcript tells: its last record, and the model's last answer if it is not far before that. */
export function readTail(
  file: string,
  codec: LineCodec,
): { last: SessionRecord; tail: SessionTail } | undefined {
  let last: SessionRecord | undefined;
  let first = 0;
  let end: SessionTail['end'];
  let hasTurn = false;
  let unnamed = 0;
  for (const placed of recordsBackwards(file, codec)) {
    if (placed === 'damaged') break;
    const { record, offset } = placed;
    if (last === undefined) {
      last = record;
      first = offset;
    }
    if (first - offset > TAIL_BYTES) break;
    if (record.type === 'end' && !hasTurn) end ??= record.end.reason;
    // What another session leaves in one begins no turn, nor does it keep one open.
    if (record.type !== 'message' || (record.provenance && !record.begins)) continue;
    hasTurn = true;
    if (record.message.role !== 'assistant') continue;
    if ((record.usage ?? record.model) === undefined) {
      if (++unnamed === UNNAMED) break;
      continue;
    }
    const { model, window, usage } = record;
    const tokens = usage && contextTokens(usage);
    return { last, tail: { model, window, tokens, ...stateOf(end, hasTurn) } };
  }
  return last && { last, tail: stateOf(end, hasTurn) };
}

function stateOf(end: SessionTail['end'], hasTurn: boolean): Pick<SessionTail, 'end' | 'isOpen'> {
  return { end, ...(hasTurn && end === undefined && { isOpen: true }) };
}

/** Whole lines without their line feeds, the last one first; empty ones are passed over. */
function* linesBackwards(fd: number, end: number): Generator<{ bytes: Buffer; offset: number }> {
  /** Everything before it is still to be read; `held` comes after it. */
  let from = end;
  let held = Buffer.alloc(0);
  /** Whether what follows the last line feed of `held` is known to be a whole line. */
  let isWhole = false;
  while (from > 0) {
    // A line longer than what is held is read in ever larger parts.
    const length = Math.min(from, Math.max(CHUNK_BYTES, held.length));
    from -= length;
    held = Buffer.concat([readAt(fd, from, length), held]);
    let to = held.length;
    for (let at = held.lastIndexOf(LF, to - 1); at >= 0; at = to > 0 ? held.lastIndexOf(LF, to - 1) : -1) {
      if (isWhole && at + 1 < to) yield { bytes: held.subarray(at + 1, to), offset: from + at + 1 };
      isWhole = true;
      to = at;
    }
    held = held.subarray(0, to);
  }
  if (isWhole && held.length > 0) yield { bytes: held, offset: 0 };
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

function openedFile(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
