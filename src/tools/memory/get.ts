import { z } from 'zod';
import { readerOf } from '../author.ts';
import { key } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { anything, asJson, requiredKey, shownRecord } from './classified.ts';

export const memoryGet = defineTool({
  name: 'memory_get',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Get Memory',
  description:
    'Get one memory by its exact key. Where a key is saved at several levels, the highest one that this session may see is returned.',
  input: z.object({ key: anything }),
  shown: () => z.object({ key: key.describe('Key of the memory') }),
  async run(input, call, context) {
    const name = requiredKey('memory_get', input.key);
    const record = await context.records.recordGet(name, readerOf(call));
    return asJson(
      record === undefined ? { found: false, key: name } : { found: true, ...shownRecord(record) },
    );
  },
});
