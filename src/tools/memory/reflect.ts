import { z } from 'zod';
import { readerOf } from '../author.ts';
import { category, limit } from '../fields.ts';
import { headline } from '../render.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 5;

export const memoryReflect = defineTool({
  name: 'memory_reflect',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Reflect on Memory',
  description:
    'Rank the memories that need attention or a clean-up: old and unused, of low quality, or linked with everything. By fixed rules, without a model. Look at each and save it again better (memory_remember with replace: true), tag it, or forget it.',
  input: z.object({
    category: category.optional().describe('Only this category'),
    limit: limit.default(DEFAULT_LIMIT).describe('Most entries'),
  }),
  async run(input, call, context) {
    const ranking = await context.care.reflect(input.limit, input.category, readerOf(call));
    const data = { ranking };
    if (ranking.length === 0) return { text: 'Nothing to reflect on: memory is empty here.', data };
    const lines = ranking.map(
      ({ entry, need, reasons }, at) =>
        `${at + 1}. ${headline(entry)} (${entry.id})\n   need ${need.toFixed(2)} · ${reasons.join(' · ') || 'in order'}`,
    );
    return { text: ['🪞 Memories that need attention, most first:', ...lines].join('\n'), data };
  },
});
