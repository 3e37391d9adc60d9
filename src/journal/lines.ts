/** From the bytes of a journal file to its lines. */
import { scan } from './frame.ts';
import { type Line, type OpLine, parseLine } from './record.ts';

export interface LineSink {
  /** One verified record. `body` is its JSON as it stands in the file, a view of the buffer. */
  line(line: Line, body: Buffer, crc: number, start: number): void;
  /** Bytes that no record verifies. */
  damage(start: number, end: number): void;
}

/**
 * Reads the lines of `bytes`, which begin at byte `offset` of their file. Positions given to the sink count
 * from the start of the file.
 * @returns the position up to which the file is done with.
 */
export function readLines(bytes: Buffer, offset: number, sink: LineSink): number {
  const consumed = scan(bytes, offset > 0, {
    body(start, end, crc) {
      const body = bytes.subarray(start, end);
      const line = parseLine(bytes.toString('utf8', start, end));
      if (!line) return false;
      sink.line(line, body, crc, offset + start);
      return true;
    },
    damage: (start, end) => sink.damage(offset + start, offset + end),
  });
  return offset + consumed;
}

/** What tells two records apart: the op id, or for one without a readable id its own bytes. */
export function lineKey(line: OpLine, body: Buffer, crc: number): string {
  return line.id ?? `?${crc}-${body.length}`;
}
