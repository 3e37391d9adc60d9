import { z } from 'zod';
import type { EntryFilter } from '../../memory/entry.ts';
import { clip } from '../../memory/line.ts';
import { normalizeKey } from '../../memory/operation.ts';
import type { Recalled } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { category, date, idList, limit, names, pathScope, query, toFilter } from '../fields.ts';
import { block, indexLine } from '../render.ts';
import type { ToolCall, ToolContext, ToolResult } from '../tool.ts';

/** `tiny` 3, `normal` 10, `deep` 20 (seed 001). */
const BUDGET = { tiny: 3, normal: 10, deep: 20 } as const;
const DEFAULT_LIMIT = 10;
/** An index costs a line an entry, so it shows more. */
const DEFAULT_INDEX_LIMIT = 50;
const MAX_BUDGET_TOKENS = 1_000_000;

/** What `memory_recall` and `memory_search` have in common. */
export const recallFields = {
  query: query.describe('Words to look for, in any language. Empty lists what there is'),
  category: category.optional().describe('Only this category'),
  from_date: date.optional().describe('Only entries last changed on or after: ISO date, or "7d" back'),
  to_date: date.optional().describe('Only entries last changed on or before'),
  mode: z
    .enum(['flat', 'index'])
    .default('flat')
    .describe('"index" lists one line per entry without content; fetch the ones you need with ids'),
  ids: idList.optional().describe('Fetch these ids or keys whole, in this order, "a,b" or an array'),
  limit: limit.optional().describe('Most entries; wins over budget'),
  budget: z.enum(['tiny', 'normal', 'deep']).optional().describe('How many: tiny 3, normal 10, deep 20'),
  budget_tokens: z
    .int()
    .min(0)
    .max(MAX_BUDGET_TOKENS)
    .default(0)
    .describe('Hard cap on the tokens of the answer; 0 is no cap'),
  pathScope: pathScope.optional().describe('Only entries about files in this folder or matching this glob'),
  path_scope: pathScope.optional().describe('The same as pathScope'),
  explain: z.boolean().default(false).describe('Add a line per entry that says why it came back'),
} as const;

const fieldsSchema = z.object({ ...recallFields, tags: names.optional(), max_results: limit.optional() });
type RecallFields = z.output<typeof fieldsSchema>;

/** Runs either tool: fetch by ids, index, or ranked entries, each within the token budget. */
export async function recallWith(
  input: RecallFields,
  heading: string,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> {
  const filter = toFilter(input, context.now());
  if (input.ids !== undefined && input.ids.length > 0)
    return fetchIds(input.ids, filter, input, call, context);
  const limit =
    input.limit ?? input.max_results ?? (input.budget === undefined ? undefined : BUDGET[input.budget]);
  const index = input.mode === 'index';
  const outcome = await context.store.recall(
    {
      query: input.query,
      filter,
      limit: limit ?? (index ? DEFAULT_INDEX_LIMIT : DEFAULT_LIMIT),
      count: !index,
    },
    readerOf(call),
  );
  const data = outcome.results.map(toData);
  if (outcome.results.length === 0) return { text: nothing(input.query, filter), data: { results: data } };
  const blocks = index
    ? outcome.results.map((result, at) => indexLine(result, at + 1))
    : outcome.results.map(({ entry, reason }) =>
        block(entry, { importance: input.budget === 'deep', ...(input.explain ? { reason } : {}) }),
      );
  const opening = index ? `📇 Memory index (${countOf(data.length, outcome.total)}):` : heading;
  const closing = index
    ? `Fetch whole entries with memory_recall({ ids: "id,id" }).${data.length < outcome.total ? ' Raise limit, or add a query or filter, to see the rest.' : ''}`
    : '';
  return assemble(opening, blocks, closing, index ? '\n' : '\n\n', input.budget_tokens, data, context);
}

async function fetchIds(
  ids: readonly string[],
  filter: EntryFilter,
  input: RecallFields,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> {
  const found = await context.store.fetch(ids, readerOf(call), true, filter);
  const entries = found.slice(0, input.limit ?? input.max_results);
  const data = entries.map((entry) => toData({ entry }));
  const passing = isFiltered(filter) ? ' that pass these filters' : '';
  if (entries.length === 0) {
    return {
      text: `No entries found for ids: ${clip(ids.join(', '), 200)}${passing}. List what is there with memory_recall({ mode: "index" }).`,
      data: { results: data },
    };
  }
  const known = new Set(found.flatMap(({ id, key }) => [id, key]));
  const missing = ids.filter((name) => !known.has(normalizeKey(name)));
  const opening = `Fetched ${countOf(entries.length, found.length)}:`;
  const closing =
    missing.length > 0
      ? `Not in memory${passing && ', or not passing these filters'}: ${clip(missing.join(', '), 200)}`
      : '';
  const blocks = entries.map((entry) => block(entry, { importance: true }));
  return assemble(opening, blocks, closing, '\n\n', input.budget_tokens, data, context);
}

/** `1 entry`, `4 of 6 entries` */
function countOf(shown: number, total: number): string {
  return `${shown < total ? `${shown} of ${total}` : total} ${total === 1 ? 'entry' : 'entries'}`;
}

/** Joins a heading and blocks; a token budget drops the tail, and the data says how much. */
async function assemble(
  opening: string,
  blocks: readonly string[],
  closing: string,
  separator: string,
  budget: number,
  results: readonly unknown[],
  context: ToolContext,
): Promise<ToolResult> {
  if (budget === 0) {
    const text = [opening, blocks.join(separator), closing].filter(Boolean).join('\n\n');
    return { text, data: { results } };
  }
  const fitted = await context.store.fit(blocks, budget);
  // With a budget every token goes to entries: no heading, no closing line.
  const text = fitted.kept.join('\n\n') || '…';
  return {
    text,
    data: { results: results.slice(0, fitted.kept.length), dropped: fitted.dropped, cut: fitted.cut },
  };
}

function isFiltered(filter: EntryFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function nothing(query: string, filter: EntryFilter): string {
  const filtered = isFiltered(filter);
  if (query.trim() === '') {
    return filtered
      ? 'No memories pass these filters. Widen or leave out a filter.'
      : 'No memories yet. Save the first one with memory_remember.';
  }
  return `No results found for "${clip(query, 200)}"${filtered ? ' with these filters' : ''}. Try fewer or other words, or list everything with memory_recall({ mode: "index" }).`;
}

/** The shape of seed 004's `memory_search` results, with what 001 adds. */
function toData({ entry, relevance, reason }: Partial<Recalled> & Pick<Recalled, 'entry'>) {
  return {
    key: entry.key,
    content: entry.content,
    /** Texts that were saved beside the content since. */
    additions: entry.revisions.filter(({ addition }) => addition).map(({ text }) => text),
    classification: entry.level,
    tags: entry.tags,
    id: entry.id,
    category: entry.category,
    file: entry.file,
    links: entry.links,
    date: new Date(entry.updated).toISOString(),
    quality: entry.quality,
    confidence: entry.confidence,
    pinned: entry.pinned,
    ...(relevance === undefined ? {} : { relevance, reason }),
  };
}
