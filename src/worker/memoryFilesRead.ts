/** The files of a work tree's memory as they are read. */
import type { FoldedEntry } from '../memory/fold.ts';
import { sidesOf } from '../memory/markdownConflict.ts';
import { contentOf, describe, type FileEntry, type ReadFile, readFileText } from '../memory/markdownFile.ts';
import type { IndexRow } from '../memory/markdownIndex.ts';
import { foldName, keyOfFile } from '../memory/markdownName.ts';
import { entryIds } from '../memory/operation.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import { redactFields } from '../policy/redact.ts';
import type { FileProblemKind } from './filesApi.ts';
import type { DiskFile } from './memoryFilesDisk.ts';
import type { Agreed } from './memoryFilesState.ts';

const MAX_KEY = 200;
/** In UTF-16 units, as what agents may save (see tools/fields.ts). */
const MAX_CONTENT = 1_000_000;

/** An entry's file as it was read. */
export interface Read {
  readonly disk: DiskFile;
  readonly file: ReadFile;
  readonly key: string;
  readonly level: Level;
  readonly id: string;
}

interface ReadOptions {
  /** The folder's default level: nothing above it is taken from a file. */
  readonly home: Level;
  /** Told of every file that is left as it is. */
  tell(kind: FileProblemKind, file: string, detail: string): undefined;
  /** The file that has been an entry's so far, by the entry's long id. */
  nameOf(id: string): string | undefined;
}

/** Reads every file without the secrets in it. */
export async function readFiles(disk: readonly DiskFile[], options: ReadOptions) {
  const files: Read[] = [];
  const sides: Read[][] = [];
  for (const each of disk) {
    const both = each.text === undefined ? undefined : sidesOf(each.text);
    const read = await Promise.all((both ?? [each.text]).map((text) => parse(each, text, options)));
    const found = read.filter((one) => one !== undefined);
    if (both !== undefined) {
      options.tell('conflict', each.name, 'it holds both sides of a merge');
      sides.push(found);
    } else files.push(...found);
  }
  return { ...unique(files, options), sides };
}

async function parse(
  disk: DiskFile,
  text: string | undefined,
  options: ReadOptions,
): Promise<Read | undefined> {
  const { name } = disk;
  const refuse = (kind: FileProblemKind, detail: string) => options.tell(kind, name, detail);
  if (text === undefined) return refuse(disk.problem ?? 'unreadable', 'it is no text file');
  const file = readFileText(text);
  if (typeof file === 'string') return refuse('unreadable', file);
  if ([file.body, ...file.additions].some(({ length }) => length > MAX_CONTENT))
    return refuse('too-long', `it is longer than ${MAX_CONTENT} characters`);
  const level = file.level ?? options.home;
  if (!canFlowTo(level, options.home)) return refuse('level', `its level ${level} is above the folder's`);
  const { fields, found } = await redactFields({ ...file, name: file.name ?? keyOfFile(name) });
  if (found.length > 0) options.tell('secret', name, found.join(', '));
  const key = fields.name;
  if (key === '' || key.length > MAX_KEY) return refuse('unreadable', 'its name is empty or too long');
  return { disk, file: fields, key, level, id: entryIds(level, key).long };
}

/** Of several files of one entry the one that has been it so far, else the first; the others are its doubles. */
function unique(files: readonly Read[], options: ReadOptions): { files: Read[]; doubles: Read[] } {
  const byId = new Map<string, Read>();
  for (const file of files) {
    const other = byId.get(file.id);
    const isOwn = foldName(options.nameOf(file.id) ?? '') === foldName(file.disk.name);
    if (other === undefined || isOwn) byId.set(file.id, file);
  }
  const doubles = files.filter((file) => byId.get(file.id) !== file);
  for (const { id, disk } of doubles)
    options.tell('same-name', disk.name, `${byId.get(id)?.disk.name ?? ''} has the same name in it`);
  return { files: [...byId.values()], doubles };
}

/** What a file says of its entry. @param entry as it is; undefined where there is none */
export function entryIn(read: Read, entry: FoldedEntry | undefined, agreed: Agreed | undefined) {
  const known = entry === undefined ? [] : [entry.content, ...entry.revisions.map(({ text }) => text)];
  const { content, isOwn } = contentOf(read.file, known, agreed?.isOwn === true);
  const { key, level } = read;
  const { additions, category, tags, links, file, pathScope, importance, pinned, expires } = read.file;
  const found: FileEntry = {
    ...{ key, level, content, additions, category, tags, links },
    ...{ file, pathScope, importance, pinned, expires },
  };
  return { entry: found, isOwn };
}

/**
 * The lines of the index, also for files that could not be taken in.
 * @param isWithheld whether nothing that stands in a file may stand in the index, which others read without it
 */
export function rowsOf(disk: readonly DiskFile[], isWithheld: (name: string) => boolean): IndexRow[] {
  return disk.flatMap(({ name, text, problem }): IndexRow[] => {
    if (problem === 'link') return [];
    if (isWithheld(name)) return [{ file: name, name: keyOfFile(name), description: '' }];
    const [shown = ''] = sidesOf(text ?? '') ?? [text ?? ''];
    const file = readFileText(shown);
    if (typeof file === 'string') return [{ file: name, name: keyOfFile(name), description: '' }];
    const description = file.description || describe(file.body);
    return [{ file: name, name: file.name ?? keyOfFile(name), description }];
  });
}
