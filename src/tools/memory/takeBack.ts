import { z } from 'zod';
import { authorOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { idList } from '../fields.ts';
import { defineTool } from '../tool.ts';

export const memoryTakeBack = defineTool({
  name: 'memory_take_back',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  title: 'Take Back',
  description:
    'Undo for the memory browser: makes memories what they were before a moment, in what had changed until another. What others changed since stays.',
  input: z.object({
    ids: idList,
    from: z.number().describe('Epoch milliseconds'),
    to: z.number().describe('Epoch milliseconds'),
  }),
  async run(input, call, context) {
    const changed = await context.care.takeBack(input, authorOf(call, context));
    return { text: `Took back ${countOf(changed.length, 'change', 'changes')}`, data: { ids: changed } };
  },
});
