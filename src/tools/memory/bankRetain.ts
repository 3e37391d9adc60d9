import { z } from 'zod';
import { content, text } from '../fields.ts';
import { redactionLine } from '../render.ts';
import { defineTool } from '../tool.ts';
import { asking, backendCall, UNLESS_OFF } from './backendCall.ts';
import { DRAFT_NOTE } from './proactive.ts';

const MOST = 1000;

export const bankRetain = defineTool({
  name: 'retain',
  family: 'memory',
  profile: 'core',
  effect: 'write',
  unless: UNLESS_OFF,
  title: 'Retain in Long-Term Memory',
  description: 'Keep lasting facts, each complete in itself, for recall and reflect. Never secrets.',
  input: z.object({
    items: z
      .array(z.object({ content, context: text.optional().describe('Where it comes from') }))
      .min(1)
      .max(MOST),
  }),
  async run({ items }, call, context) {
    const as = backendCall(call, context);
    const { state, count, redacted } = await asking(() => context.backend.retain(items, as));
    const waits = state === 'stored' && as.isDraft === true;
    return {
      text: [
        `${count} ${count === 1 ? 'memory' : 'memories'} ${state}.`,
        ...redactionLine(redacted),
        ...(waits ? [`📝 ${DRAFT_NOTE}`] : []),
      ].join('\n'),
      data: { count, state, redacted },
    };
  },
});
