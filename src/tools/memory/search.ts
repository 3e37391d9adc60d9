import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { limit, names } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { recallWith } from './recallAnswer.ts';
import { recallFields } from './recallFields.ts';

export const memorySearch = defineTool({
  name: 'memory_search',
  family: 'memory',
  profile: 'core',
  effect: 'read',
  title: 'Search Memory',
  description:
    'Search memory with filters: memory_recall and its parameters, plus tags, all of which an entry must have. For memories of a kind, such as "bugs tagged redis since July".',
  input: z.object({
    ...recallFields,
    tags: names.optional().describe('"a;b"'),
    max_results: limit.optional(),
    archived: z.boolean().optional().describe('Look in the archive'),
  }),
  run(input, call, context) {
    const filters = [
      input.category === undefined ? '' : `category: ${input.category}`,
      input.tags === undefined || input.tags.length === 0 ? '' : `tags: ${input.tags.join(';')}`,
      input.from_date ? `from: ${input.from_date}` : '',
      input.to_date ? `to: ${input.to_date}` : '',
      input.archived === true ? 'archived' : '',
    ].filter(Boolean);
    const heading = `🔍 Search results${filters.length > 0 ? ` (${oneLine(filters.join(', '))})` : ''}:`;
    return recallWith(input, heading, call, context);
  },
});
