/** From the paths that agents name to the spellings under which rules look for them. */
import { posix } from 'node:path';

/** Where paths are, and how this system reads them. */
export interface RulePlace {
  /** Top folder of the work tree, an absolute path. */
  readonly workTree: string;
  /** What relative paths begin at. */
  readonly cwd: string;
  readonly home: string;
  readonly isWindows: boolean;
  /** The path after all links in it were followed, also where its end is not there yet; undefined when unknown. */
  realPath(path: string): string | undefined;
  /** Every path that the links in a path lead over, asked of those that lead elsewhere. */
  linksOn(path: string): readonly string[];
}

/** Every spelling that a rule may mean. */
export interface Candidates {
  /** From the work tree, where it lies there. */
  readonly inside: readonly string[];
  /** Absolute, `/` for every separator; drives as `c:/`. */
  readonly outside: readonly string[];
}

const DRIVE = /^[a-z]:\//i;

/** A path, and where it leads: a link into a protected folder counts, and so does a link in one. */
export interface LedPath {
  /** As `absolutePath` says it. */
  readonly given: string;
  /** Where its links lead, as far as that is known. */
  readonly led: readonly string[];
  /** The work tree after all links were followed; undefined when unknown. */
  readonly root: string | undefined;
}

/** Where the links of a path lead, their end first. @param root as in `LedPath` */
export function ledBy(path: string, root: string | undefined, place: RulePlace): readonly string[] {
  const real = place.realPath(path);
  if (real === undefined || real === path) return [path];
  // What the work tree itself lies behind is on the way to every file.
  const isDirect = root !== undefined && real === `${root}${path.slice(place.workTree.length)}`;
  return isDirect && path.startsWith(place.workTree) ? [real] : [real, ...place.linksOn(path)];
}

/** Every spelling under which a rule may mean a path. */
export function candidatesOf({ given, led, root }: LedPath, place: RulePlace): Candidates {
  const all = [given, ...led.map((each) => absolutePath(each, place) ?? given)];
  const roots = [place.workTree, root].flatMap((each) =>
    each === undefined ? [] : [trimmed(comparable(cleaned(each, place)))],
  );
  const outside = [...new Set(all.map((each) => comparable(each)))];
  const inside = outside.flatMap((each) =>
    roots.flatMap((top) => {
      if (each === top) return ['.'];
      return each.startsWith(`${top}/`) ? [each.slice(top.length + 1)] : [];
    }),
  );
  return { inside: [...new Set(inside)], outside };
}

/** The form in which paths and patterns are compared: NFC, and without case, as most systems compare names. */
export function comparable(path: string): string {
  return path.toWellFormed().normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * The path as it was written, from the top of the disk. A path that is longer than anything real, or has a NUL, is none:
 * no file has such a name.
 */
export function absolutePath(path: string, place: RulePlace): string | undefined {
  const written = writtenPath(path, place);
  // normalize takes `c:` for a name, so `c:/..` would go above the drive; no rule can match what is there.
  return written === undefined ? undefined : trimmed(posix.normalize(written));
}

/** The same with each `..` in it, which after a link means another folder to a shell than to most programs. */
export function writtenPath(path: string, place: RulePlace): string | undefined {
  if (path === '' || path.length > MAX_PATH || path.includes('\0')) return undefined;
  const text = cleaned(fromUri(path), place);
  if (text === '~' || text.startsWith('~/')) return `${cleaned(place.home, place)}/${text.slice(1)}`;
  const isAbsolute = text.startsWith('/') || DRIVE.test(text);
  return isAbsolute ? text : `${cleaned(place.cwd, place)}/${text}`;
}

/** Far longer than any system's paths. */
const MAX_PATH = 32_768;

/** With `/` for every separator, and without what Windows ignores in names. */
function cleaned(path: string, { isWindows }: RulePlace): string {
  const text = path
    .replaceAll('\\', '/')
    .replace(/^\/\/[?.]\/(?:UNC\/)?/i, (prefix) => (/unc/i.test(prefix) ? '//' : ''));
  if (!isWindows) return text;
  // `name::$DATA`, `name:stream`, `name. ` open the same file.
  return text
    .split('/')
    .map((part, at) => {
      if (/^[a-z]:$/i.test(part) && at <= 1) return part;
      return /^\.{1,2}$/.test(part) ? part : part.replace(/:.*$/s, '').replace(/[. ]+$/, '');
    })
    .join('/')
    .replace(/^\/(?=[a-z]:\/)/i, '');
}

/** URIs as paths, also those under which the editor has a file of the disk; what is no valid one stays as it is. */
function fromUri(path: string): string {
  if (!/^(?:file:|[a-z][a-z0-9+.-]+:\/)/i.test(path)) return path;
  try {
    const { protocol, pathname, host } = new URL(path);
    const decoded = pathname.replace(/(?:%[0-9a-f]{2})+/gi, decodedPart);
    // Elsewhere the host is a machine on which this runs, or says what else the file is.
    return host === '' || protocol !== 'file:'
      ? decoded.replace(/^\/(?=[a-z]:)/i, '')
      : `//${host}${decoded}`;
  } catch {
    return path;
  }
}

/** Names may hold a `%` that stands for nothing. */
function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}
