import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { authorOf } from '../author.ts';
import { key } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { anything, asJson, requiredKey } from './classified.ts';

export const memoryDelete = defineTool({
  name: 'memory_delete',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Delete Memory',
  description:
    'Take a memory of this session’s own level out of every read, by its exact key. It is kept for audit and the person can restore it.',
  input: z.object({ key: anything }),
  shown: () => z.object({ key: key.describe('Key of the memory') }),
  confirm({ key: name }) {
    // Nobody is asked about a call that is going to fail.
    if (typeof name !== 'string' || name.trim() === '') return undefined;
    return {
      title: `Forget "${oneLine(name)}"?`,
      detail: 'It is taken out of recall. It can be restored from the memory browser.',
      undoable: true,
    };
  },
  async run(input, call, context) {
    const name = requiredKey('memory_delete', input.key);
    const { key: deleted } = await context.records.recordDelete(name, authorOf(call, context));
    return asJson({ deleted: true, key: deleted });
  },
});
