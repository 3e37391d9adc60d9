import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { limit, names } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { recallFields, recallWith } from './recallFields.ts';

export const memorySearch = defineTool({
  name: 'memory_search',
  family: 'memory',
  profile: 'core',
  effect: 'read',
  title: 'Search Memory',
  description:
    'Search the project memory with filters: like memory_recall, plus tags (an entry must have all of them), category and dates. Use it when the user asks for memories of a kind, such as "all bugs tagged redis since July" or "decisions about auth last week". Nothing that fails a filter comes back.',
  input: z.object({
    ...recallFields,
    tags: names.optional().describe('Only entries with all of these tags, "a;b" or an array'),
    max_results: limit.optional().describe('The same as limit'),
  }),
  run(input, call, context) {
    const filters = [
      input.category === undefined ? '' : `category: ${input.category}`,
      input.tags === undefined || input.tags.length === 0 ? '' : `tags: ${input.tags.join(';')}`,
      input.from_date ? `from: ${input.from_date}` : '',
      input.to_date ? `to: ${input.to_date}` : '',
    ].filter(Boolean);
    const heading = `🔍 Search results${filters.length > 0 ? ` (${oneLine(filters.join(', '))})` : ''}:`;
    return recallWith(input, heading, call, context);
  },
});
