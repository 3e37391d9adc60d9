import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { StoreError } from '../../worker/api.ts';
import { authorOf } from '../author.ts';
import { idList, names } from '../fields.ts';
import { nameOf } from '../render.ts';
import { defineTool, ToolError } from '../tool.ts';

export const memoryTag = defineTool({
  name: 'memory_tag',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Tag Memories',
  description:
    'Add, remove or set tags on one or more memories at once, by key or id. "set" replaces all tags of each entry. Unknown keys are reported and the others are still changed.',
  input: z.object({
    action: z.enum(['add', 'remove', 'set']).describe('add, remove, or set (replace all)'),
    tags: names.describe('Tags, "a;b" or an array. Empty with set clears them'),
    ids: idList.optional().describe('Keys or ids of the memories, "a,b" or an array'),
    key: idList.optional().describe('The same as ids'),
  }),
  async run(input, call, context) {
    const targets = [...(input.ids ?? []), ...(input.key ?? [])];
    if (targets.length === 0)
      throw new ToolError(
        'Name the memories in ids, by key or id: memory_tag({ action: "add", tags: "redis", ids: "use-zod" }).',
      );
    if (input.tags.length === 0 && input.action !== 'set')
      throw new ToolError(`tags is empty: name the tags to ${input.action}, such as "redis;cache".`);
    const change = {
      add: { addTags: input.tags },
      remove: { removeTags: input.tags },
      set: { setTags: input.tags },
    }[input.action];
    const lines: string[] = [];
    const changed: { id: string; key: string; tags: readonly string[] }[] = [];
    for (const target of targets) {
      try {
        const { entry } = await context.store.edit(target, change, authorOf(call, context));
        lines.push(`🏷️ ${nameOf(entry)}: ${entry.tags.map(oneLine).join(';') || 'no tags'}`);
        changed.push({ id: entry.id, key: entry.key, tags: entry.tags });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        lines.push(error.message);
      }
    }
    if (changed.length === 0) throw new ToolError(lines.join('\n'));
    return { text: lines.join('\n'), data: { changed } };
  },
});
