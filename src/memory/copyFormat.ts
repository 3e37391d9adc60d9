/** How a copy of the memory is written down: a first line about itself, then a line for each entry and file summary. */
import { z } from 'zod';
import { LEVELS, type Level } from '../policy/level.ts';
import type { Box } from './box.ts';
import { CATEGORIES, IMPORTANCE, ORIGINS, STATUSES } from './entry.ts';

const time = z.number().min(0).max(8.64e15);
const copiedEntry = z.object({
  key: z.string(),
  category: z.enum(CATEGORIES),
  content: z.string(),
  file: z.string(),
  tags: z.array(z.string()),
  links: z.array(z.string()),
  created: time,
  updated: time,
  expires: time.optional(),
  importance: z.enum(IMPORTANCE).optional(),
  quality: z.number(),
  confidence: z.number(),
  pinned: z.boolean(),
  pathScope: z.string(),
  origin: z.enum(ORIGINS),
  status: z.enum(STATUSES),
  confirmed: z.boolean(),
  supersededBy: z.string(),
  reason: z.string(),
  revisions: z.array(z.object({ text: z.string(), at: time, addition: z.boolean() })),
});
const copiedSummary = z.object({ file: z.string(), text: z.string() });

/** An entry as a copy holds it: what can be told of it without its use. */
export type CopiedEntry = z.infer<typeof copiedEntry>;

/** One line: an entry or a file summary. `id` says which without naming it. */
export interface CopyLine {
  readonly id: string;
  readonly level: Level;
  readonly entry?: CopiedEntry | undefined;
  readonly summary?: z.infer<typeof copiedSummary> | undefined;
}

const lineSchema = z.object({
  id: z.string(),
  level: z.enum(LEVELS),
  entry: copiedEntry.optional(),
  summary: copiedSummary.optional(),
  box: z.object({ key: z.string(), text: z.string() }).optional(),
});
const headSchema = z.object({
  lodeline: z.number(),
  at: time,
  /** Of who made it; what is at it or above may know of the copy. */
  level: z.enum(LEVELS).optional(),
  note: z
    .object({
      level: z.enum(LEVELS),
      text: z.string().optional(),
      box: z.object({ key: z.string(), text: z.string() }).optional(),
    })
    .optional(),
});
/** Why a copy was made, and the level at which that was said. */
export interface CopyNote {
  readonly text: string;
  readonly level: Level;
}

/** A copy's first line, without its note where that is `gone`. */
export function withoutNote(first: string, gone: (note: Pick<CopyNote, 'level'>) => boolean): string {
  const head = parseHead(first);
  if (head?.note === undefined || !gone(head.note)) return first;
  const { note: _, ...rest } = head;
  return JSON.stringify(rest);
}

/** A line of a copy; `own`: what is known of it from elsewhere. Undefined when it is none. */
export function parseLine(
  text: string,
  own: Partial<Pick<CopyLine, 'id' | 'level'>> = {},
): (CopyLine & { box?: Box | undefined }) | undefined {
  return lineSchema.safeParse({ ...Object(parseJson(text)), ...own }).data;
}

export function parseHead(text: string): z.output<typeof headSchema> | undefined {
  return headSchema.safeParse(parseJson(text)).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
