/**
 * How a record lies in a file: a JSON text sequence (RFC 7464) in which every text also carries its checksum.
 *
 *     0x1E, CRC-32 of the JSON as 8 lower-case hex digits, space, JSON, 0x0A
 *
 * JSON never contains a raw 0x1E or 0x0A, so a reader finds the next record whatever happened to this one.
 */
import { crc32 } from 'node:zlib';

const RS = 0x1e;
const LF = 0x0a;
const SPACE = 0x20;
const HEX_DIGITS = 8;
/** From the first hex digit to the first byte of the JSON. */
const BODY_AT = HEX_DIGITS + 1;
/** How many bytes stand before the JSON of a record. */
export const FRAME_HEAD = 1 + BODY_AT;

/** What `scan` tells. Offsets are bytes from the start of the scanned buffer. */
export interface ScanSink {
  /** A body whose checksum is right. Returns false when it still is no record (it then counts as damage). */
  body(start: number, end: number, crc: number): boolean;
  /** A run of bytes that no record verifies. */
  damage(start: number, end: number): void;
}

/** The framed bytes of one JSON text, ready to be appended. */
export function frame(json: string | Uint8Array): Buffer {
  const body = typeof json === 'string' ? Buffer.from(json, 'utf8') : json;
  const head = `\x1e${crc32(body).toString(16).padStart(HEX_DIGITS, '0')} `;
  return Buffer.concat([Buffer.from(head, 'latin1'), body, Buffer.of(LF)]);
}

/**
 * Reads every record of `bytes`. Splits at either delimiter, so a changed delimiter hurts only the record it
 * belongs to, and takes a last record without its line feed when its checksum is right.
 *
 * @param continuing whether the buffer begins in the middle of a file, right after what was consumed before:
 *   the line feed of a record that was taken without it may then come first.
 * @returns how many bytes are done with; what follows is a tail that is not (or not yet) a whole record.
 */
export function scan(bytes: Buffer, continuing: boolean, sink: ScanSink): number {
  let at = continuing && bytes[0] === LF ? 1 : 0;
  let damagedFrom = -1;
  // Looked up again only once passed: a file of nothing but one delimiter stays linear.
  let nextLf = -1;
  let nextRs = -1;
  while (at < bytes.length) {
    const start = bytes[at] === RS ? at + 1 : at;
    if (nextLf < start) nextLf = find(bytes, LF, start);
    if (nextRs < start) nextRs = find(bytes, RS, start);
    const end = Math.min(nextLf, nextRs);
    const crc = verify(bytes, start, end);
    if (crc === undefined && end === bytes.length) break;
    const next = end === nextLf && end < bytes.length ? end + 1 : end;
    if (crc !== undefined && sink.body(start + BODY_AT, end, crc)) {
      if (damagedFrom >= 0) sink.damage(damagedFrom, at);
      damagedFrom = -1;
    } else if (damagedFrom < 0) {
      damagedFrom = at;
    }
    at = next;
  }
  if (damagedFrom >= 0) sink.damage(damagedFrom, at);
  return at;
}

function find(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

/** The checksum of the body in [start, end) when it is the one written before it. */
function verify(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start <= BODY_AT || bytes[start + HEX_DIGITS] !== SPACE) return undefined;
  let claimed = 0;
  for (let i = start; i < start + HEX_DIGITS; i++) {
    const digit = hexDigit(bytes[i] ?? 0);
    if (digit < 0) return undefined;
    claimed = claimed * 16 + digit;
  }
  return crc32(bytes.subarray(start + BODY_AT, end)) === claimed ? claimed : undefined;
}

/** Lower case only: a digit whose case was flipped is damage that must be noticed. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  return -1;
}
