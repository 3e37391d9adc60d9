import { z } from 'zod';
import { content, limit } from '../fields.ts';
import { block, clip } from '../render.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 5;

export const memorySuggest = defineTool({
  name: 'memory_suggest',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Suggest Memories',
  description:
    'Memories related to what is being worked on: give the task, an error message or a piece of code as context. Use it before starting, to see what is already known without naming search words.',
  input: z.object({
    context: content.describe('Task, error message or code'),
    limit: limit.default(DEFAULT_LIMIT).describe('Most entries'),
  }),
  async run(input, call, context) {
    const { results } = await context.store.recall(
      { query: input.context, filter: {}, limit: input.limit, count: true },
      call,
    );
    // A suggestion must have to do with the context; pinned entries that do not are left to recall.
    const related = results.filter(({ relevance }) => relevance > 0);
    const about = clip(input.context, 100);
    const data = { results: related.map(({ entry, relevance }) => ({ ...entry, relevance })) };
    if (related.length === 0) return { text: `No related entries found for "${about}".`, data };
    return {
      text: [`🔍 Suggestions for "${about}":`, ...related.map(({ entry }) => block(entry))].join('\n\n'),
      data,
    };
  },
});
