import { lstat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** So many are looked at; a memory with more has other worries. */
const MOST = 5_000;

/**
 * Of the entries that name a file, those whose file is not in the folder. A path that leads out of the folder is not
 * looked at: an entry must not find out what lies elsewhere.
 */
export async function missingFiles<Named extends { readonly file: string }>(
  root: string,
  entries: readonly Named[],
): Promise<Named[]> {
  const known = new Map<string, boolean>();
  const missing: Named[] = [];
  for (const entry of entries.slice(0, MOST)) {
    const path = insideOf(root, entry.file);
    if (path === undefined) continue;
    const isThere = known.get(path) ?? (await exists(path));
    known.set(path, isThere);
    if (!isThere) missing.push(entry);
  }
  return missing;
}

/** `src/a.ts:10` → its absolute path, or undefined when that is not in the folder. */
function insideOf(root: string, file: string): string | undefined {
  const path = file.replaceAll('\\', '/').replace(/(?::\d+(?:-\d+)?){1,2}$/, '');
  if (path === '' || path.includes('\0') || /[*?{]/.test(path)) return undefined;
  const whole = resolve(root, path);
  const from = relative(root, whole);
  return from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from) ? undefined : whole;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
