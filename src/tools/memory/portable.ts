/** Memories in a form that leaves this store and comes into another one. */
import { z } from 'zod';
import { type Author, CATEGORIES, type Entry, IMPORTANCE, ORIGINS } from '../../memory/entry.ts';
import { canFlowTo, LEVELS, type Level } from '../../policy/level.ts';
import type { StoreApi } from '../../worker/api.ts';
import type { CareApi, ImportedEntry, ImportOutcome } from '../../worker/careApi.ts';
import { countOf } from '../counting.ts';
import { content, file, key, pathScope } from '../fields.ts';
import { redactionLine } from '../render.ts';
import { type ToolCall, ToolError } from '../tool.ts';

/** Raise it when the shape changes. */
const FORMAT = 1;
/** As many as a memory is measured with. */
const MOST_ENTRIES = 100_000;
/** Names that were added bit by bit may be more than one call takes; the size of the file is limited. */
const namesSchema = z.array(z.string().min(1).max(256));

const entrySchema = z.object({
  key,
  category: z.enum(CATEGORIES),
  content,
  additions: z.array(content).default([]),
  file: file.optional(),
  tags: namesSchema.optional(),
  links: namesSchema.optional(),
  importance: z.enum(IMPORTANCE).optional(),
  origin: z.enum(ORIGINS).optional(),
  confidence: z.number().min(0).max(1).optional(),
  pinned: z.boolean().optional(),
  pathScope: pathScope.optional(),
  expires: z.number().min(0).max(8.64e15).optional(),
});
const fileSchema = z.object({
  lodeline: z.literal(FORMAT),
  entries: z.array(entrySchema).max(MOST_ENTRIES),
});

/** An entry with the texts that were saved beside its content, newest first. */
export interface PortableEntry extends ImportedEntry {
  readonly additions: readonly string[];
}

export interface PortableOutcome extends ImportOutcome {
  /** Texts that were new beside the content of their entry. */
  readonly added: number;
}

/**
 * The entries of each level that a call may copy out of a store, each as its own level sees it: an agent those of its
 * level, a person all up to theirs. Where a copy goes there must be no gap that tells of what shadows an entry here.
 */
export async function copyable(
  store: Pick<StoreApi, 'exportAll'>,
  { actor, level }: ToolCall,
): Promise<Entry[]> {
  const levels = actor === 'person' ? LEVELS.filter((each) => canFlowTo(each, level)) : [level];
  const all = await Promise.all(
    levels.map(async (each) =>
      (await store.exportAll({ level: each })).filter((entry) => entry.level === each),
    ),
  );
  return all.flat();
}

/** What may be told of an entry elsewhere. Forgotten, archived and expired ones, and drafts, stay here. */
export function portableEntries(
  entries: readonly Entry[],
  now: number,
): (PortableEntry & { level: Level })[] {
  return entries
    .filter(({ status, expires }) => status === 'active' && (expires === undefined || expires > now))
    .map((entry) => ({
      level: entry.level,
      key: entry.key,
      category: entry.category,
      content: entry.content,
      additions: entry.revisions.filter(({ addition }) => addition).map(({ text }) => text),
      file: entry.file === '' ? undefined : entry.file,
      tags: entry.tags,
      links: entry.links,
      importance: entry.importance,
      origin: entry.origin,
      confidence: entry.confidence,
      pinned: entry.pinned,
      pathScope: entry.pathScope === '' ? undefined : entry.pathScope,
      expires: entry.expires,
    }));
}

/** The text of a file that `parsePortable` reads. */
export function portableText(entries: readonly PortableEntry[]): string {
  return JSON.stringify({ lodeline: FORMAT, entries }, null, 2);
}

/**
 * The entries in a text from elsewhere, or undefined when it is not one of ours.
 * @throws ToolError when there are more than can be taken at once
 */
export function parsePortable(text: string): PortableEntry[] | undefined {
  const file = parseJson(text);
  const counted = z.object({ entries: z.array(z.unknown()) }).safeParse(file);
  if (counted.success) requireTakeable(counted.data.entries.length, 'Nothing was changed.');
  return fileSchema.safeParse(file).data?.entries;
}

/** Throws a `ToolError` for more entries than `parsePortable` takes; what cannot be read again is not sent either. */
export function requireTakeable(count: number, closing: string): void {
  if (count > MOST_ENTRIES)
    throw new ToolError(
      `${count} memories are more than the ${MOST_ENTRIES} that can be exchanged at once. Archive or forget what is not needed there, then try again. ${closing}`,
    );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Saves entries and the texts beside their contents at the author's level. Each text stays one of its own, so that
 * what is known is known again and nothing grows with every exchange.
 */
export async function importPortable(
  care: CareApi,
  entries: readonly PortableEntry[],
  replace: boolean,
  author: Author,
): Promise<PortableOutcome> {
  const contents = entries.map(({ additions: _, ...entry }) => entry);
  const outcomes = [{ ...(await care.importEntries(contents, replace, author)), added: 0 }];
  // An import takes a key once, and the oldest text was added first.
  const most = Math.max(0, ...entries.map(({ additions }) => additions.length));
  for (let back = 1; back <= most; back++) {
    const texts = entries.flatMap(({ key, category, origin, additions }) => {
      const content = additions.at(-back);
      return content === undefined ? [] : [{ key, category, origin, content }];
    });
    const { updated, redacted } = await care.importEntries(texts, false, author);
    outcomes.push({ created: 0, updated: 0, unchanged: 0, skipped: [], redacted, added: updated });
  }
  return sumImports(outcomes);
}

/** What an import did, as lines. */
export function importLines(outcome: PortableOutcome): string[] {
  const { created, updated, unchanged, skipped, redacted, added } = outcome;
  return [
    `📥 ${countOf(created, 'entry', 'entries')} new, ${updated} updated, ${unchanged} unchanged`,
    ...(added > 0 ? [`↺ ${countOf(added, 'text', 'texts')} added beside them`] : []),
    ...(skipped.length > 0
      ? [
          `${countOf(skipped.length, 'entry is', 'entries are')} forgotten, archived or superseded here and stay so`,
        ]
      : []),
    ...redactionLine(redacted),
  ];
}

/** The outcomes of several imports as one. */
export function sumImports(outcomes: readonly PortableOutcome[]): PortableOutcome {
  const sum = (of: (outcome: PortableOutcome) => number): number =>
    outcomes.reduce((total, each) => total + of(each), 0);
  return {
    created: sum(({ created }) => created),
    updated: sum(({ updated }) => updated),
    unchanged: sum(({ unchanged }) => unchanged),
    added: sum(({ added }) => added),
    skipped: outcomes.flatMap(({ skipped }) => skipped),
    redacted: [...new Set(outcomes.flatMap(({ redacted }) => redacted))],
  };
}
