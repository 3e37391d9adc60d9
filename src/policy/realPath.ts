import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';

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
      if (missing.length === 1) return under(realpathSync.native(current), missing);
    } catch {
      // It is not, or is a link to what is not.
    }
    try {
      // Errors cost more than this look.
      const stats = lstatSync(current, { throwIfNoEntry: false });
      if (stats !== undefined) {
        const real = followed(current, stats.isSymbolicLink());
        if ('path' in real) return under(real.path, missing);
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

/** `join`, which takes longer, where there is nothing to take back. */
function under(folder: string, names: readonly string[]): string {
  const [name = ''] = names;
  if (names.length === 0) return folder;
  return names.length > 1 || name.startsWith('.') || folder.endsWith(sep)
    ? join(folder, ...names)
    : folder + sep + name;
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

/** Every path that the links in a path lead over, one after the other; their end last. */
export function linksOn(path: string): readonly string[] {
  const led: string[] = [];
  for (let next = nextOf(path); next !== undefined && led.length < MAX_LINKS; next = nextOf(next))
    led.push(next);
  return led;
}

/** The path with its first link followed; undefined when there is none. */
function nextOf(path: string): string | undefined {
  const parts = path.split(sep);
  for (let at = 2; at <= parts.length; at++) {
    const link = parts.slice(0, at).join(sep);
    const target = targetOf(link);
    if (target !== undefined) return join(resolve(dirname(link), target), ...parts.slice(at));
  }
  return undefined;
}

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
