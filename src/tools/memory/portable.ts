/** Memories in a form that leaves this store and comes into another one. */
import { z } from 'zod';
import { CATEGORIES, type Entry, IMPORTANCE, ORIGINS } from '../../memory/entry.ts';
import type { Level } from '../../policy/level.ts';
import type { ImportedEntry, ImportOutcome } from '../../worker/careApi.ts';
import { countOf } from '../counting.ts';
import { content, file, key, pathScope } from '../fields.ts';
import { redactionLine } from '../render.ts';

/** Raise it when the shape changes. */
const FORMAT = 1;
const MOST_ENTRIES = 10_000;
const namesSchema = z.array(z.string().min(1).max(256)).max(64);

const entrySchema = z.object({
  key,
  category: z.enum(CATEGORIES),
  content,
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

/** What may be told of an entry elsewhere. Forgotten, archived and expired ones, and drafts, stay here. */
export function portableEntries(
  entries: readonly Entry[],
  now: number,
): (ImportedEntry & { level: Level })[] {
  return entries
    .filter(({ status, expires }) => status === 'active' && (expires === undefined || expires > now))
    .map((entry) => ({
      level: entry.level,
      key: entry.key,
      category: entry.category,
      // Texts that were added beside the content belong to what the entry says.
      content: [
        entry.content,
        ...entry.revisions.filter(({ addition }) => addition).map(({ text }) => text),
      ].join('\n\n'),
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
export function portableText(entries: readonly ImportedEntry[]): string {
  return JSON.stringify({ lodeline: FORMAT, entries }, null, 2);
}

/** The entries in a text from elsewhere, or undefined when it is not one of ours. */
export function parsePortable(text: string): ImportedEntry[] | undefined {
  try {
    return fileSchema.parse(JSON.parse(text)).entries;
  } catch {
    return undefined;
  }
}

/** What an import did, as lines. */
export function importLines({ created, updated, unchanged, skipped, redacted }: ImportOutcome): string[] {
  return [
    `📥 ${countOf(created, 'entry', 'entries')} new, ${updated} updated, ${unchanged} unchanged`,
    ...(skipped.length > 0
      ? [
          `${countOf(skipped.length, 'entry is', 'entries are')} forgotten, archived or superseded here and stay so`,
        ]
      : []),
    ...redactionLine(redacted),
  ];
}

/** The outcomes of several imports as one. */
export function sumImports(outcomes: readonly ImportOutcome[]): ImportOutcome {
  const sum = (of: (outcome: ImportOutcome) => number): number =>
    outcomes.reduce((total, each) => total + of(each), 0);
  return {
    created: sum(({ created }) => created),
    updated: sum(({ updated }) => updated),
    unchanged: sum(({ unchanged }) => unchanged),
    skipped: outcomes.flatMap(({ skipped }) => skipped),
    redacted: [...new Set(outcomes.flatMap(({ redacted }) => redacted))],
  };
}
