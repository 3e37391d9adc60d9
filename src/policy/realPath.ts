import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';

/** As many links as systems follow. */
const MAX_LINKS = 40;

/**
 * The path after all links in it were followed, also where its end, or that of a link, is not there yet; undefined when
 * it cannot be told.
 * @param path an absolute path
 */
export function realPathOf(path: string, links = 0): string | undefined {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      // The folder of a file that is to be made is there mostly.
      if (missing.length === 1) return join(realpathSync.native(current), ...missing);
    } catch {
      // It is not, or is a link to what is not.
    }
    try {
      // Errors cost more than this look.
      const stats = lstatSync(current, { throwIfNoEntry: false });
      if (stats !== undefined) {
        const real = followed(current, stats.isSymbolicLink());
        if ('path' in real) return join(real.path, ...missing);
        const next = [real.target, ...missing].join(sep);
        return links < MAX_LINKS ? realPathOf(next, links + 1) : undefined;
      }
    } catch {
      // Not to be looked at: what is above it may be.
    }
    if (dirname(current) === current) return undefined;
    missing.unshift(basename(current));
  }
}

/** Where a path leads that is there; for a link to what is not there, what it names from where it really is. */
function followed(path: string, isLink: boolean): { readonly path: string } | { readonly target: string } {
  try {
    return { path: realpathSync.native(path) };
  } catch (error) {
    if (!isLink) throw error;
    const target = readlinkSync(path);
    return { target: isAbsolute(target) ? target : `${realpathSync.native(dirname(path))}${sep}${target}` };
  }
}
