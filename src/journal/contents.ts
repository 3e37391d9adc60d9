/** The contents of a journal file, for whoever has to take them somewhere else. */
import { readFrom } from './disk.ts';
import { readLines } from './lines.ts';
import type { Line, SegmentHeader } from './record.ts';

/** More than a header takes. */
const HEADER_BYTES = 4096;

/** One verified record of a file. */
export interface Piece {
  line: Line;
  body: Buffer;
  crc: number;
}

/** What a file holds from some byte on. */
export interface Contents {
  pieces: Piece[];
  /** Runs of bytes that no record verifies. */
  damaged: { offset: number; bytes: Buffer }[];
  /** Bytes done with; a torn tail follows. */
  consumed: number;
  tail: Buffer;
  mtimeMs: number;
}

/**
 * What `file` holds from byte `offset` on, or undefined when it is gone.
 * @throws errors of the file system.
 */
export function fileContents(file: string, offset: number): Contents | undefined {
  const read = readFrom(file, offset);
  if (!read) return undefined;
  const { bytes, mtimeMs } = read;
  const pieces: Piece[] = [];
  const damaged: Contents['damaged'] = [];
  const consumed = readLines(bytes, offset, {
    line: (line, body, crc) => pieces.push({ line, body, crc }),
    damage: (start, end) => {
      damaged.push({ offset: start, bytes: bytes.subarray(start - offset, end - offset) });
    },
  });
  return { pieces, damaged, consumed, tail: bytes.subarray(consumed - offset), mtimeMs };
}

/** Who writes a segment; undefined when its header, or all of it, cannot be read. */
export function segmentHeader(file: string): SegmentHeader | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readFrom(file, 0, HEADER_BYTES)?.bytes;
  } catch {
    // What cannot be read is not folded either.
  }
  if (!bytes) return undefined;
  let header: SegmentHeader | undefined;
  readLines(bytes.subarray(0, bytes.indexOf(0x0a) + 1), 0, {
    line(line) {
      if (line.kind === 'header') header = line.header;
    },
    damage() {},
  });
  return header;
}
