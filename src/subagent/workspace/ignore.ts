/** What `.gitignore` files leave out of a walk. */
import { closeSync, constants, readFileSync } from 'node:fs';
import { Minimatch } from 'minimatch';
import type { HeldFolder } from './folder.ts';

const MAX_PATTERN = 1000;
const MAX_RULES = 2000;

/** git's patterns know no braces and no extended globs; `#` and `!` are dealt with before. */
const GIT_GLOB = {
  dot: true,
  nobrace: true,
  noext: true,
  nocomment: true,
  nonegate: true,
  platform: 'linux',
} as const;

interface Rule {
  readonly pattern: Minimatch;
  readonly ignored: boolean;
  readonly onlyFolders: boolean;
}

/** The rules of one folder and, behind it, of those above. */
export interface IgnoreRules {
  /** Length of the folder's path with its slash: what a path loses to become relative to it. */
  readonly prefix: number;
  readonly rules: readonly Rule[];
  readonly above: IgnoreRules | undefined;
}

/** The rules that hold in a folder: its own `.gitignore` (absent or unreadable: none) over those above. */
export function rulesIn(
  folder: HeldFolder,
  path: string,
  above: IgnoreRules | undefined,
): IgnoreRules | undefined {
  const rules = parseIgnore(readIgnore(folder));
  return rules.length === 0 ? above : { prefix: path === '' ? 0 : path.length + 1, rules, above };
}

/** Whether a path is left out. The last rule that speaks of it decides, and those of deeper folders come last. */
export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules | undefined): boolean {
  for (let level = rules; level !== undefined; level = level.above) {
    const below = path.slice(level.prefix);
    const rule = level.rules.findLast(
      ({ pattern, onlyFolders }) => (isFolder || !onlyFolders) && pattern.match(below),
    );
    if (rule !== undefined) return rule.ignored;
  }
  return false;
}

/** The rules of a `.gitignore` text; lines that mean nothing are passed over, as git does. */
export function parseIgnore(text: string): readonly Rule[] {
  return text.split('\n').slice(0, MAX_RULES).flatMap(parseRule);
}

function parseRule(line: string): Rule[] {
  let glob = line.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '');
  if (glob === '' || glob.startsWith('#') || glob.length > MAX_PATTERN) return [];
  const ignored = !glob.startsWith('!');
  if (!ignored) glob = glob.slice(1);
  const onlyFolders = glob.endsWith('/');
  if (onlyFolders) glob = glob.slice(0, -1);
  // A slash before the end ties the pattern to its folder.
  glob = glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`;
  return [{ pattern: new Minimatch(glob, GIT_GLOB), ignored, onlyFolders }];
}

function readIgnore(folder: HeldFolder): string {
  let fd: number;
  try {
    fd = folder.openFile('.gitignore', constants.O_RDONLY);
  } catch {
    return '';
  }
  try {
    return readFileSync(fd, 'utf8');
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}
