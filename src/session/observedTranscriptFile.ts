/** The transcript that the editor's own agent writes of a chat. It is somebody else's file, so nothing about it is trusted. */
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { readFrom } from '../journal/disk.ts';

/** Read at a time; the rest waits for the next one. */
const CHUNK_BYTES = 2 * 1024 * 1024;
/** A file's first bytes tell whether it is still the same one. */
const HEAD_BYTES = 256;
const LF = 0x0a;

/** How far a file was read. */
export interface ReadPosition {
  /** Of the file's first bytes, and how many they were. */
  readonly head: string;
  readonly headLength: number;
  readonly offset: number;
}

export interface TranscriptChunk {
  /** Whole lines. */
  readonly bytes: Buffer;
  /** Where in the file they begin. */
  readonly offset: number;
  /** Where the file ends now. */
  readonly size: number;
  /** The position with another offset. */
  at(offset: number): ReadPosition;
}

/**
 * The real path of a chat's transcript, or why it is not one: a regular file, no link, named after the chat, in the
 * folder where Copilot keeps its transcripts.
 */
export function locateTranscript(path: string, chat: string): { file: string } | { problem: string } {
  if (!isAbsolute(path) || path.includes('\0')) return { problem: 'its path is not absolute' };
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { problem: 'it is not there yet' };
  if (!stat.isFile()) return { problem: 'it is not a regular file' };
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return { problem: 'it belongs to another user' };
  const file = join(realpathSync(dirname(path)), basename(path));
  const [name, folder, owner] = file.split(sep).reverse();
  if (name !== `${chat}.jsonl` || folder !== 'transcripts' || owner?.toLowerCase() !== 'github.copilot-chat')
    return { problem: 'it does not lie where the editor keeps transcripts' };
  return { file };
}

/**
 * The next whole lines of a transcript. It is read from its start again when it became shorter or was replaced.
 * @param before where the last reading ended
 */
export function nextChunk(file: string, before: ReadPosition | undefined): TranscriptChunk {
  const head = readFrom(file, 0, HEAD_BYTES)?.bytes ?? Buffer.alloc(0);
  const size = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const isSame =
    before !== undefined &&
    before.offset <= size &&
    before.headLength <= head.length &&
    digest(head.subarray(0, before.headLength)) === before.head;
  const offset = isSame ? before.offset : 0;
  const read = readFrom(file, offset, CHUNK_BYTES)?.bytes ?? Buffer.alloc(0);
  const end = read.lastIndexOf(LF) + 1;
  // A line that is longer than all that is read at a time is passed over; what is left of it is no JSON.
  const bytes = end === 0 && read.length === CHUNK_BYTES ? read : read.subarray(0, end);
  return {
    bytes,
    offset,
    size,
    at: (to) => ({ head: digest(head), headLength: head.length, offset: to }),
  };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
