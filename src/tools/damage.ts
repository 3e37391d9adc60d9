/** What of the store could not be read, for the person. */
import { z } from 'zod';
import type { Damage } from '../worker/api.ts';
import { defineTool } from './tool.ts';

export const damageShow = defineTool({
  name: 'damage_show',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Show Damage',
  description: 'Places in the files of memory, or of sessions, that could not be read and were put aside.',
  input: z.object({ of: z.enum(['memory', 'sessions']) }),
  async run({ of }, _call, { store, sessions }) {
    const data: readonly Damage[] = await (of === 'memory' ? store.damage() : sessions.sessionDamage());
    return { text: `${data.length} places`, data };
  },
});
