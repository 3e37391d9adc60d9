/**
 * The key of a folder's store, past every tool: what a tool is given or answers may be recorded, logged or read by a
 * model, and a key is for the person alone.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, removeFile, syncDir, writeNewFile } from './journal/disk.ts';
import { makeDir } from './journal/folder.ts';
import { KeyRing, parseKey } from './journal/keys.ts';
import type { Ports } from './ports.ts';
import type { KeyPlaces } from './protocol.ts';
import type { RevealedKey } from './tools/tool.ts';

const OWNER_ONLY = 0o600;

/** What came of a key that the person entered. */
export type EnteredKey = 'kept' | 'malformed' | 'other' | 'not-needed';

/** Gives the key with this id to the person; the answer says how, never which it is. */
export function revealKey(id: string, dir: string, { showKey }: Pick<Ports, 'showKey'>): RevealedKey {
  if (idOf(process.env.LODELINE_KEY) === id) return { how: 'given' };
  const key = new KeyRing({ dir }).find(id);
  const file = fileOf(id, dir);
  // A file that a person put there may be anybody's to read; that it is theirs alone is what they are told.
  if (key !== undefined) ownAlone(file);
  if (showKey === undefined || key === undefined) return { how: 'file', file };
  showKey(Buffer.from(key.bytes).toString('hex'));
  return { how: 'shown' };
}

/** Where the key with this id is looked for. */
export function keyPlaces(id: string, dir: string): KeyPlaces {
  const given = process.env.LODELINE_KEY;
  return { file: id === '' ? '' : fileOf(id, dir), otherGiven: given !== undefined && idOf(given) !== id };
}

/**
 * Keeps a key that the person entered where every door finds it, in a file that only they can read.
 * @param id of the key that is wanted
 * @throws what the system says when it cannot be stored
 */
export function keepKey(text: string, id: string, dir: string): Exclude<EnteredKey, 'not-needed'> {
  // People copy a key with the words around it; of those only white space is certain not to be of the key.
  const value = text.replace(/\s/gu, '').toLowerCase();
  const entered = idOf(value);
  if (entered === undefined) return 'malformed';
  if (entered !== id) return 'other';
  const file = fileOf(id, dir);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  makeDir(dir);
  try {
    writeNewFile(draft, Buffer.from(`${value}\n`));
    renameSync(draft, file);
  } catch (error) {
    removeFile(draft);
    throw error;
  }
  syncDir(dir);
  return 'kept';
}

/** Undefined for what is no key. */
function idOf(value: string | undefined): string | undefined {
  return value === undefined ? undefined : parseKey(value)?.id;
}

/** A file of another user, or on a disk without permissions, stays as it is. */
function ownAlone(file: string): void {
  try {
    chmodSync(file, OWNER_ONLY);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function fileOf(id: string, dir: string): string {
  return join(dir, `${id}.key`);
}
