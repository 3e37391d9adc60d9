/**
 * What subagents leave behind, in one folder a session:
 *
 *     <n>-<Name>.md             the whole output of a subagent
 *     <n>-<Name>.<m>-<Name>.md  that of a subagent of it
 *     .<n>, .<n>-<Name>.<m>     who took a number: the file is created by one process only
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { claimFile, errorCode } from '../journal/disk.ts';
import { isArtifactId, taskIdProblem } from './ids.ts';
import { FileProblem, readRegularFile } from './regularFile.ts';
import { replaceFile } from './replaceFile.ts';
import { quoted } from './text.ts';

/** The output itself, and what belongs to it. */
export type ArtifactKind = 'md' | 'jsonl' | 'patch' | 'json';

/** More than the tools read at once, and less than would fill the memory. */
const READ_BYTES = 64 * 1024 * 1024;

/** An artifact that cannot be named, found or read; the message tells a model what to do. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError';
}

/**
 * Takes ids for subagents, one for each name, in their order: `<n>-<name>`, below `parent` (an artifact id) when
 * there is one. Numbers go on after the highest in the folder, and no number is given twice, in any process.
 * @param dir the session's folder of artifacts; made when it is missing.
 * @throws ArtifactError when a name cannot be part of an id.
 */
export async function allocateArtifacts(
  dir: string,
  names: readonly string[],
  parent?: string,
): Promise<string[]> {
  const prefix = parent === undefined ? '' : `${checked(parent)}.`;
  for (const name of names) {
    const problem = taskIdProblem(name);
    if (problem !== undefined) throw new ArtifactError(`The task id ${quoted(name)} ${problem}.`);
    // With room for a number of any size.
    if (!isArtifactId(`${prefix}${'9'.repeat(9)}-${name}`))
      throw new ArtifactError(`Subagents are nested too deep for another name below ${quoted(prefix)}.`);
  }
  await mkdir(dir, { recursive: true, mode: 0o700 });
  let next =
    numbersBelow(await namesIn(dir), prefix).reduce((high, number) => Math.max(high, number), -1) + 1;
  return names.map((name) => {
    while (!claimFile(join(dir, `.${prefix}${next}`), '')) next += 1;
    next += 1;
    return `${prefix}${next - 1}-${name}`;
  });
}

/**
 * Writes a file of an artifact whole or not at all (0600), in the place of an earlier one.
 * @returns the file's path.
 * @throws ArtifactError for an id that cannot be part of a path; what the file system says.
 */
export async function writeArtifact(
  dir: string,
  id: string,
  text: string,
  kind: ArtifactKind = 'md',
): Promise<string> {
  const file = join(dir, `${checked(id)}.${kind}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await replaceFile(file, text.toWellFormed(), true);
  return file;
}

/** The ids of the outputs in a folder, by their numbers; none when it does not exist. */
export async function listArtifacts(dir: string): Promise<string[]> {
  const names = await namesIn(dir);
  const ids = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
  return ids.filter(isArtifactId).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/**
 * The text of an artifact's file.
 * @throws ArtifactError when there is none, or when it is no file of ours.
 */
export async function readArtifact(dir: string, id: string, kind: ArtifactKind = 'md'): Promise<string> {
  try {
    return await readRegularFile(join(dir, `${checked(id)}.${kind}`), READ_BYTES);
  } catch (error) {
    if (error instanceof FileProblem) throw new ArtifactError(`The artifact ${id} ${error.message}.`);
    // A link in the artifact's place is none of ours.
    if (['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')) throw new ArtifactError(`Not found: ${id}`);
    throw error;
  }
}

/** Folders of artifacts in which a session looks for an id. */
export interface ArtifactPlaces {
  readonly own: string;
  /** Whether one of the own session may be told of; without it all of them. */
  shows?(id: string): boolean;
  /** Outputs of the own session that could not be saved there, by their ids. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** Of its parents, the nearest first. */
  readonly parents?: readonly string[] | undefined;
  /** Of the other sessions that may be seen. */
  readonly others?: readonly string[] | undefined;
}

export interface FoundArtifact {
  readonly dir: string;
  readonly id: string;
  /** Its text, where it is in no file. */
  readonly text?: string | undefined;
}

const LISTED = 50;

/** The artifacts of a session and of those around it, as they were when it was made. */
export class ArtifactIndex {
  /** The place that comes first wins; those in one place are equal. */
  readonly #places: readonly (readonly FoundArtifact[])[];

  constructor(places: readonly (readonly FoundArtifact[])[]) {
    this.#places = places;
  }

  /** The artifact of this id or, when there is none, the only one whose name without numbers is this. */
  find(id: string): FoundArtifact | undefined {
    return this.#only(id, (one) => one === id) ?? this.#only(id, (one) => bareNames(one).includes(id));
  }

  /** @throws ArtifactError when there is none; it lists what there is. */
  get(id: string): FoundArtifact {
    const found = this.find(id);
    if (found) return found;
    const ids = [...new Set(this.#places.flat().map((one) => one.id))];
    const more = ids.length > LISTED ? `, … (${ids.length - LISTED} more)` : '';
    const shown = isArtifactId(id) ? id : quoted(id);
    throw new ArtifactError(
      `Not found: ${shown}\nAvailable: ${ids.slice(0, LISTED).join(', ') || 'none'}${more}`,
    );
  }

  #only(id: string, matches: (one: string) => boolean): FoundArtifact | undefined {
    for (const place of this.#places) {
      const found = place.filter((one) => matches(one.id));
      if (found.length > 1) throw new ArtifactError(ambiguous(id, found));
      if (found[0]) return found[0];
    }
    return undefined;
  }
}

/** Looks into the folders of artifacts. One that cannot be read counts as empty, except the own one. */
export async function indexArtifacts({
  own,
  shows = () => true,
  unsaved = new Map(),
  parents = [],
  others = [],
}: ArtifactPlaces): Promise<ArtifactIndex> {
  const inside = async (dir: string) => (await listArtifacts(dir)).map((id) => ({ dir, id }));
  const elsewhere = (dir: string) => inside(dir).catch(() => []);
  return new ArtifactIndex([
    [
      // What stands in the place of one that could not be saved is none of ours.
      ...(await inside(own)).filter(({ id }) => !unsaved.has(id)),
      ...[...unsaved].map(([id, text]) => ({ dir: own, id, text })),
    ].filter(({ id }) => shows(id)),
    ...(await Promise.all(parents.map(elsewhere))),
    (await Promise.all(others.map(elsewhere))).flat(),
  ]);
}

function ambiguous(id: string, found: readonly FoundArtifact[]): string {
  const ids = [...new Set(found.map((one) => one.id))];
  if (ids.length > 1)
    return `${quoted(id)} stands for several artifacts: ${ids.join(', ')}. Use one of these ids.`;
  const files = found.map((one) => join(one.dir, `${one.id}.md`));
  return `Several sessions have an artifact ${quoted(id)}:\n${files.join('\n')}\nAsk the session that it belongs to, or read the file.`;
}

/** `0-Parent.1-Child` is also `Parent.Child` and `Child`. */
function bareNames(id: string): string[] {
  const names = id.split('.').map((part) => part.replace(/^\d+-/, ''));
  return [names.join('.'), names.at(-1) ?? ''];
}

/** The numbers that are taken directly below `prefix`, by files of any kind. */
function numbersBelow(names: readonly string[], prefix: string): number[] {
  return names.flatMap((name) => {
    const plain = name.replace(/^\./, '');
    const number = plain.startsWith(prefix)
      ? /^(\d{1,9})(?:-|$)/.exec(plain.slice(prefix.length))?.[1]
      : undefined;
    return number === undefined ? [] : [Number(number)];
  });
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function checked(id: string): string {
  if (isArtifactId(id)) return id;
  throw new ArtifactError(`${quoted(id)} is no artifact id: ids look like 0-Name, or 0-Parent.0-Child.`);
}
