import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { text } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { asking, backendCall, UNLESS_OFF } from './backendCall.ts';

export const bankReflect = defineTool({
  name: 'reflect',
  family: 'memory',
  profile: 'core',
  effect: 'read',
  unless: UNLESS_OFF,
  title: 'Reflect on Long-Term Memory',
  description: 'Answer a question from all that retain kept, put together.',
  input: z.object({
    query: text.min(1, 'query is empty: ask a question'),
    context: text.optional().describe('Guidance'),
  }),
  async run({ query, context: guidance }, call, context) {
    const as = backendCall(call, context);
    const { text: answer, sources } = await asking(() => context.backend.reflect(query, guidance, as));
    const said = answer.trim();
    if (said === '')
      return {
        text: 'No relevant information found to reflect on.',
        data: { text: '', sources: [] },
      };
    const names = sources.map(({ key, id }) => `${oneLine(key)} (${id})`);
    return {
      text: names.length === 0 ? said : `${said}\n\nSources: ${names.join(', ')}`,
      data: { text: said, sources },
    };
  },
});
