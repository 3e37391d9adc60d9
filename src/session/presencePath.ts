/** From the paths that agents name to names of files in a folder. */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_PATH = 1024;
const DRIVE = /^[A-Za-z]:[\\/]/;

/**
 * The name of a file as presence keeps it: relative to the root, with `/`, in NFC. Undefined for what is not a file
 * inside the root; links are followed first, so that one file has one name.
 * @param root an absolute path
 * @param path as an agent names it: absolute, a `file:` URI, or relative to `cwd`
 */
export function fileIn(root: string, path: string, cwd = root): string | undefined {
  if (path === '' || path.length > MAX_PATH || path.includes('\0')) return undefined;
  try {
    const given = path.startsWith('file:') ? fileURLToPath(path) : path;
    // A drive's path means nothing here, and must not pass for a name in the current folder.
    if (process.platform !== 'win32' && DRIVE.test(given)) return undefined;
    const target = realPath(isAbsolute(given) ? given : resolve(cwd, given));
    if (target === undefined) return undefined;
    const name = relative(realpathSync.native(root), target).split(sep).join('/').normalize('NFC');
    return isKnownPath(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is a name as `fileIn` makes them: nothing that leads out of the root, nothing that breaks a line. */
export function isKnownPath(name: string): boolean {
  return (
    name !== '' &&
    name.length <= MAX_PATH &&
    !isAbsolute(name) &&
    !DRIVE.test(name) &&
    !/[\p{Cc}\u2028\u2029]/u.test(name) &&
    name.isWellFormed() &&
    !name.split('/').some((part) => part === '..' || part === '.git' || part === '')
  );
}

/** A file that is not there yet, or no longer, has the real path of its folder. Undefined for a folder. */
function realPath(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return undefined;
  if (stat !== undefined) return realpathSync.native(path);
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    missing.unshift(basename(folder));
    const above = dirname(folder);
    if (above === folder) return undefined;
    if (statSync(above, { throwIfNoEntry: false }) !== undefined)
      return join(realpathSync.native(above), ...missing);
  }
}
