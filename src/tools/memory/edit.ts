import { z } from 'zod';
import { authorOf } from '../author.ts';
import { category, content, file, importance, names, pathScope, target, ttl } from '../fields.ts';
import { nameOf, redactionLine } from '../render.ts';
import { defineTool } from '../tool.ts';

export const memoryEdit = defineTool({
  name: 'memory_edit',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  title: 'Edit Memory',
  description: 'Changes or confirms an entry; the old text stays as a revision.',
  input: z.object({
    key: target,
    content: content.optional(),
    category: category.optional(),
    file: file.optional(),
    set_tags: names.optional(),
    set_links: names.optional(),
    add_tags: names.optional(),
    add_links: names.optional(),
    drop_links: names.optional().describe('Links to take out, wherever the entry has them'),
    importance: z.union([importance, z.literal('automatic')]).optional(),
    ttl: ttl.optional(),
    pathScope: pathScope.optional(),
    confirmed: z.boolean().optional(),
  }),
  async run({ key, set_tags, set_links, add_tags, add_links, drop_links, ...rest }, call, context) {
    const { entry, redacted } = await context.store.edit(
      key,
      {
        ...rest,
        setTags: set_tags,
        setLinks: set_links,
        addTags: add_tags,
        addLinks: add_links,
        dropLinks: drop_links,
      },
      authorOf(call, context),
    );
    return {
      text: [`✏️ Updated: ${nameOf(entry)}`, ...redactionLine(redacted)].join('\n'),
      data: { id: entry.id, redacted },
    };
  },
});
