/** Memories of other tools: how they join what is here. */
import type { Author } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import {
  comparableText,
  normalizeKey,
  normalizeTags,
  type Operation,
  type PutOperation,
} from '../memory/operation.ts';
import type { FileSummary, TakenEntry } from '../memory/taken.ts';
import { redactFields } from '../policy/redact.ts';
import type { TakeInOutcome } from './careApi.ts';
import { normalizeLinks, rememberOperation, signature } from './changes.ts';
import type { HeldMemory } from './heldMemory.ts';

type Taken = TakenEntry & { readonly tags: readonly string[]; readonly links: readonly string[] };

/** Saves what another tool kept at the author's level. What is out of recall here on purpose stays so. */
export async function takeIn(
  memory: HeldMemory,
  given: readonly TakenEntry[],
  summaries: readonly FileSummary[],
  author: Author,
): Promise<TakeInOutcome> {
  const redacted = new Set<string>();
  const entries: Taken[] = [];
  const note = (found: readonly string[]): void => {
    for (const kind of found) redacted.add(kind);
  };
  for (const entry of given) {
    const { fields, found } = await redactFields({ ...entry });
    entries.push(cleaned(fields));
    note(found);
  }
  const files: FileSummary[] = [];
  for (const summary of summaries) {
    const { fields, found } = await redactFields({ ...summary });
    files.push(fields);
    note(found);
  }
  memory.sync();
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const skipped: string[] = [];
  const operations: Operation[] = [];
  /** Texts of the keys that are being written, which the store does not know yet. */
  const written = new Map<string, Set<string>>();
  for (const entry of entries) {
    const before = memory.store.at(author.level, entry.key);
    const texts = written.get(entry.key);
    const now = memory.now();
    if (entry.key === '') continue;
    if (texts !== undefined) {
      // Another row for the same key: nothing it says is lost.
      if (texts.has(comparable(entry.content))) counts.unchanged++;
      else {
        texts.add(comparable(entry.content));
        operations.push(additionOf(entry, author, now));
        counts.updated++;
      }
    } else if (before !== undefined && holds(before, entry)) counts.unchanged++;
    else if (before !== undefined && before.status !== 'active') skipped.push(entry.key);
    else {
      written.set(entry.key, new Set([comparable(entry.content), ...textsOf(before)]));
      operations.push(...joining(memory, entry, before, author));
      counts[before === undefined ? 'created' : 'updated']++;
    }
  }
  const { fresh, kept } = newSummaries(memory, files, author);
  memory.write([...operations, ...fresh], author);
  raiseUses(memory, entries, author);
  return { ...counts, skipped, redacted: [...redacted], summaries: fresh.length, keptSummaries: kept };
}

function cleaned(entry: TakenEntry): Taken {
  return {
    ...entry,
    key: normalizeKey(entry.key),
    tags: normalizeTags(entry.tags ?? []),
    links: normalizeLinks(entry.links ?? []),
  };
}

/** Texts differ only where a reader of any format would see it. */
function comparable(text: string): string {
  return comparableText(text.toWellFormed().replace(/\r\n?/g, '\n'));
}

function textsOf(entry: FoldedEntry | undefined): string[] {
  if (entry === undefined) return [];
  return [entry.content, ...entry.revisions.map(({ text }) => text)].map(comparable);
}

/** Whether taking it in would change nothing. */
function holds(before: FoldedEntry, { content, tags, links }: Taken): boolean {
  return (
    textsOf(before).includes(comparable(content)) &&
    tags.every((tag) => before.tags.includes(tag)) &&
    links.every((link) => before.links.includes(link))
  );
}

/** The operations that make an entry of it, or add it to the one that is there. */
function joining(
  memory: HeldMemory,
  entry: Taken,
  before: FoldedEntry | undefined,
  author: Author,
): PutOperation[] {
  const now = memory.now();
  const gone = before !== undefined && memory.store.isExpired(before);
  const isOwn = before !== undefined && before.source === author.source && !before.confirmed;
  const isKnown = textsOf(before).includes(comparable(entry.content));
  const { key, content, category, file, tags, links, importance, pathScope } = entry;
  const input = { key, content, category, file, tags, links, importance, pathScope, origin: entry.origin };
  // One of elsewhere that says it has no tags has none: none are made of its words.
  const { operation } = rememberOperation({ ...input, replace: isOwn }, author, before, gone, undefined, now);
  const at = Math.min(entry.at ?? now, now);
  if (before !== undefined && !gone) {
    const { text, ...others } = operation;
    const set = {
      ...others.set,
      category: before.category,
      origin: before.origin,
      confidence: before.confidence,
      confirmed: before.confirmed,
      file: before.file === '' ? (file ?? '') : before.file,
      pathScope: before.pathScope === '' ? (pathScope ?? '') : before.pathScope,
    };
    return [{ ...others, at, set, ...(text === undefined || isKnown ? {} : { text }) }];
  }
  const { status = 'active', supersededBy = '', statusAt, confidence, expires } = entry;
  const set = {
    ...operation.set,
    status,
    supersededBy,
    confirmed: false,
    expires: expires ?? null,
    pinned: entry.pinned ?? false,
    origin: entry.origin ?? 'agent',
    ...(confidence === undefined ? {} : { confidence }),
  };
  const put: PutOperation = { ...operation, at, set };
  if (statusAt === undefined || statusAt <= at) return [put];
  // It was in recall until that day.
  const { supersededBy: _, ...first } = set;
  return [
    { ...put, set: { ...first, status: 'active' } },
    { op: 'put', key, at: Math.min(statusAt, now), by: signature(author), set: { status, supersededBy } },
  ];
}

function additionOf({ key, content, tags, links, at }: Taken, author: Author, now: number): PutOperation {
  return {
    op: 'put',
    key,
    at: Math.min(at ?? now, now),
    by: signature(author),
    text: { value: content, mode: 'keep' },
    tags: { add: tags },
    links: { add: links },
  };
}

/** A summary has no history, so what is here stays. */
function newSummaries(memory: HeldMemory, summaries: readonly FileSummary[], author: Author) {
  const known = new Map(Object.entries(memory.store.summaries(author)));
  const fresh: Operation[] = [];
  const kept: string[] = [];
  for (const { file, text } of summaries) {
    const here = known.get(file);
    if (here === undefined) {
      known.set(file, text);
      fresh.push({ op: 'summary', file, text, at: memory.now(), by: signature(author) });
    } else if (comparable(here) !== comparable(text)) kept.push(file);
  }
  return { fresh, kept };
}

function raiseUses(memory: HeldMemory, entries: readonly Taken[], author: Author): void {
  const raised = entries.flatMap(({ key, used = 0, lastUsed }) => {
    const id = memory.store.at(author.level, key)?.id;
    if (id === undefined || (used === 0 && lastUsed === undefined)) return [];
    memory.store.raiseUse(id, used, lastUsed);
    return [id];
  });
  if (raised.length > 0) memory.browser.update({ ids: new Set(raised) });
}
