/** Whether everything of a folder is sealed, for the person. */
import { z } from 'zod';
import type { SealStatus } from '../worker/sealingApi.ts';
import { defineTool } from './tool.ts';

export const sealShow = defineTool({
  name: 'seal_show',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Show Encryption',
  description:
    'Whether everything that is kept of the folder is encrypted, and what is missing before it can be read.',
  input: z.object({}),
  async run(_input, _call, { sealing }) {
    const data: SealStatus = await sealing.sealStatus();
    return { text: data.missing ?? data.state, data };
  },
});
