/**
 * Folders of small files that are sealed where their store is: whoever writes a file there writes it in the form that
 * counts, and whoever reads one gets what it says. Which folders these are, and with which keys, is said once, by
 * whoever opens the store (see app.ts); a path anywhere else means an ordinary file.
 *
 * A file is sealed under its own path from its folder, so that no box opens in the place of another.
 */
import { isAbsolute, relative, sep } from 'node:path';
import { KeyError, type KeyRing } from './keys.ts';
import { isSealedFile, openedBytes, sealedBytes } from './sealedFile.ts';
import { openKeys, type StoreKeys } from './sealSwitch.ts';

/** A folder whose files are sealed where the store is. */
export interface SealedPlace {
  /** Absolute. */
  readonly dir: string;
  /** Begins the names under which its files are sealed; empty for the store's own folder. */
  readonly name: string;
  readonly of: StoreKeys;
}

/** The keys are opened when they are needed: a value that is no key is told to whoever needs one. */
class Known implements SealedPlace {
  readonly dir: string;
  readonly name: string;
  readonly of: StoreKeys;
  #keys: KeyRing | undefined;

  constructor({ dir, name, of }: SealedPlace) {
    this.dir = dir;
    this.name = name;
    this.of = of;
  }

  /** @throws KeyError */
  get keys(): KeyRing {
    this.#keys ??= openKeys(this.of);
    return this.#keys;
  }
}

/** A file is sealed, and its key is not here. */
export class SealedAway extends Error {
  override readonly name = 'SealedAway';
}

const places = new Map<string, Known>();

/** Says that the files of a folder are sealed where its store is. */
export function sealPlace(place: SealedPlace): void {
  const { store, keysDir, value } = place.of;
  const before = places.get(place.dir)?.of;
  if (before?.store === store && before.keysDir === keysDir && before.value === value) return;
  places.set(place.dir, new Known(place));
}

/** Those that hold a folder or lie in it. */
export function placesAround(dir: string): SealedPlace[] {
  return [...places.values()]
    .filter((place) => isIn(dir, place.dir) || isIn(place.dir, dir))
    .map(({ dir: at, name, of }) => ({ dir: at, name, of }));
}

/** Why nothing of a folder can be read or written; undefined when it can, see `KeyRing.missingKey`. */
export function missingKeyOf(dir: string): string | undefined {
  try {
    const keys = placeOf(dir)?.keys;
    if (keys?.missingKey() === undefined) return undefined;
    // Somebody may have put it back.
    keys.lookAgain();
    return keys.missingKey();
  } catch (error) {
    if (error instanceof KeyError) return error.message;
    throw error;
  }
}

/** The bytes that a file gets at this moment. @throws KeyError */
export function formedBytes(file: string, bytes: Uint8Array): Uint8Array {
  const place = placeOf(file);
  return place?.keys.sealsAll() ? sealedBytes(place.keys, sealedName(place, file), bytes) : bytes;
}

/** Whether files of this folder are to be sealed at this moment. */
export function isSealedNow(file: string): boolean {
  return placeOf(file)?.keys.sealsAll() ?? false;
}

/** What the bytes of a file say. @throws SealedAway */
export function openedAt(file: string, bytes: Buffer): Buffer {
  const place = placeOf(file);
  if (place === undefined || !isSealedFile(bytes)) return bytes;
  const name = sealedName(place, file);
  const opened = openedBytes(place.keys, name, bytes) ?? againWith(place.keys, name, bytes);
  if (opened !== undefined) return opened;
  throw new SealedAway(place.keys.missingKey() ?? 'It is sealed, and cannot be opened here.');
}

/** Runs a write that asks for `formedBytes`; see `KeyRing.settled`. */
export function settledAt<T>(file: string, write: () => T): T {
  const place = placeOf(file);
  return place === undefined ? write() : place.keys.settled(write);
}

/** The same for a write that takes its time. */
export async function settledLater<T>(file: string, write: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = isSealedNow(file);
    const result = await write();
    if (isSealedNow(file) === before) return result;
  }
}

/** The name that a file is sealed under; the same in any Unicode form and on every system. */
export function sealedName({ dir, name }: Pick<SealedPlace, 'dir' | 'name'>, file: string): string {
  const path = relative(dir, file).split(sep).join('/').normalize('NFC');
  return name === '' ? path : `${name}/${path}`;
}

/** The innermost one that a file is in. */
function placeOf(file: string): Known | undefined {
  let found: Known | undefined;
  for (const place of places.values())
    if (isIn(file, place.dir) && place.dir.length > (found?.dir.length ?? 0)) found = place;
  return found;
}

function againWith(keys: KeyRing, name: string, bytes: Buffer): Buffer | undefined {
  keys.lookAgain();
  return openedBytes(keys, name, bytes);
}

function isIn(path: string, dir: string): boolean {
  const inside = relative(dir, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
