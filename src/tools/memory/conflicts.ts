import { z } from 'zod';
import { CONFLICT_KINDS } from '../../memoryProtocol.ts';
import { authorOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { defineTool } from '../tool.ts';

export const memoryConflicts = defineTool({
  name: 'memory_conflicts',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Show Conflicts',
  description:
    'Memories of which only one may be right: texts under one key, memories that say nearly the same, and those about an older version.',
  input: z.object({ kind: z.enum(CONFLICT_KINDS).default('texts') }),
  async run({ kind }, call, context) {
    const found = await context.care.conflicts(kind, authorOf(call, context));
    return { text: countOf(found.total, 'conflict', 'conflicts'), data: found };
  },
});
