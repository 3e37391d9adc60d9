/** Reads what other tools wrote: regular files only, no links, nothing without bounds. */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorCode } from '../../journal/disk.ts';
import type { ForeignFile } from '../../memory/foreignMarkdown.ts';
import { oneLine } from '../../memory/line.ts';
import type { Untaken } from '../../memory/taken.ts';
import { phrase } from '../../worker/api.ts';
import { ToolError } from '../tool.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** As many bytes as memories of 100,000 entries have; in one text they still fit. */
const MAX_FILE = 256 * 1024 * 1024;
/** One Markdown file becomes a memory or a few. */
const MAX_NOTE = 4 * 1024 * 1024;
const MAX_FILES = 20_000;
const MAX_DEPTH = 16;

export interface ReadText {
  readonly text: string;
  /** Some bytes are no UTF-8; a mark stands for each. */
  readonly isLossy: boolean;
  /** When it was last changed, epoch milliseconds. */
  readonly at: number;
}

/** The text of a file that the person named. @throws ToolError which says what is wrong with it */
export async function readNamed(path: string): Promise<ReadText> {
  try {
    return await readText(path, MAX_FILE);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * The Markdown files in these places, each a file or a folder. Places that are not there count for nothing. What cannot
 * be read is told.
 * @param root the workspace folder
 */
export async function readNotes(
  places: readonly string[],
  root: string,
): Promise<{ files: ForeignFile[]; untaken: Untaken[]; notes: string[]; isThere: boolean }> {
  const files: ForeignFile[] = [];
  const notes: string[] = [];
  const untaken: Untaken[] = [];
  let isThere = false;
  for (const place of places) {
    const stat = await lstat(place).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw unreadable(place, error);
    });
    if (stat === undefined) continue;
    isThere = true;
    const names = stat.isDirectory() ? await markdownIn(place, untaken, notes) : [''];
    for (const name of names) {
      const path = join(place, name);
      const own = relative(root, path);
      const inside = own === '' || own.startsWith(`..${sep}`) || own === '..' ? undefined : slashes(own);
      const shown = name === '' ? (inside ?? slashes(path).split('/').at(-1) ?? path) : slashes(name);
      try {
        const { text, isLossy, at } = await readText(path, MAX_NOTE);
        if (isLossy) untaken.push({ place: shown, reason: 'is not UTF-8 text' });
        else files.push({ path: shown, text, own: inside, at });
      } catch (error) {
        untaken.push({ place: shown, reason: reasonOf(error) });
      }
    }
  }
  return { files, untaken, notes, isThere };
}

/** Names of Markdown files under a folder, from it; hidden folders are other tools' own. */
async function markdownIn(top: string, untaken: Untaken[], notes: string[]): Promise<string[]> {
  const found: string[] = [];
  const look = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(join(top, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        if (depth < MAX_DEPTH) await look(name, depth + 1);
        else untaken.push({ place: slashes(name), reason: 'lies too deep' });
      } else if (/\.(?:md|markdown)$/i.test(entry.name)) {
        if (entry.isSymbolicLink()) untaken.push({ place: slashes(name), reason: 'is a link' });
        else if (found.length < MAX_FILES) found.push(name);
        else untaken.push({ place: slashes(name), reason: `is one of more than ${MAX_FILES} files` });
      } else if (entry.isFile() && !entry.name.startsWith('.'))
        notes.push(`${slashes(name)}: is no Markdown, and was left out`);
    }
  };
  try {
    await look('', 0);
  } catch (error) {
    throw unreadable(top, error);
  }
  return found;
}

async function readText(path: string, limit: number): Promise<ReadText> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('it is not a regular file');
    if (stat.size > limit) throw new Error(`it has ${stat.size} bytes; at most ${limit} are read`);
    const bytes = await handle.readFile();
    const text = new TextDecoder('utf-8').decode(bytes);
    const isLossy = text.includes('\uFFFD') && !isUtf8(bytes);
    return { text, isLossy, at: stat.mtimeMs };
  } finally {
    await handle.close();
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function unreadable(path: string, error: unknown): ToolError {
  if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR')
    return new ToolError(phrase('Missing file: there is no "{0}". Name the file to import.', oneLine(path)));
  return new ToolError(
    phrase('Unreadable file: "{0}": {1}. Nothing was changed.', oneLine(path), reasonOf(error)),
  );
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'ELOOP':
      return 'it is a link; name the file that it leads to';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
  }
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}
