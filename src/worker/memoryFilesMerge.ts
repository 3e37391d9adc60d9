/** What a file changes about its entry. */
import type { Author } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { comparable, type FileEntry, fileEntryOf } from '../memory/markdownFile.ts';
import type { Attributes, PutOperation, Signature } from '../memory/operation.ts';
import { confidenceOf, staticQuality } from '../memory/quality.ts';
import { signature } from './changes.ts';
import { hashOf } from './memoryFilesDisk.ts';
import { type Agreed, SCALARS } from './memoryFilesState.ts';

/** Why an entry was forgotten whose file is gone: the file brings it back. */
export const FILE_GONE = 'its file was deleted';

/** The operation of a new entry. @param created epoch milliseconds, from the file */
export function creation(
  file: FileEntry,
  created: number | undefined,
  author: Author,
  now: number,
): PutOperation {
  const by = signature(author);
  const set: Attributes = {
    ...scalars(file),
    ...{ quality: staticQuality(file), confidence: confidenceOf('human', file), origin: 'human' },
    ...{ status: 'active', confirmed: false },
  };
  return {
    ...{ op: 'put', key: file.key, at: Math.max(0, Math.min(created ?? now, now)), by, set },
    text: { value: file.content, mode: 'create' },
    more: file.additions.map((value) => ({ value, mode: 'keep', by })),
    ...{ tags: { add: file.tags }, links: { add: file.links } },
  };
}

/**
 * The operation that makes an entry say what its file says; undefined where it does. What the entry said stays as a
 * revision. Of facts counts what changed in the file since both agreed, so that what changed in the entry meanwhile stays.
 * @param agreed undefined where they never did
 * @param keepsBoth the entry's text changed as well, and stays beside the file's
 */
export function fileChanges(
  file: FileEntry,
  entry: FoldedEntry,
  agreed: Agreed | undefined,
  keepsBoth: boolean,
  author: Author,
  now: number,
): PutOperation | undefined {
  const own = fileEntryOf(entry);
  const by = signature(author);
  const changed = SCALARS.filter(
    (name) =>
      file[name] !== own[name] &&
      (agreed === undefined || agreed.fields[name] !== hashOf(String(file[name] ?? ''))),
  );
  const all = scalars(file);
  const [text, ...more] = textChanges(file, entry, keepsBoth, by);
  const tags = delta(file.tags, own.tags, agreed?.tags);
  const links = delta(file.links, own.links, agreed?.links);
  const isBack = entry.status !== 'active';
  const facts = [...changed, ...tags.add, ...tags.remove, ...links.add, ...links.remove];
  if (text === undefined && facts.length === 0 && !isBack) return undefined;
  const set: Attributes = {
    ...Object.fromEntries(changed.map((name) => [name, all[name]])),
    quality: Math.max(entry.quality, staticQuality(file)),
    ...(isBack ? { status: 'active', reason: '', supersededBy: '' } : {}),
    // Whoever pulls a branch has not read what came with it.
    ...(text === undefined ? {} : { origin: 'human', confirmed: false }),
  };
  return { op: 'put', key: entry.key, at: now, by, ...(text && { text, more }), set, tags, links };
}

type Text = NonNullable<PutOperation['more']>[number];

/** The first of them, if any, is the file's. */
function textChanges(file: FileEntry, entry: FoldedEntry, keepsBoth: boolean, by: Signature): Text[] {
  const own = fileEntryOf(entry);
  const now = new Set(own.additions.map(comparable));
  const wanted = new Set(file.additions.map(comparable));
  const isSame = comparable(file.content) === comparable(own.content);
  const keep = (value: string, whose = by): Text => ({ value, mode: 'keep', by: whose });
  const added = file.additions.filter((text) => !now.has(comparable(text)));
  const lost = own.additions.some((text) => !wanted.has(comparable(text)));
  if (isSame && (!lost || keepsBoth)) return added.map((value) => keep(value));
  // Whatever follows the content is shown with it, so what is to be shown is said again.
  const others = entry.revisions
    .filter(({ addition, actor }) => addition && (keepsBoth || actor !== 'person'))
    .map(({ text, actor, source }) => keep(text, { ...by, actor, source }))
    .reverse();
  return [
    { value: file.content, mode: 'replace', by },
    ...file.additions.map((value) => keep(value)),
    ...others,
    ...(keepsBoth && !isSame ? [keep(entry.content, writerOf(entry, by))] : []),
  ];
}

/** The operation that keeps texts as history: they are in the entry, and nothing that is shown changes. */
export function asHistory(
  texts: readonly string[],
  entry: FoldedEntry,
  author: Author,
  now: number,
): PutOperation | undefined {
  const by = signature(author);
  const known = new Set([entry.content, ...entry.revisions.map(({ text }) => text)].map(comparable));
  const [first, ...fresh] = texts.filter((text) => !known.has(comparable(text)));
  if (first === undefined) return undefined;
  const own = { ...writerOf(entry, by), session: entry.session, branch: entry.branch };
  const additions = entry.revisions.filter(({ addition }) => addition).toReversed();
  return {
    ...{ op: 'put', key: entry.key, at: now, by, text: { value: first, mode: 'replace' } },
    more: [
      ...fresh.map((value): Text => ({ value, mode: 'replace', by })),
      { value: entry.content, mode: 'replace', by: own },
      ...additions.map(
        ({ text, actor, source }): Text => ({ value: text, mode: 'keep', by: { ...own, actor, source } }),
      ),
    ],
  };
}

/** Whose the content is: what an agent wrote and nobody has read stays an agent's, and goes into no file. */
function writerOf({ source, confirmed }: FoldedEntry, by: Signature): Signature {
  return { ...by, actor: confirmed || source === by.source ? 'person' : 'agent', source };
}

function scalars({ category, file, pathScope, importance, pinned, expires }: FileEntry) {
  return { category, file, pathScope, pinned, importance: importance ?? null, expires: expires ?? null };
}

/** What came and what went: of what both agreed on, or where they never did only what came. */
function delta(file: readonly string[], own: readonly string[], agreed: readonly string[] | undefined) {
  const before = new Set(agreed);
  return {
    add: file.filter((value) => !own.includes(value) && !before.has(hashOf(value))),
    remove: own.filter((value) => !file.includes(value) && before.has(hashOf(value))),
  };
}
