import { z } from 'zod';
import type { MemoryMap } from '../../protocol.ts';
import { readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { category, query } from '../fields.ts';
import { defineTool } from '../tool.ts';

/** What a screen can show and a panel lay out without a pause. */
const MOST_NODES = 2_000;
/** The best matches; what lies beside them comes with them. */
const MOST_MATCHES = 100;

export const memoryMap = defineTool({
  name: 'memory_map',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Map Memory',
  description: 'Entries and the links between them for the graph of the memory browser.',
  input: z.object({
    query,
    category: category.optional(),
    loners: z.boolean().default(false).describe('Entries without a link, too'),
    limit: z.int().min(1).max(MOST_NODES).default(MOST_NODES),
  }),
  async run(input, call, context) {
    const matches =
      input.query.trim() === ''
        ? undefined
        : await context.store.recall(
            {
              query: input.query,
              filter: { category: input.category },
              limit: MOST_MATCHES,
              count: false,
              matchesOnly: true,
            },
            readerOf(call),
          );
    const data: MemoryMap = await context.care.map(
      {
        ids: matches?.results.map(({ entry }) => entry.id),
        category: input.category,
        loners: input.loners,
        limit: input.limit,
      },
      readerOf(call),
    );
    return { text: countOf(data.nodes.length, 'entry', 'entries'), data };
  },
});
