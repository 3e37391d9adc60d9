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
): PutOperation[] {
  const at = Math.max(0, Math.min(created ?? now, now));
  const put = (value: string, rest: Partial<PutOperation> = {}, mode: 'create' | 'keep' = 'create') =>
    ({ op: 'put', key: file.key, at, by: signature(author), text: { value, mode }, ...rest }) as const;
  const set: Attributes = {
    ...scalars(file),
    ...{ quality: staticQuality(file), confidence: confidenceOf('human', file), origin: 'human' },
    ...{ status: 'active', confirmed: false },
  };
  return [
    put(file.content, { set, tags: { add: file.tags }, links: { add: file.links } }),
    ...file.additions.map((text) => put(text, {}, 'keep')),
  ];
}

/**
 * The operations that make an entry say what its file says. What the entry said stays as a revision. Of facts counts
 * what changed in the file since both agreed, so that what changed in the entry meanwhile stays.
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
): PutOperation[] {
  const own = fileEntryOf(entry);
  const by = signature(author);
  const changed = SCALARS.filter(
    (name) =>
      file[name] !== own[name] &&
      (agreed === undefined || agreed.fields[name] !== hashOf(String(file[name] ?? ''))),
  );
  const all = scalars(file);
  const texts = textChanges(file, entry, keepsBoth, by);
  const set: Attributes = {
    ...Object.fromEntries(changed.map((name) => [name, all[name]])),
    quality: Math.max(entry.quality, staticQuality(file)),
    ...(entry.status === 'active' ? {} : { status: 'active', reason: '', supersededBy: '' }),
    // Whoever pulls a branch has not read what came with it.
    ...(texts.length > 0 ? { origin: 'human', confirmed: false } : {}),
  };
  const facts: PutOperation = {
    ...{ op: 'put', key: entry.key, at: now, by, set },
    tags: delta(file.tags, own.tags, agreed?.tags),
    links: delta(file.links, own.links, agreed?.links),
  };
  const [first, ...rest] = texts;
  if (first === undefined) return [facts];
  const put = ({ value, mode, by: whose }: Text): PutOperation => ({
    ...{ op: 'put', key: entry.key, at: now, by: whose, text: { value, mode } },
  });
  return [{ ...facts, text: { value: first.value, mode: first.mode } }, ...rest.map(put)];
}

interface Text {
  readonly value: string;
  readonly mode: 'keep' | 'replace';
  readonly by: Signature;
}

function textChanges(file: FileEntry, entry: FoldedEntry, keepsBoth: boolean, by: Signature): Text[] {
  const own = fileEntryOf(entry);
  const now = new Set(own.additions.map(comparable));
  const wanted = new Set(file.additions.map(comparable));
  const isSame = comparable(file.content) === comparable(own.content);
  const added = file.additions.filter((text) => !now.has(comparable(text)));
  const lost = own.additions.some((text) => !wanted.has(comparable(text)));
  if (isSame && (!lost || keepsBoth)) return added.map((value) => ({ value, mode: 'keep', by }));
  // Whatever follows the content is shown with it, so what is to be shown is said again.
  const others = entry.revisions
    .filter(({ addition, actor }) => addition && (keepsBoth || actor !== 'person'))
    .map(
      (revision): Text => ({
        value: revision.text,
        mode: 'keep',
        by: { ...by, actor: revision.actor, source: revision.source },
      }),
    )
    .reverse();
  return [
    { value: file.content, mode: 'replace', by },
    ...file.additions.map((value): Text => ({ value, mode: 'keep', by })),
    ...others,
    ...(keepsBoth && !isSame
      ? [{ value: entry.content, mode: 'keep' as const, by: { ...by, source: entry.source } }]
      : []),
  ];
}

/** Operations that keep a text as history: it is in the entry, and nothing that is shown changes. */
export function asHistory(
  texts: readonly string[],
  entry: FoldedEntry,
  author: Author,
  now: number,
): PutOperation[] {
  const known = new Set([entry.content, ...entry.revisions.map(({ text }) => text)].map(comparable));
  const fresh = texts.filter((text) => !known.has(comparable(text)));
  if (fresh.length === 0) return [];
  const own = { actor: author.actor, source: entry.source, session: entry.session, branch: entry.branch };
  const put = (value: string, mode: 'keep' | 'replace', by: Signature): PutOperation => ({
    ...{ op: 'put', key: entry.key, at: now, by, text: { value, mode } },
  });
  const additions = entry.revisions.filter(({ addition }) => addition).toReversed();
  return [
    ...fresh.map((text) => put(text, 'replace', signature(author))),
    put(entry.content, 'replace', own),
    ...additions.map(({ text, actor, source }) => put(text, 'keep', { ...own, actor, source })),
  ];
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
