/** How the tools that search memory answer: by ids, as an index, as ranked entries, each within a token budget. */
import type { EntryFilter } from '../../memory/entry.ts';
import { clip } from '../../memory/line.ts';
import { normalizeKey } from '../../memory/operation.ts';
import { isoDate } from '../../memory/ttl.ts';
import type { Recalled, RecallInput, RecallOutcome } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { block, compactBlocks, indexLine } from '../render.ts';
import type { ToolCall, ToolContext, ToolResult } from '../tool.ts';
import { limitOf, type RecallFields, requestOf } from './recallFields.ts';

/** Runs `memory_recall` or `memory_search`. */
export async function recallWith(
  input: RecallFields,
  heading: string,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> {
  const request = requestOf(input, call, context);
  const ids = input.ids ?? [];
  // In a graph the named entries are where the walk starts.
  if (ids.length > 0 && input.mode !== 'graph') return fetchIds(ids, request, input, call, context);
  const from = ids.length > 0 ? ids : undefined;
  const outcome = await context.store.recall({ ...request, from }, readerOf(call));
  if (outcome.results.length === 0) {
    return nothing(from?.join(', ') ?? input.query, request.filter, request.asOf);
  }
  const notice = pinnedOnly(outcome, input.query);
  if (input.mode === 'index') return index(outcome, input, context, notice);
  const graph = input.mode === 'graph';
  return assemble(heading, outcome.results, '', input.budget_tokens, context, (results) =>
    notedFirst(
      notice,
      input.compact
        ? compactBlocks(results, { graph, explain: input.explain })
        : results.map((result) => wholeBlock(result, input)),
    ),
  );
}

/** Pinned entries come back for every query; that nothing matches this one is said. Empty when something does. */
export function pinnedOnly({ unmatched }: RecallOutcome, query: string): string {
  return unmatched === true ? `Nothing matches "${clip(query, 200)}". What is pinned:` : '';
}

/** With the first block, so that a token budget counts the notice and never shows it alone. */
export function notedFirst(notice: string, blocks: readonly string[], separator = '\n\n'): readonly string[] {
  const [first, ...others] = blocks;
  return notice === '' || first === undefined ? blocks : [`${notice}${separator}${first}`, ...others];
}

/** The text of one result as the parameters of its call want it. */
export function wholeBlock(
  { entry, reason, now }: Recalled,
  { budget, explain }: Pick<RecallFields, 'explain'> & { readonly budget?: RecallFields['budget'] },
): string {
  return block(entry, { importance: budget === 'deep', now, ...(explain ? { reason } : {}) });
}

function index({ results, total }: RecallOutcome, input: RecallFields, context: ToolContext, notice: string) {
  const heading = `📇 Memory index (${countOf(results.length, total)}):`;
  const more = results.length < total ? ' Raise limit, or add a query or filter, to see the rest.' : '';
  const closing = `Fetch whole entries with memory_recall({ ids: "id,id" }).${more}`;
  const render = (shown: readonly Recalled[]) =>
    notedFirst(
      notice,
      shown.map((result, at) => indexLine(result, at + 1)),
      '\n',
    );
  return assemble(heading, results, closing, input.budget_tokens, context, render, '\n');
}

async function fetchIds(
  ids: readonly string[],
  { filter, asOf }: RecallInput,
  input: RecallFields,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> {
  const found = await context.store.fetch(ids, readerOf(call), true, filter, asOf);
  const entries = found.slice(0, limitOf(input));
  const passing = isFiltered(filter) ? ' that pass these filters' : '';
  if (entries.length === 0) {
    return {
      text: `No entries found for ids: ${clip(ids.join(', '), 200)}${passing}${thenOf(asOf)}. List what is there with memory_recall({ mode: "index" }).`,
      data: { results: [] },
    };
  }
  const known = new Set(found.flatMap(({ id, key }) => [id, key]));
  const missing = ids.filter((name) => !known.has(normalizeKey(name)));
  const opening = `Fetched ${countOf(entries.length, found.length)}:`;
  const closing =
    missing.length > 0
      ? `Not in memory${passing && ', or not passing these filters'}: ${clip(missing.join(', '), 200)}`
      : '';
  const fetched = entries.map((entry) => ({ entry }));
  return assemble(opening, fetched, closing, input.budget_tokens, context, (results) =>
    input.compact
      ? compactBlocks(results, { graph: false, explain: false })
      : results.map(({ entry }) => block(entry, { importance: true })),
  );
}

/** `1 entry`, `4 of 6 entries` */
function countOf(shown: number, total: number): string {
  return `${shown < total ? `${shown} of ${total}` : total} ${total === 1 ? 'entry' : 'entries'}`;
}

type Result = Pick<Recalled, 'entry'> & Partial<Recalled>;

/** Joins a heading and what `render` makes of the results; a token budget drops the tail, and the data says how much. */
export async function assemble<Shown extends Result>(
  opening: string,
  results: readonly Shown[],
  closing: string,
  budget: number,
  context: ToolContext,
  render: (results: readonly Shown[]) => readonly string[],
  separator = '\n\n',
): Promise<ToolResult> {
  if (budget === 0) {
    const text = [opening, render(results).join(separator), closing].filter(Boolean).join('\n\n');
    return { text, data: { results: results.map(toData) } };
  }
  let shown = results;
  let fitted = await context.store.fit(render(shown), budget);
  // Entries name each other by their numbers, so those that stay are shown anew without those that do not.
  while (fitted.kept.length < shown.length) {
    shown = shown.slice(0, fitted.kept.length);
    fitted = await context.store.fit(render(shown), budget);
  }
  // With a budget every token goes to entries: no heading, no closing line.
  return {
    text: fitted.kept.join('\n\n') || '…',
    data: { results: shown.map(toData), dropped: results.length - shown.length, cut: fitted.cut },
  };
}

function isFiltered(filter: EntryFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** What is said when nothing was found. */
export function nothing(query: string, filter: EntryFilter, asOf?: number): ToolResult {
  return { text: nothingText(query, filter, asOf), data: { results: [] } };
}

function nothingText(query: string, filter: EntryFilter, asOf: number | undefined): string {
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to)
    return 'from_date is later than to_date, so nothing lies between them. Swap them, or leave one out.';
  const filtered = isFiltered(filter);
  const then = thenOf(asOf);
  if (query.trim() === '') {
    if (then !== '')
      return `Nothing${filtered ? ' that passes these filters' : ''} was${then}. Name a later as_of, or leave it out.`;
    return filtered
      ? 'No memories pass these filters. Widen or leave out a filter.'
      : 'No memories yet. Save the first one with memory_remember.';
  }
  return `No results found for "${clip(query, 200)}"${filtered ? ' with these filters' : ''}${then}. Try fewer or other words, or list everything with memory_recall({ mode: "index" }).`;
}

function thenOf(asOf: number | undefined): string {
  return asOf === undefined ? '' : ` in memory as it stood on ${isoDate(asOf)}`;
}

/** The shape of seed 004's `memory_search` results, with what 001 adds. */
function toData({ entry, relevance, reason, hops }: Result) {
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
    ...(hops === undefined ? {} : { hops }),
  };
}
