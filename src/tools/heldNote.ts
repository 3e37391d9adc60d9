/** A gentle word to an agent that is about to change a file on which somebody else is at work. It never blocks. */
import { clip } from '../memory/line.ts';
import type { Level } from '../policy/level.ts';
import { type FileHolder, nameOf } from '../session/presenceConflicts.ts';
import { fileIn } from '../session/presencePath.ts';
import type { SessionApi } from '../worker/sessionApi.ts';

/** More than these are counted. */
const MOST_FILES = 5;
const MOST_HOLDERS = 3;
/** Paths of one call that are looked at. */
const MOST_PATHS = 50;
const MOST_NAME = 60;
const MINUTE = 60_000;

/** A session, and paths as it names them: absolute, or from the workspace folder. */
export interface FileUse {
  readonly key: string;
  readonly window?: string | undefined;
  readonly level: Level;
  readonly paths: readonly string[];
}

export interface HeldNoteParts {
  readonly sessions: Pick<SessionApi, 'fileHolders'>;
  /** The workspace folder. */
  readonly root: string;
  /** Top folder of its work tree. */
  readonly workTree: string;
  /** Unix milliseconds. */
  now(): number;
}

/** What the session has to be told now of others that touched these files; undefined when nothing, or nothing new. */
export async function heldNote(
  { key, window, level, paths }: FileUse,
  { sessions, root, workTree, now }: HeldNoteParts,
): Promise<string | undefined> {
  const files = new Set(paths.slice(0, MOST_PATHS).flatMap((path) => fileIn(workTree, path, root) ?? []));
  if (files.size === 0) return undefined;
  const found = await sessions.fileHolders({ key, window, root: workTree, files: [...files] }, { level });
  return heldText(found, now());
}

/**
 * ```
 * ⚠️ Another session is at work on this file, too. Look at it again before you change anything, and …
 *   src/a.ts  ↔  claude-code@main (2 min ago)
 * ```
 * Undefined when there is nobody.
 */
export function heldText(holders: readonly FileHolder[], now: number): string | undefined {
  if (holders.length === 0) return undefined;
  const files = [...new Set(holders.map(({ file }) => file))];
  const lines = files.slice(0, MOST_FILES).map((file) => {
    const own = holders.filter((holder) => holder.file === file);
    const names = own.slice(0, MOST_HOLDERS).map((holder) => {
      const minutes = Math.max(0, Math.round((now - holder.at) / MINUTE));
      return `${clip(nameOf(holder), MOST_NAME)} (${minutes === 0 ? 'just now' : `${minutes} min ago`})`;
    });
    const more = own.length > MOST_HOLDERS ? `, and ${own.length - MOST_HOLDERS} more` : '';
    return `  ${clip(file, 300)}  ↔  ${names.join(', ')}${more}`;
  });
  if (files.length > MOST_FILES) lines.push(`  … and ${files.length - MOST_FILES} more files`);
  const [who, what] = [
    new Set(holders.map(({ key }) => key)).size === 1 ? 'Another session is' : 'Other sessions are',
    files.length === 1 ? 'this file' : 'these files',
  ];
  const advice = `Look at ${files.length === 1 ? 'it' : 'them'} again before you change anything, and keep what is not yours; memory_sessions shows who works on what.`;
  return [`⚠️ ${who} at work on ${what}, too. ${advice}`, ...lines].join('\n');
}
