/** Which names may be written into a work tree. */

/** Code points that HFS+ ignores in names (git's `utf8.c`, `next_hfs_char`). */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** What Windows takes for the git folder: its short name, trailing dots and blanks, and streams of it. */
const GIT_FOLDER = /^(\.git|git~\d+)[ .]*(:.*)?$/i;

/**
 * Whether a path from a tree stays inside the work tree and outside every git folder, on any file system: relative,
 * `/` between its parts, none of them empty, `.`, `..` or a spelling of `.git`; UTF-8, because only such a name
 * comes back from the file system as it went in.
 */
export function isSafePath(path: string): boolean {
  if (path.includes('\uFFFD') || path.includes('\0') || !path.isWellFormed()) return false;
  if (process.platform === 'win32' && /[\\:]/.test(path)) return false;
  return path.split('/').every(isSafePart);
}

function isSafePart(part: string): boolean {
  return (
    part !== '' &&
    part !== '.' &&
    part !== '..' &&
    // A backslash parts folders on Windows, where the work tree may be shared to.
    !part.split('\\').some((name) => GIT_FOLDER.test(name.replace(IGNORED_BY_HFS, '')))
  );
}
