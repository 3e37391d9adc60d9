import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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
        return links < MAX_LINKS ? realPathOf(join(real.target, ...missing), links + 1) : undefined;
      }
    } catch {
      // Not to be looked at: what is above it may be.
    }
    if (dirname(current) === current) return undefined;
    missing.unshift(basename(current));
  }
}

/** Where a path leads that is there; for a link to what is not there, what it names. */
function followed(path: string, isLink: boolean): { readonly path: string } | { readonly target: string } {
  try {
    return { path: realpathSync.native(path) };
  } catch (error) {
    if (!isLink) throw error;
    return { target: resolve(dirname(path), readlinkSync(path)) };
  }
}
