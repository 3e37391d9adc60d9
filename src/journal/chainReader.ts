/** Reads hash-chained logs and says which lines do not verify. */
import { join } from 'node:path';
import {
  CHAIN_START,
  type ChainFileName,
  type ChainLine,
  hashOf,
  listChains,
  openChainLine,
  parseChainLine,
} from './chainFile.ts';
import { readFrom } from './disk.ts';
import { scan } from './frame.ts';
import type { KeyRing } from './keys.ts';
import type { JsonValue } from './record.ts';

/** What stands before the JSON of a line: a delimiter, eight digits and a space. */
const FRAME_HEAD = 10;

export type ChainReason =
  /** A line was changed, taken out or put in: it is not the one that the next line, or its seal, vouches for. */
  | 'changed'
  /** A file of the chain is gone although its writer kept it. */
  | 'file-missing'
  /** The file cannot be read. */
  | 'unreadable';

export interface ChainProblem {
  readonly file: string;
  /** Number of the first line that does not verify, counted in its writer's chain from 0. */
  readonly record: number;
  readonly reason: ChainReason;
}

export interface ChainRecord {
  /** `<writer>-<number in its chain>`. */
  readonly id: string;
  readonly file: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly level: string;
  /** Undefined where it is sealed and its key is not here. */
  readonly payload: JsonValue | undefined;
}

export interface ChainsRead {
  readonly files: number;
  readonly records: readonly ChainRecord[];
  readonly problems: readonly ChainProblem[];
  /** Ends that were never acknowledged: their writer was ended in the middle of a line. */
  readonly torn: readonly { readonly file: string; readonly bytes: number }[];
}

interface Sink {
  readonly records: ChainRecord[];
  readonly problems: ChainProblem[];
  readonly torn: { file: string; bytes: number }[];
}

/** Where the verified part of a chain ends. */
interface Position {
  readonly seq: number;
  readonly hash: string;
  /** What comes next is taken as it is: at the beginning of what is kept, and after a place that was told already. */
  readonly isOpen: boolean;
}

/** Everything in the folder. @throws when the folder cannot be read. */
export function readChains(dir: string, keys: KeyRing): ChainsRead {
  const sink: Sink = { records: [], problems: [], torn: [] };
  const byWriter = new Map<string, ChainFileName[]>();
  const files = listChains(dir);
  for (const file of files) byWriter.set(file.writer, [...(byWriter.get(file.writer) ?? []), file]);
  for (const chain of byWriter.values()) readChain(dir, chain, keys, sink);
  return { files: files.length, ...sink };
}

function readChain(dir: string, files: readonly ChainFileName[], keys: KeyRing, sink: Sink): void {
  let position: Position = { seq: 0, hash: CHAIN_START, isOpen: (files[0]?.index ?? 0) > 0 };
  let expected = files[0]?.index ?? 0;
  let kept = 0;
  for (const file of files) {
    if (file.index !== expected) {
      problem(sink, missingName(file, expected), position.seq, 'file-missing');
      position = { ...position, isOpen: true };
    }
    expected = file.index + 1;
    const read = readFile(dir, file, position, keys, sink);
    position = read.position;
    kept = Math.max(kept, read.first);
  }
  const [oldest] = files;
  // A file lower than the lowest that its writer still keeps is one that could not be removed.
  if (oldest !== undefined && oldest.index > kept)
    problem(sink, missingName(oldest, kept), 0, 'file-missing');
}

function missingName({ writer }: ChainFileName, index: number): string {
  return `${writer}-${index}.chain`;
}

function readFile(dir: string, file: ChainFileName, start: Position, keys: KeyRing, sink: Sink) {
  let position = start;
  let first = 0;
  let bytes: Buffer | undefined;
  try {
    bytes = readFrom(join(dir, file.name), 0)?.bytes;
  } catch {
    problem(sink, file.name, position.seq, 'unreadable');
  }
  // Removed since the folder was listed: its writer no longer keeps it, or the next reading misses it.
  if (bytes === undefined) return { position: { ...position, isOpen: true }, first };
  const content = bytes;
  /** Up to which byte lines have been read. */
  let done = 0;
  const broken = (): void => {
    problem(sink, file.name, position.seq, 'changed');
    position = { ...position, isOpen: true };
  };
  const consumed = scan(content, false, {
    body(from, to) {
      if (from - FRAME_HEAD > done) broken();
      const text = content.subarray(from, to);
      const line = parseChainLine(text.toString('utf8'));
      if (line === undefined) return false;
      const wrong = wrongRecord(line, position);
      if (wrong !== undefined) problem(sink, file.name, wrong, 'changed');
      if (line.kind === 'header') first = Math.max(first, line.header.first);
      else take(line, file, keys, sink);
      position = { seq: line.seq + 1, hash: hashOf(text), isOpen: false };
      done = to + 1;
      return true;
    },
    damage(from) {
      // Told after the line behind it, which has told it already.
      if (from >= done) broken();
    },
  });
  if (consumed < content.length) sink.torn.push({ file: file.name, bytes: content.length - consumed });
  return { position, first };
}

/** The number of the line that is not what it was when `line` was written after it; undefined when all is well. */
function wrongRecord({ seq, prev }: ChainLine, position: Position): number | undefined {
  if (position.isOpen) return undefined;
  if (seq !== position.seq) return Math.min(seq, position.seq);
  return prev === position.hash ? undefined : Math.max(0, seq - 1);
}

function take(
  line: Exclude<ChainLine, { kind: 'header' }>,
  { writer, name }: ChainFileName,
  keys: KeyRing,
  sink: Sink,
): void {
  const opened = openChainLine(line, writer, keys);
  if (opened === 'seal-broken') problem(sink, name, line.seq, 'changed');
  const payload = typeof opened === 'string' ? undefined : opened.payload;
  sink.records.push({ id: `${writer}-${line.seq}`, file: name, at: line.at, level: line.level, payload });
}

function problem({ problems }: Sink, file: string, record: number, reason: ChainReason): void {
  problems.push({ file, record, reason });
}
