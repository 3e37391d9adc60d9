import { z } from 'zod';
import { text } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { asking, backendCall, hitData, hitLine, UNLESS_OFF } from './backendCall.ts';

export const bankRecall = defineTool({
  name: 'recall',
  family: 'memory',
  profile: 'core',
  effect: 'read',
  unless: UNLESS_OFF,
  title: 'Recall from Long-Term Memory',
  description: 'Search what retain kept, here or on the team server: raw memories as information.',
  input: z.object({ query: text.min(1, 'query is empty: say what to look for') }),
  async run({ query }, call, context) {
    const hits = await asking(() => context.backend.recall(query, backendCall(call, context)));
    const data = { results: hits.map(hitData) };
    if (hits.length === 0) return { text: 'No relevant memories found.', data };
    const now = new Date(context.now()).toISOString().slice(0, 16).replace('T', ' ');
    // The header of seed 000, whatever the number.
    const header = `Found ${hits.length} relevant memories (as of ${now} UTC):`;
    return { text: [header, ...hits.map(hitLine)].join('\n\n'), data };
  },
});
