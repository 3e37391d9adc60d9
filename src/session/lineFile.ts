/** Lines of transcripts, and files of one such line, in the form that the store's switch wants. */
import { randomBytes } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeFile, type WriteSome, writeNewFile } from '../journal/disk.ts';
import { namesIn } from '../journal/folder.ts';
import type { LineCodec } from './line.ts';

const LF = 0x0a;
/** Nobody writes on one small file for so long, in milliseconds: its process was ended. */
const ABANDONED = 10_000;

/** Whether the line in a file stands in a form that does not count; one that cannot be read stays as it is. */
export function isMisfitLine(bytes: Buffer, codec: LineCodec, sealsAll: boolean): boolean {
  const line = codec.decode(bytes, 0, bytes.length - 1);
  if (line === undefined) return false;
  return sealsAll ? !line.isSealed : line.isSealed && codec.isBelowSeal(line.record.level);
}

/** Puts the line of a file in its place in the form that counts. @throws what the disk says, KeyError */
export function putRefitted(file: string, bytes: Buffer, codec: LineCodec, write?: WriteSome): void {
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  const line = codec.refit(bytes, 0, bytes.length - 1, 0, '');
  try {
    writeNewFile(draft, line.bytes, write);
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

/** Removes drafts that nobody writes on any more. @returns how many are still being written */
export function removeLeftDrafts(dir: string): number {
  let fresh = 0;
  for (const name of namesIn(dir).filter((each) => each.endsWith('.tmp'))) {
    const file = join(dir, name);
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    // By the disk's clock, which is the one that its files have.
    if (written === undefined) continue;
    if (Date.now() - written < ABANDONED) fresh++;
    else removeFile(file);
  }
  return fresh;
}

/** The lines of a transcript in the form that counts, chained anew, and the hash of the last one. */
export function refitLines(bytes: Buffer, codec: LineCodec): { bytes: Buffer; hash: string } {
  const lines: Buffer[] = [];
  let hash = '';
  for (let at = 0, end = bytes.indexOf(LF); end >= 0; at = end + 1, end = bytes.indexOf(LF, at)) {
    if (end === at) continue;
    const line = codec.refit(bytes, at, end, lines.length, hash);
    lines.push(line.bytes);
    hash = line.hash;
  }
  return { bytes: Buffer.concat(lines), hash };
}
