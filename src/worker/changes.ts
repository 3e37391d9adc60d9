import { type Author, IMPORTANCE, type Importance, ORIGINS, type Origin } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import {
  type Attributes,
  comparableText,
  normalizeKey,
  normalizeTags,
  type PutOperation,
  type Signature,
} from '../memory/operation.ts';
import { confidenceOf, referencedKeys, staticQuality, withoutReferences } from '../memory/quality.ts';
import { parseTtl } from '../memory/ttl.ts';
import { inferTags } from '../memory/vocabulary.ts';
import { type EditInput, type RememberInput, StoreError } from './api.ts';

export function signature({ actor, source, session, branch }: Author): Signature {
  return { actor, source, session, branch };
}

/**
 * The operation that saves `input` over what is there (seed 001, "Merge-deduplication"): tags and links are
 * united, quality and confidence are the higher ones, the higher explicit importance wins, the content is kept
 * unless `replace` is asked for or the entry was gone. What `unlink` names is taken off.
 *
 * @param gone the key had been forgotten, superseded or had expired: the new text becomes the content
 * @param vocabulary the project's own, from which with ours tags are made for an entry that has none; undefined for one
 *   that says it has none
 */
export function rememberOperation(
  input: RememberInput,
  author: Author,
  before: FoldedEntry | undefined,
  gone: boolean,
  vocabulary: Readonly<Record<string, readonly string[]>> | undefined,
  now: number,
): { operation: PutOperation; inferredTags: string[]; unlinked: string[]; keptContent: boolean } {
  const given = normalizeTags(input.tags ?? []);
  const inferredTags =
    vocabulary === undefined || given.length > 0 || (before?.tags.length ?? 0) > 0
      ? []
      : normalizeTags(inferTags(`${input.key} ${input.content}`, vocabulary));
  const tags = [...given, ...inferredTags];
  const links = normalizeLinks(input.links ?? []);
  const off = normalizeLinks(input.unlink ?? []).filter((name) => !links.includes(name));
  const content = withoutReferences(input.content, off);
  const inText = referencedKeys(input.content).filter((name) => off.includes(name));
  const unlinks = off.filter((name) => before?.links.includes(name));
  const isFile = (name: string): boolean => normalizePath(name) === normalizePath(before?.file ?? '');
  const unfiles = input.file === undefined ? off.filter(isFile) : [];
  const file = unfiles.length > 0 ? '' : (input.file ?? before?.file ?? '');
  const replaces = before === undefined || gone || input.replace === true;
  const same = before !== undefined && comparableText(before.content) === comparableText(content);
  const origin = strongest(
    ORIGINS,
    input.origin ?? (author.actor === 'person' ? 'human' : 'agent'),
    before?.origin,
  );
  const all = {
    key: input.key,
    content,
    file,
    tags: [...new Set([...(before?.tags ?? []), ...tags])],
    links: [...new Set([...(before?.links ?? []), ...links])].filter((link) => !unlinks.includes(link)),
  };
  const set: Attributes = {
    category: input.category,
    file,
    quality: Math.max(before?.quality ?? 0, staticQuality(all)),
    confidence: Math.max(
      before?.confidence ?? 0,
      input.draft?.confidence ?? confidenceOf(input.origin ?? 'agent', all),
    ),
    origin,
    status: input.draft === undefined ? 'active' : 'draft',
    ...optional('expires', input.ttl === undefined ? (gone ? null : undefined) : expiry(input.ttl, now)),
    ...optional('importance', strongestImportance(input.importance, before?.importance)),
    ...optional('pathScope', input.pathScope),
    ...(author.actor === 'person' ? { confirmed: true } : replaces && !same ? { confirmed: false } : {}),
    ...(gone ? { reason: '', supersededBy: '' } : {}),
  };
  const operation: PutOperation = {
    op: 'put',
    key: input.key,
    at: now,
    by: signature(author),
    ...(same
      ? {}
      : {
          text: {
            value: content,
            mode: before === undefined ? 'create' : replaces ? 'replace' : 'keep',
          },
        }),
    set,
    ...(tags.length > 0 ? { tags: { add: tags } } : {}),
    ...(links.length + unlinks.length > 0 ? { links: { add: links, remove: unlinks } } : {}),
  };
  const unlinked = [...new Set([...unlinks, ...unfiles, ...(replaces ? inText : [])])];
  return { operation, inferredTags, unlinked, keptContent: !replaces && !same };
}

/** The operations of an edit; a person's edit also confirms the entry. */
export function editOperations(
  before: FoldedEntry,
  input: EditInput,
  author: Author,
  now: number,
): PutOperation[] {
  const edit = editOperation(before, input, author, now);
  if (edit.text === undefined || input.content !== undefined) return [edit];
  // Who takes a link out has not decided about the texts that were added to the content.
  const added = before.revisions.filter(({ addition }) => addition).reverse();
  const { key, at, by } = edit;
  return [
    edit,
    ...added.map(
      ({ text }): PutOperation => ({ op: 'put', key, at, by, text: { value: text, mode: 'keep' } }),
    ),
  ];
}

function editOperation(before: FoldedEntry, input: EditInput, author: Author, now: number): PutOperation {
  const tags = delta(before.tags, input.setTags, input.addTags, input.removeTags, normalizeTags);
  const dropped = input.dropLinks === undefined ? [] : normalizeLinks(input.dropLinks);
  const links = delta(
    before.links,
    input.setLinks,
    input.addLinks,
    input.dropLinks === undefined ? input.removeLinks : [...(input.removeLinks ?? []), ...dropped],
    normalizeLinks,
  );
  const content = withoutReferences(input.content ?? before.content, dropped);
  // A person who gives the text there is means it, and not what was added to it.
  const settles = author.actor === 'person' && before.revisions.some(({ addition }) => addition);
  const changesText =
    comparableText(content) !== comparableText(before.content) || (input.content !== undefined && settles);
  const after = {
    key: before.key,
    content,
    file: input.file ?? before.file,
    tags: [...new Set([...before.tags.filter((tag) => !tags?.remove?.includes(tag)), ...(tags?.add ?? [])])],
    links: [
      ...new Set([...before.links.filter((link) => !links?.remove?.includes(link)), ...(links?.add ?? [])]),
    ],
  };
  // Pinning says nothing about whether the text is right; any other change by a person does.
  const touchesEntry = Object.entries(input).some(
    ([name, value]) => value !== undefined && name !== 'pinned',
  );
  const confirmed =
    input.confirmed ?? (author.actor === 'person' && touchesEntry ? true : changesText ? false : undefined);
  const set: Attributes = {
    quality: staticQuality(after),
    ...optional('category', input.category),
    ...optional('file', input.file),
    ...optional(
      'expires',
      input.ttl === undefined ? undefined : input.ttl === '' ? null : expiry(input.ttl, now),
    ),
    ...optional('importance', input.importance === 'automatic' ? null : input.importance),
    ...optional('pathScope', input.pathScope),
    ...optional('pinned', input.pinned),
    ...optional('confirmed', confirmed),
  };
  return {
    op: 'put',
    key: before.key,
    at: now,
    by: signature(author),
    ...(changesText ? { text: { value: after.content, mode: 'replace' } } : {}),
    set,
    ...(tags === undefined ? {} : { tags }),
    ...(links === undefined ? {} : { links }),
  };
}

/** Keys as links are kept: without the brackets of `[[key]]`, each once, none empty. */
export function normalizeLinks(links: readonly string[]): string[] {
  const keys = links.map((link) => normalizeKey(normalizeKey(link).replace(/^\[\[(.*)\]\]$/su, '$1')));
  return [...new Set(keys)].filter((key) => key !== '');
}

/** A file as an entry names it, without the lines in it. */
function normalizePath(file: string): string {
  return normalizeKey(file)
    .replace(/(?::\d+(?:-\d+)?){1,2}$/, '')
    .replaceAll('\\', '/')
    .replace(/^\.\//, '');
}

function delta(
  before: readonly string[],
  set: readonly string[] | undefined,
  add: readonly string[] | undefined,
  remove: readonly string[] | undefined,
  normalize: (values: readonly string[]) => string[],
) {
  if (set === undefined && add === undefined && remove === undefined) return undefined;
  const wanted = set === undefined ? undefined : normalize(set);
  return {
    add: [...(wanted ?? []), ...normalize(add ?? [])],
    remove: [
      ...(wanted === undefined ? [] : before.filter((value) => !wanted.includes(value))),
      ...normalize(remove ?? []),
    ],
  };
}

function expiry(ttl: string, now: number): number {
  const expires = parseTtl(ttl, now);
  if (expires === undefined) {
    throw new StoreError(
      `"${oneLine(ttl)}" is not a time to live. Use hours or days from now ("24h", "7d") or an ISO date ("2026-12-31"), or leave ttl out to keep the memory.`,
    );
  }
  return expires;
}

function strongestImportance(
  given: Importance | undefined,
  before: Importance | undefined,
): Importance | undefined {
  if (given === undefined || before === undefined) return given;
  return IMPORTANCE.indexOf(given) < IMPORTANCE.indexOf(before) ? given : before;
}

function strongest(order: readonly Origin[], given: Origin, before: Origin | undefined): Origin {
  return before !== undefined && order.indexOf(before) < order.indexOf(given) ? before : given;
}

function optional<Name extends keyof Attributes>(name: Name, value: Attributes[Name] | undefined) {
  return value === undefined ? {} : { [name]: value };
}

/** Why an entry is out of recall and how it comes back, or undefined when it is not. */
export function goneBecause(entry: FoldedEntry, isExpired: boolean): string | undefined {
  const name = `"${oneLine(entry.key)}"`;
  const restore = `memory_forget({ key: ${name}, action: "restore" })`;
  if (entry.status === 'forgotten') return `${name} is forgotten. Restore it first with ${restore}.`;
  if (entry.status === 'superseded')
    return `${name} is superseded by "${oneLine(entry.supersededBy)}". Use that one, or bring this one back with ${restore}.`;
  if (entry.status === 'archived') return `${name} is archived. Restore it first with ${restore}.`;
  if (entry.status === 'draft')
    return `${name} is a draft that nobody has accepted yet. Accept it with memory_promote({ ids: ${name}, dryRun: false }).`;
  if (isExpired)
    return `${name} has expired. Save it again with memory_remember, or restore it with ${restore}.`;
  return undefined;
}
