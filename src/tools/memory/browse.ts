import { z } from 'zod';
import type { Entry } from '../../memory/entry.ts';
import { STATUSES } from '../../memory/entry.ts';
import { clip } from '../../memory/line.ts';
import { LEVELS } from '../../policy/level.ts';
import type { BrowsePage, EntryRow } from '../../protocol.ts';
import { SORTS } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { category, date, names, pathScope, query, toFilter } from '../fields.ts';
import { defineTool } from '../tool.ts';

const PAGE = 200;
/** A search shows at most this many results: past them, other words find more than scrolling does. */
const MOST_FOUND = 1_000;
const PREVIEW = 160;

export const memoryBrowse = defineTool({
  name: 'memory_browse',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Browse Memory',
  description: 'A page of the memory index for the memory browser.',
  input: z.object({
    query,
    category: category.optional(),
    tags: names.optional(),
    from_date: date.optional(),
    to_date: date.optional(),
    pathScope: pathScope.optional(),
    status: z.enum(STATUSES).optional(),
    confirmed: z.boolean().optional(),
    pinned: z.boolean().optional(),
    level: z.enum(LEVELS).optional(),
    sort: z.enum(SORTS).default('updated'),
    descending: z.boolean().optional(),
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(PAGE).default(PAGE),
  }),
  async run(input, call, context) {
    const { status, confirmed, pinned, level, sort, offset, limit } = input;
    const filter = { ...toFilter(input, context.now()), status, confirmed, pinned, level };
    if (input.query.trim() !== '') {
      const found = await context.store.recall(
        { query: input.query, filter, limit: MOST_FOUND, count: false },
        readerOf(call),
      );
      const rows = found.results
        .slice(offset, offset + limit)
        .map(({ entry, relevance }) => toRow(entry, relevance));
      return page({ rows, total: found.results.length, offset });
    }
    // Names read best from A, everything else from the newest or highest.
    const descending = input.descending ?? (sort !== 'key' && sort !== 'category');
    const { entries, total } = await context.store.browse(
      { filter, sort, descending, offset, limit },
      readerOf(call),
    );
    return page({ rows: entries.map((entry) => toRow(entry, null)), total, offset });
  },
});

function page(data: BrowsePage) {
  return { text: `${data.rows.length} of ${data.total} entries`, data };
}

/** An entry as one line of the index view. */
export function toRow(entry: Entry, relevance: number | null): EntryRow {
  return {
    id: entry.id,
    key: entry.key,
    category: entry.category,
    updated: entry.updated,
    relevance,
    preview: clip(entry.content, PREVIEW),
    tags: entry.tags,
    pinned: entry.pinned,
    confirmed: entry.confirmed,
    source: entry.source,
    status: entry.status,
    level: entry.level,
    expires: entry.expires ?? null,
  };
}
