/**
 * One file of memories that wait to be sent: a line for each that came, and for those that went.
 *
 *     {"add":{…item}}        sealed above the folder's default level, or where the store is (see sealedFile.ts)
 *     {"done":["key", …]}
 *
 * A line counts once its line feed is there. What is no line of these was never acknowledged, or was damaged since.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, renameSync } from 'node:fs';
import { errorCode, readFrom, removeFile, type WriteSome, writeAll, writeNewFile } from '../journal/disk.ts';
import { KeyError, type KeyRing } from '../journal/keys.ts';
import { isSealedFile, openedBytes, sealedBytes } from '../journal/sealedFile.ts';
import type { SpoolItem } from '../memory/hindsight/item.ts';
import { canFlowTo, type Level, parseLevel } from '../policy/level.ts';
import { phrase, StoreError } from './api.ts';

const LF = 0x0a;
/** A seal opens in lines of spools alone. */
const SEALED_AS = 'retain-spool';

export interface SpoolCodec {
  readonly keys: KeyRing;
  readonly defaultLevel: Level;
}

export interface SpoolContents {
  /** What came and did not go, in the order in which it came. */
  readonly pending: Map<string, SpoolItem>;
  /** Lines that are sealed with a key that is not here. */
  readonly locked: readonly Buffer[];
  /** How many lines are no lines of a spool. */
  readonly damaged: number;
  /** How many lines there are in all. */
  readonly lines: number;
  /** Whether a line stands in a form that the store's switch does not want. */
  readonly isMisfit: boolean;
}

/** Reads a spool; one that is gone is empty. */
export function readSpool(file: string, codec: SpoolCodec): SpoolContents {
  const bytes = readFrom(file, 0)?.bytes ?? Buffer.alloc(0);
  const pending = new Map<string, SpoolItem>();
  const locked: Buffer[] = [];
  let [damaged, lines, isMisfit] = [0, 0, false];
  for (let start = 0, end = bytes.indexOf(LF); end !== -1; start = end + 1, end = bytes.indexOf(LF, start)) {
    const line = bytes.subarray(start, end);
    if (line.length === 0) continue;
    lines++;
    const isSealed = isSealedFile(line);
    const text = openedBytes(codec.keys, SEALED_AS, line);
    if (text === undefined) {
      locked.push(Buffer.from(line));
      continue;
    }
    const said = parse(text);
    if (said === undefined) damaged++;
    else if ('done' in said) for (const key of said.done) pending.delete(key);
    else {
      pending.set(said.add.key, said.add);
      if (isSealed !== seals(said.add.level, codec)) isMisfit = true;
    }
  }
  return { pending, locked, damaged, lines, isMisfit };
}

/** The lines of items. @throws KeyError when one must be sealed and there is no key */
export function linesOf(items: readonly SpoolItem[], codec: SpoolCodec): Buffer {
  return Buffer.concat(
    items.map((add) => {
      const line = Buffer.from(`${JSON.stringify({ add })}\n`);
      return seals(add.level, codec) ? sealedBytes(codec.keys, SEALED_AS, line.subarray(0, -1)) : line;
    }),
  );
}

/**
 * Appends whole lines to a spool, which is created when it is not there.
 * @param sync whether they are on disk when this returns
 * @throws what the system says; nothing of them counts then
 */
export function appendLines(file: string, bytes: Uint8Array, sync: boolean, write?: WriteSome): void {
  const fd = openSync(file, 'a', 0o600);
  try {
    const before = fstatSync(fd).size;
    try {
      writeAll(fd, bytes, write);
      if (sync) fsyncSync(fd);
    } catch (error) {
      // Half a line must not run into the next one.
      ftruncateSync(fd, before);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

/** Takes off what a killed process wrote of a line, so that the next one begins anew. @throws what the system says */
export function trimTail(file: string): void {
  const bytes = readFrom(file, 0)?.bytes;
  if (bytes === undefined || bytes.length === 0 || bytes.at(-1) === LF) return;
  const fd = openSync(file, 'r+');
  try {
    ftruncateSync(fd, bytes.lastIndexOf(LF) + 1);
  } finally {
    closeSync(fd);
  }
}

/** Puts a file with what is pending, in the form that counts, in the place of a spool. @throws what the system says, KeyError */
export function rewriteSpool(
  file: string,
  { pending, locked }: Pick<SpoolContents, 'pending' | 'locked'>,
  codec: SpoolCodec,
  write?: WriteSome,
): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  const kept = locked.map((line) => Buffer.concat([line, Buffer.from('\n')]));
  try {
    writeNewFile(draft, Buffer.concat([...kept, linesOf([...pending.values()], codec)]), write);
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

/** The line that takes items off. */
export function doneLine(keys: readonly string[]): Buffer {
  return Buffer.from(`${JSON.stringify({ done: keys })}\n`);
}

function seals(level: Level, { keys, defaultLevel }: SpoolCodec): boolean {
  return keys.sealsAll() || !canFlowTo(level, defaultLevel);
}

type Line = { readonly add: SpoolItem } | { readonly done: readonly string[] };

function parse(bytes: Buffer): Line | undefined {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as { add?: Partial<SpoolItem>; done?: unknown };
    if (isTexts(value.done)) return { done: value.done };
    const { add } = value;
    const names = [add?.key, add?.documentId, add?.bank, add?.content, add?.context];
    const isItem =
      isTexts(names) &&
      isTexts(add?.tags) &&
      parseLevel(String(add?.level)) !== undefined &&
      (add?.server === undefined || typeof add.server === 'string') &&
      typeof add?.at === 'number' &&
      typeof add.metadata === 'object';
    return isItem ? { add: add as SpoolItem } : undefined;
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Does something with spools. @throws StoreError for faults of the disk and of keys, which somebody can do something about */
export async function saying<T>(action: () => T): Promise<T> {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof KeyError) && errorCode(error) === undefined) throw error;
    throw new StoreError(
      phrase(
        "What is to be sent to the memory server cannot be kept here: {0}. Nothing was queued. Free disk space or check the folder's permissions, then try again.",
        error instanceof Error ? error.message : String(error),
      ),
    );
  }
}
