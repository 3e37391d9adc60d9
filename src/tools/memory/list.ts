import { z } from 'zod';
import { readerOf } from '../author.ts';
import { defineTool } from '../tool.ts';
import { anything, asJson, shownRecord } from './classified.ts';

/** A list is for an overview; more is for memory_search. */
const MOST = 500;

export const memoryList = defineTool({
  name: 'memory_list',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'List Memories',
  description: 'List every memory that this session may see, last changed first, or those with one tag.',
  input: z.object({ tag: anything }),
  shown: () => z.object({ tag: z.string().optional().describe('Only memories with this tag') }),
  async run({ tag }, call, context) {
    const wanted = typeof tag === 'string' && tag.trim() !== '' ? tag : undefined;
    const { records, total } = await context.records.recordList(wanted, MOST, readerOf(call));
    if (records.length === 0) return { text: 'No memories found.', data: { memories: [] } };
    const memories = records.map(shownRecord);
    return asJson({ memories, ...(total > memories.length ? { total } : {}) });
  },
});
