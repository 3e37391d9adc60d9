import { z } from 'zod';
import { authorOf } from '../author.ts';
import { target } from '../fields.ts';
import { nameOf } from '../render.ts';
import { defineTool } from '../tool.ts';

const input = z.object({ key: target.describe('Key or id of the memory') });

export const memoryPin = defineTool({
  name: 'memory_pin',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Pin Memory',
  description:
    'Pin a memory, by key or id: it comes first in every recall, even without a matching word, as long as it passes the filters. Use it for the few things every session must know.',
  input,
  async run({ key }, call, context) {
    const { entry } = await context.store.edit(key, { pinned: true }, authorOf(call, context));
    return { text: `📌 Pinned: ${nameOf(entry)}`, data: { id: entry.id, pinned: true } };
  },
});

export const memoryUnpin = defineTool({
  name: 'memory_unpin',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Unpin Memory',
  description: 'Remove the pin of a memory, by key or id: it is ranked like any other again.',
  input,
  async run({ key }, call, context) {
    const { entry } = await context.store.edit(key, { pinned: false }, authorOf(call, context));
    return { text: `Unpinned: ${nameOf(entry)}`, data: { id: entry.id, pinned: false } };
  },
});
