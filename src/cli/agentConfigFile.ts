/** Reads and writes configuration files that belong to others. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { errorCode, syncDir, writeNewFile } from '../journal/disk.ts';
import { messageOf } from '../journal/errors.ts';

/** A file that is left alone; the message says why. */
class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

/** A configuration file as it is found. */
export interface ConfigFile {
  /** The file itself, behind links. */
  readonly target: string;
  /** Undefined when there is none. */
  readonly text: string | undefined;
}

/** No configuration comes near it. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Reads a file that has to lie in a folder, also behind links: a repository must not lead what is written here to
 * another place. @throws ConfigFileError
 */
export function readConfigFile(file: string, base: string): ConfigFile {
  const target = targetOf(file, base);
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return { target, text: undefined };
  if (!stat.isFile()) throw new ConfigFileError('it is no file');
  if (stat.size > MAX_BYTES) throw new ConfigFileError(`it is larger than ${MAX_BYTES} bytes`);
  try {
    // A byte order mark is part of the text, since it has to stay.
    return {
      target,
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(target)),
    };
  } catch (error) {
    if (errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new ConfigFileError('it is no UTF-8 text');
    throw new ConfigFileError(`it cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Puts a text in the place of what was read, whole or not at all, with the permissions that the file had.
 * @param mode of a file that is new
 * @throws ConfigFileError when it is read-only, or not any more as it was read
 */
export function writeConfigFile({ target, text: before }: ConfigFile, text: string, mode: number): void {
  const stat = writable(target);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeNewFile(draft, Buffer.from(text, 'utf8'));
    chmodSync(draft, stat === undefined ? mode : stat.mode & 0o7777);
    checkSame(target, before);
    renameSync(draft, target);
    syncDir(dirname(target));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof ConfigFileError
      ? error
      : new ConfigFileError(`it cannot be written: ${messageOf(error)}`);
  }
}

/** Removes a file that is as it was read. @throws ConfigFileError */
export function removeConfigFile({ target, text }: ConfigFile): void {
  if (writable(target) === undefined) return;
  checkSame(target, text);
  try {
    rmSync(target);
  } catch (error) {
    throw new ConfigFileError(`it cannot be removed: ${messageOf(error)}`);
  }
}

/** The folders on the way from `base` to a file that do not exist, outermost first. */
export function missingFolders(target: string, base: string): string[] {
  const missing: string[] = [];
  for (
    let folder = dirname(target);
    folder !== base && folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined) break;
    missing.unshift(folder);
  }
  return missing;
}

/** Removes those of the folders that are empty, innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // Others have put something there.
      return;
    }
  }
}

/** Where a path leads. What is missing of it counts as it is written. */
function targetOf(file: string, base: string): string {
  const home = realpathSync(base);
  let there = resolve(file);
  while (lstatOf(there) === undefined && dirname(there) !== there) there = dirname(there);
  let real: string;
  try {
    real = realpathSync(there);
  } catch {
    throw new ConfigFileError(`${there === resolve(file) ? 'it' : there} is a link that leads nowhere`);
  }
  if (real !== home && !real.startsWith(home.endsWith(sep) ? home : home + sep))
    throw new ConfigFileError(`it lies behind a link that leaves ${base}`);
  return join(real, relative(there, resolve(file)));
}

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') throw new ConfigFileError('a part of its path is no folder');
    throw error;
  }
}

/** A file that its owner made read-only is meant to stay as it is, though a rename would replace it. */
function writable(target: string): Stats | undefined {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat !== undefined && (stat.mode & 0o200) === 0)
    throw new ConfigFileError('it is read-only: make it writable, then try again');
  return stat;
}

function checkSame(target: string, before: string | undefined): void {
  let now: string | undefined;
  try {
    now = readFileSync(target, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (now !== before) throw new ConfigFileError('something else changed it at this moment: try again');
}
