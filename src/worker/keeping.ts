/** Copies of the memory and their return, and entries that come from elsewhere. */
import type { CopyKind } from '../memory/copies.ts';
import type { CopiedEntry, CopyLine } from '../memory/copyFormat.ts';
import type { Author } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import {
  comparableText,
  entryIds,
  normalizeKey,
  normalizeTags,
  type Operation,
  type PutOperation,
} from '../memory/operation.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { redactFields } from '../policy/redact.ts';
import { phrase, StoreError } from './api.ts';
import type { CopyMade, ImportedEntry, ImportOutcome, RestoreOutcome } from './careApi.ts';
import { normalizeLinks, rememberOperation, signature } from './changes.ts';
import type { Change, HeldMemory } from './heldMemory.ts';

/** Copies everything, whoever asks: what the author may not see stays sealed and is not counted. */
export function makeCopy(memory: HeldMemory, kind: CopyKind, author: Author, note = ''): CopyMade {
  const lines = [...linesOf(memory)];
  const last = memory.store.lastErasure();
  const said = note === '' ? undefined : { text: note, level: author.level };
  const made = onDisk(() => memory.copies.make(kind, author.level, lines, said));
  // What somebody deleted for good while it was written must not be in it.
  memory.sync();
  if (memory.store.lastErasure() !== last) onDisk(() => memory.scrub());
  const seen = lines.filter(({ level, entry }) => entry !== undefined && canFlowTo(level, author.level));
  return { ...made, entries: seen.length };
}

/** Puts a copy's entries back as they were, after a snapshot of what is there now. */
export function restoreCopy(memory: HeldMemory, name: string, author: Author): RestoreOutcome {
  const known = memory.copies.list(author.level).find((copy) => copy.name === name);
  if (known === undefined)
    throw new StoreError(
      `There is no backup or snapshot "${oneLine(name)}". List them with memory_copies({}).`,
    );
  const { lines, unreadable } = onDisk(() => memory.copies.read(known.name, author.level));
  const before = makeCopy(memory, 'snapshot', author);
  const mine = lines.filter(
    ({ id, level }) =>
      (level === author.level || (author.actor === 'person' && canFlowTo(level, author.level))) &&
      !memory.store.isErased(id, known.at),
  );
  let restored = 0;
  const changes = mine.flatMap(({ level, entry, summary }): Change[] => {
    if (summary !== undefined) {
      if (memory.store.summaries({ level })[summary.file] === summary.text) return [];
      const operation: Operation = { op: 'summary', ...summary, at: memory.now(), by: signature(author) };
      return [{ operation, level }];
    }
    const operations = entry === undefined ? [] : returnOf(memory, level, entry, author);
    if (operations.length > 0) restored++;
    return operations.map((operation) => ({ operation, level }));
  });
  memory.writeAll(changes);
  const entries = mine.filter(({ entry }) => entry !== undefined).length;
  return { restored, unchanged: entries - restored, unreadable, before: before.name };
}

/** Saves entries from elsewhere at the author's level. What is out of recall here on purpose stays so. */
export async function importEntries(
  memory: HeldMemory,
  entries: readonly ImportedEntry[],
  replace: boolean,
  vocabulary: Readonly<Record<string, readonly string[]>>,
  author: Author,
): Promise<ImportOutcome> {
  const clean: ImportedEntry[] = [];
  const redacted = new Set<string>();
  for (const entry of entries) {
    const { fields, found } = await redactFields({ ...entry, key: normalizeKey(entry.key) });
    clean.push(fields);
    for (const kind of found) redacted.add(kind);
  }
  memory.sync();
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const skipped: string[] = [];
  const operations = new Map<string, PutOperation>();
  for (const entry of clean) {
    // Of two entries with one key the first counts: the second would be written over what is not there yet.
    if (entry.key === '' || operations.has(entry.key)) continue;
    const before = memory.store.at(author.level, entry.key);
    if (before !== undefined && before.status !== 'active') skipped.push(entry.key);
    else if (before !== undefined && holds(before, entry, replace)) counts.unchanged++;
    else {
      operations.set(entry.key, importOperation(memory, entry, before, replace, vocabulary, author));
      counts[before === undefined ? 'created' : 'updated']++;
    }
  }
  memory.write([...operations.values()], author);
  return { ...counts, skipped, redacted: [...redacted] };
}

function importOperation(
  memory: HeldMemory,
  entry: ImportedEntry,
  before: FoldedEntry | undefined,
  replace: boolean,
  vocabulary: Readonly<Record<string, readonly string[]>>,
  author: Author,
): PutOperation {
  const { expires, confidence, pinned, isDraft, ...rest } = entry;
  const now = memory.now();
  const gone = before !== undefined && memory.store.isExpired(before);
  const ttl = expires === undefined ? undefined : new Date(expires).toISOString();
  const input = {
    ...rest,
    replace,
    ttl,
    origin: entry.origin === 'human' ? ('agent' as const) : entry.origin,
    draft: isDraft === true ? { confidence: confidence ?? 0 } : undefined,
  };
  // An entry that says it has no tags has none.
  const known = entry.tags === undefined ? vocabulary : undefined;
  const { operation } = rememberOperation(input, author, before, gone, known, now);
  const set = {
    ...operation.set,
    ...(confidence === undefined || before !== undefined ? {} : { confidence }),
    ...(pinned === true ? { pinned } : {}),
    // Nobody here has read it.
    ...(before === undefined || replace ? { confirmed: false } : {}),
  };
  return { ...operation, set };
}

/** Whether an import would change nothing. */
function holds(before: FoldedEntry, entry: ImportedEntry, replace: boolean): boolean {
  const has = (own: readonly string[], given: readonly string[]): boolean =>
    given.every((value) => own.includes(value));
  const texts = [before.content, ...(replace ? [] : before.revisions.map(({ text }) => text))];
  const known = texts.map(comparableText).includes(comparableText(entry.content));
  return (
    known &&
    has(before.tags, normalizeTags(entry.tags ?? [])) &&
    has(before.links, normalizeLinks(entry.links ?? []))
  );
}

function* linesOf({ store }: HeldMemory): Generator<CopyLine> {
  for (const entry of store.all()) {
    const { id: _, level, branch: _b, session: _s, source: _o, revisions, tags, links, ...rest } = entry;
    yield {
      id: entryIds(level, entry.key).long,
      level,
      entry: {
        ...rest,
        tags: [...tags],
        links: [...links],
        revisions: revisions.map(({ text, at, addition }) => ({ text, at, addition })),
      },
    };
  }
  for (const level of LEVELS) {
    const summaries = store.summaries({ level });
    for (const file of store.summarized(level))
      yield {
        id: entryIds(level, `summary\0${file}`).long,
        level,
        summary: { file, text: summaries[file] ?? '' },
      };
  }
}

/** The operations that make an entry what a copy says; none when it is that already. */
function returnOf(memory: HeldMemory, level: Level, copy: CopiedEntry, author: Author): PutOperation[] {
  const now = memory.store.at(level, copy.key);
  const by = signature(author);
  const { key, content, tags, links, created: _, updated, revisions, expires, importance, ...rest } = copy;
  const set = { ...rest, expires: expires ?? null, importance: importance ?? null };
  if (now === undefined) {
    // Its own operations are lost, so its history comes from the copy: older texts, the content, what was added.
    const texts = [...revisions].reverse();
    const put = (value: string, at: number, mode: 'replace' | 'keep'): PutOperation => ({
      op: 'put',
      key,
      at,
      by,
      text: { value, mode },
    });
    return [
      ...texts.filter(({ addition }) => !addition).map(({ text, at }) => put(text, at, 'replace')),
      { ...put(content, updated, 'replace'), set, tags: { add: tags }, links: { add: links } },
      ...texts.filter(({ addition }) => addition).map(({ text, at }) => put(text, at, 'keep')),
    ];
  }
  if (isSame(now, copy)) return [];
  const delta = (own: readonly string[], wanted: readonly string[]) => ({
    add: wanted,
    remove: own.filter((value) => !wanted.includes(value)),
  });
  const text = now.content === content ? {} : { text: { value: content, mode: 'replace' as const } };
  return [
    {
      op: 'put',
      key,
      at: memory.now(),
      by,
      ...text,
      set,
      tags: delta(now.tags, tags),
      links: delta(now.links, links),
    },
  ];
}

function isSame(now: FoldedEntry, copy: CopiedEntry): boolean {
  const told = (of: FoldedEntry | CopiedEntry): string =>
    JSON.stringify([
      ...[of.content, of.category, of.file, of.pathScope, of.status, of.pinned, of.confirmed],
      ...[of.expires ?? null, of.importance ?? null, [...of.tags].sort(), [...of.links].sort()],
    ]);
  return told(now) === told(copy);
}

/** Runs what writes or reads copies; what the disk says becomes an error for the caller. */
export function onDisk<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error && ('syscall' in error || error.name === 'KeyError'))) throw error;
    throw new StoreError(
      phrase(
        "The copy could not be made or read: {0}. Nothing was changed. Free disk space or check the folder's permissions, then try again.",
        error.message,
      ),
    );
  }
}
