import { z } from 'zod';
import { readerOf } from '../author.ts';
import { defineTool } from '../tool.ts';

const session = z.string().max(64).describe('Its id, as sessions_browse lists it');
const block = z
  .string()
  .max(16)
  .regex(/^b\d+$/, 'block names a folded part, such as b3');

export const foldShow = defineTool({
  name: 'fold_show',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Show Folded Part',
  description: 'The folded parts of a conversation; with a block, the original of that one as Markdown.',
  input: z.object({ session, block: block.optional() }),
  async run({ session: id, block: name }, call, { sessions }) {
    if (name !== undefined) {
      const text = await sessions.foldShow(id, name, readerOf(call));
      return { text, data: { block: name, text } };
    }
    const folds = await sessions.folds(id, readerOf(call));
    return { text: `${folds.length} folded ${folds.length === 1 ? 'part' : 'parts'}`, data: { folds } };
  },
});

export const foldReopen = defineTool({
  name: 'fold_reopen',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Open Folded Part',
  description: 'Shows the agent a folded part of its conversation in full again, from its next request on.',
  input: z.object({ session, block }),
  async run({ session: id, block: name }, call, { sessions }) {
    await sessions.foldReopen(id, name, readerOf(call));
    return { text: 'The agent sees this part in full again, from its next request on.' };
  },
});
