/** All files below a folder, for the search thread: synchronous, in a fixed order, and never out of the workspace. */
import type { Dirent } from 'node:fs';
import type { HeldFolder } from './folder.ts';
import { type IgnoreRules, isIgnored, rulesIn } from './ignore.ts';
import { isGitName, isOwnName } from './names.ts';

/** Deeper is a loop or a trap; each level holds a descriptor. */
const MAX_DEPTH = 64;

export interface Found {
  readonly folder: HeldFolder;
  readonly name: string;
  /** From the workspace folder, with slashes. */
  readonly path: string;
}

/**
 * Every file below `folder`, whose path is `path`. Left out: links, what git ignores, git's data and ours, and
 * `node_modules`. A folder that cannot be read is passed over.
 */
export function* walk(
  folder: HeldFolder,
  path: string,
  above: IgnoreRules | undefined,
  depth = 0,
): Generator<Found> {
  const entries = entriesOf(folder);
  const rules = entries.some(({ name }) => name === '.gitignore') ? rulesIn(folder, path, above) : above;
  for (const entry of entries) {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) continue;
    if (isGitName(name) || isOwnName(name) || (isFolder && name === 'node_modules')) continue;
    const at = path === '' ? name : `${path}/${name}`;
    if (isIgnored(at, isFolder, rules)) continue;
    if (!isFolder) {
      yield { folder, name, path: at };
    } else if (depth < MAX_DEPTH) {
      const next = enter(folder, name);
      if (next === undefined) continue;
      try {
        yield* walk(next, at, rules, depth + 1);
      } finally {
        next.close();
      }
    }
  }
}

function entriesOf(folder: HeldFolder): Dirent[] {
  try {
    return folder.entries().sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function enter(folder: HeldFolder, name: string): HeldFolder | undefined {
  try {
    return folder.enter(name);
  } catch {
    return undefined;
  }
}
