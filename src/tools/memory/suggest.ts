import { z } from 'zod';
import { clip } from '../../memory/line.ts';
import { readerOf } from '../author.ts';
import { limit, text } from '../fields.ts';
import { block } from '../render.ts';
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
    context: text
      .refine(
        (value) => value.trim() !== '',
        'context is empty: give the task, an error message or a piece of code',
      )
      .describe('Task, error message or code'),
    limit: limit.default(DEFAULT_LIMIT).describe('Most entries'),
  }),
  async run(input, call, context) {
    const { results } = await context.store.recall(
      { query: input.context, filter: {}, limit: input.limit, count: true, matchesOnly: true },
      readerOf(call),
    );
    const about = clip(input.context, 100);
    const data = { results: results.map(({ entry, relevance }) => ({ ...entry, relevance })) };
    if (results.length === 0) return { text: `No related entries found for "${about}".`, data };
    return {
      text: [`🔍 Suggestions for "${about}":`, ...results.map(({ entry }) => block(entry))].join('\n\n'),
      data,
    };
  },
});
