/**
 * The words of an index as bytes, to be kept in a file.
 *
 *     SHA-256 of all that follows, 32 bytes
 *     header: JSON, line feed
 *     for each shelf its parts, as long as the header says
 */
import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { z } from 'zod';
import { LEVELS, type Level } from '../policy/level.ts';
import { analysisName } from './frequencies.ts';
import type { PartitionImage } from './postings.ts';

/** Raise it when the bytes mean something else than before. */
const VERSION = 1;
const CHECKSUM_BYTES = 32;
const LINE_FEED = 0x0a;

/** The documents of one level. */
export interface SavedShelf {
  readonly level: Level;
  readonly image: PartitionImage;
  /** By slot, one after another: `digestOf` each document. */
  readonly digests: string;
}

export interface SavedIndex {
  /** What the store had when it was saved (`MemoryStore.position`). */
  readonly position: string;
  readonly shelves: readonly SavedShelf[];
}

const PARTS = 7;
const headerSchema = z.object({
  version: z.literal(VERSION),
  analysis: z.string(),
  order: z.string(),
  position: z.string(),
  shelves: z.array(
    z.object({ level: z.enum(LEVELS), bytes: z.array(z.number().int().nonnegative()).length(PARTS) }),
  ),
});

export function encodeIndex({ position, shelves }: SavedIndex): Buffer {
  const parts = shelves.map(({ image, digests }) => [
    Buffer.from(JSON.stringify(image.ids)),
    Buffer.from(JSON.stringify(image.words)),
    Buffer.from(digests, 'latin1'),
    ...[image.lengths, image.starts, image.terms, image.frequencies].map((numbers) =>
      Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength),
    ),
  ]);
  const header: z.infer<typeof headerSchema> = {
    version: VERSION,
    analysis: analysisName(),
    order: endianness(),
    position,
    shelves: shelves.map(({ level }, at) => ({
      level,
      bytes: (parts[at] ?? []).map(({ length }) => length),
    })),
  };
  const body = [Buffer.from(`${JSON.stringify(header)}\n`), ...parts.flat()];
  const checksum = createHash('sha256');
  for (const each of body) checksum.update(each);
  return Buffer.concat([checksum.digest(), ...body]);
}

/** What was encoded; undefined when these bytes are not whole or were written by other rules than ours. */
export function decodeIndex(bytes: Buffer): SavedIndex | undefined {
  const body = bytes.subarray(CHECKSUM_BYTES);
  const checksum = createHash('sha256').update(body).digest();
  if (!checksum.equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined;
  const end = body.indexOf(LINE_FEED);
  const header = headerSchema.safeParse(JSON.parse(body.toString('utf8', 0, end))).data;
  if (header?.analysis !== analysisName() || header.order !== endianness()) return undefined;
  let at = end + 1;
  const take = (length: number): Buffer => {
    at += length;
    return body.subarray(at - length, at);
  };
  const shelves = header.shelves.map(({ level, bytes: lengths }): SavedShelf => {
    const [ids, words, digests, ...numbers] = lengths.map(take) as [Buffer, Buffer, Buffer, ...Buffer[]];
    const [documentLengths, starts, terms, frequencies] = numbers.map(copyOf) as [
      ArrayBuffer,
      ArrayBuffer,
      ArrayBuffer,
      ArrayBuffer,
    ];
    return {
      level,
      digests: digests.toString('latin1'),
      image: {
        ids: JSON.parse(ids.toString('utf8')) as string[],
        words: JSON.parse(words.toString('utf8')) as string[],
        lengths: new Uint32Array(documentLengths),
        starts: new Uint32Array(starts),
        terms: new Uint32Array(terms),
        frequencies: new Uint8Array(frequencies),
      },
    };
  });
  return { position: header.position, shelves };
}

/** Numbers must be aligned, and the bytes of the file are to be let go. */
function copyOf(part: Buffer): ArrayBuffer {
  return new Uint8Array(part).buffer;
}
