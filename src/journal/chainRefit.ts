/**
 * Puts hash-chained logs into the form, plain or sealed, that their store's switch wants. Each line is chained anew to
 * the one before it where it was chained to it; where it was not, it still is not, so that what was changed stays seen.
 *
 *     <writer>-<n>.chain.new    a file in the new form
 *     <writer>.refit            all of them are written: whoever finds this puts them in place
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ChainLine,
  hashOf,
  lineJson,
  listChains,
  openChainLine,
  parseChainLine,
  sealedFields,
} from './chainFile.ts';
import { chainHasEnded } from './chainRetention.ts';
import { claimFile, lookAt, readFrom, removeFile, syncDir, writeNewFile } from './disk.ts';
import { namesIn } from './folder.ts';
import { FRAME_HEAD, frame, scan } from './frame.ts';
import type { KeyRing } from './keys.ts';
import { isAlive } from './liveness.ts';
import { NONCE_BYTES, seal } from './seal.ts';

const NEW = '.new';
const MARK = '.refit';
const LEFT = /^([0-9a-f]{12})(?:-\d{1,9}\.chain\.new|\.refit)$/;
/** Stands where bytes stood that no line verifies. */
const DAMAGE = Buffer.from('?\n');

export interface ChainPlace {
  readonly dir: string;
  readonly keys: KeyRing;
  /** Whether records of this level are to be sealed at this moment. */
  sealed(level: string): boolean;
}

/**
 * Refits the chains of writers that have ended.
 * @param isOpen whether an instance of this thread writes to a chain; it does it itself
 * @returns how many chains of living writers are still in the form that does not count
 * @throws what the disk says, KeyError
 */
export function refitEndedChains(
  place: ChainPlace,
  isOpen: (writer: string) => boolean,
  alive = isAlive,
): number {
  const { dir } = place;
  const chains = new Map<string, string[]>();
  for (const { name, writer } of listChains(dir)) chains.set(writer, [...(chains.get(writer) ?? []), name]);
  for (const name of namesIn(dir)) {
    const writer = LEFT.exec(name)?.[1];
    if (writer !== undefined && !chains.has(writer)) chains.set(writer, []);
  }
  let others = 0;
  for (const [writer, names] of chains) {
    if (isOpen(writer)) continue;
    // One of this process that is not open was closed, or its thread is gone.
    const lives = (pid: number) => pid !== process.pid && alive(pid);
    const isLeft = namesIn(dir).some((name) => LEFT.exec(name)?.[1] === writer);
    if (!isLeft && !names.some((name) => hasMisfits(place, name))) continue;
    const [first] = names;
    if (first !== undefined && !chainHasEnded(join(dir, first), lives)) others++;
    else refitChain({ ...place, writer });
  }
  return others;
}

/**
 * Refits the chain of one writer, which nobody writes to meanwhile.
 * @returns the hash of its last line; undefined when it has none
 * @throws what the disk says, KeyError; the chain is as it was then
 */
export function refitChain({
  step,
  ...place
}: ChainPlace & { readonly writer: string; readonly step?: ((name: string) => void) | undefined }):
  | string
  | undefined {
  const { dir, writer } = place;
  const mark = join(dir, writer + MARK);
  if (lookAt(mark) !== undefined) putInPlace(dir, writer, step);
  let before: string | undefined;
  let after: string | undefined;
  const files = listChains(dir).filter((file) => file.writer === writer);
  if (files.length === 0) return undefined;
  for (const { name } of files) {
    const bytes = readFrom(join(dir, name), 0)?.bytes ?? Buffer.alloc(0);
    const out: Buffer[] = [];
    let done = 0;
    scan(bytes, false, {
      body(start, end) {
        const body = bytes.subarray(start, end);
        const line = parseChainLine(body.toString('utf8'));
        if (line === undefined) return false;
        if (start - FRAME_HEAD > done) out.push(DAMAGE);
        done = end + 1;
        const prev = line.prev === before && after !== undefined ? after : line.prev;
        const json = lineJson({ ...fitted(line, place), prev });
        out.push(frame(json));
        before = hashOf(body);
        after = hashOf(json);
        return true;
      },
      damage(from) {
        if (from >= done) out.push(DAMAGE);
      },
    });
    removeFile(join(dir, name + NEW));
    writeNewFile(join(dir, name + NEW), Buffer.concat(out));
    step?.('chain: copied');
  }
  syncDir(dir);
  claimFile(mark, '');
  syncDir(dir);
  step?.('chain: marked');
  putInPlace(dir, writer, step);
  return after;
}

function putInPlace(dir: string, writer: string, step: ((name: string) => void) | undefined): void {
  for (const name of namesIn(dir)) {
    if (!name.startsWith(`${writer}-`) || !name.endsWith(NEW)) continue;
    renameSync(join(dir, name), join(dir, name.slice(0, -NEW.length)));
    step?.('chain: replaced');
  }
  syncDir(dir);
  removeFile(join(dir, writer + MARK));
}

function fitted(
  line: ChainLine,
  { keys, sealed, writer }: ChainPlace & { readonly writer: string },
): ChainLine {
  if (line.kind === 'header') return line;
  const { seq, prev, at, level } = line;
  if (line.kind === 'plain') {
    if (!sealed(level)) return line;
    const { id: keyId, bytes } = keys.sealingKey();
    const text = JSON.stringify(line.payload);
    const box = seal(bytes, randomBytes(NONCE_BYTES), sealedFields(writer, level, line), text);
    return { kind: 'sealed', seq, prev, at, level, keyId, box };
  }
  if (sealed(level)) return line;
  const opened = openChainLine(line, writer, keys);
  return typeof opened === 'string' ? line : { kind: 'plain', seq, prev, at, level, ...opened };
}

function hasMisfits({ dir, keys, sealed }: ChainPlace, name: string): boolean {
  const bytes = readFrom(join(dir, name), 0)?.bytes ?? Buffer.alloc(0);
  let found = false;
  const consumed = scan(bytes, false, {
    body(start, end) {
      const line = parseChainLine(bytes.toString('utf8', start, end));
      if (line === undefined) return false;
      if (line.kind === 'plain') found ||= sealed(line.level);
      if (line.kind === 'sealed') found ||= !sealed(line.level) && keys.find(line.keyId) !== undefined;
      return true;
    },
    damage(from, to) {
      found ||= keys.sealsAll() && !bytes.subarray(from, to).equals(DAMAGE);
    },
  });
  // An end that was never acknowledged may hold the beginning of a line.
  return found || (keys.sealsAll() && consumed < bytes.length);
}
