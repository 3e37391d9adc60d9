import { z } from 'zod';
import { authorOf } from '../author.ts';
import { content, key } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { anything, asJson, requiredContent, requiredKey } from './classified.ts';

const MAX_TAGS = 64;
const MAX_TAG = 256;

export const memorySave = defineTool({
  name: 'memory_save',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Save Memory',
  description:
    'Save a fact under a key for later sessions: who the user is (user-…), preferences (pref-…), rules (rule-…), the project (project-…). Search first, and save again under the same key to correct one: the new text takes the place of the old. The level is always the session’s own; it cannot be chosen.',
  input: z.object({ key: anything, content: anything, tags: anything }),
  shown: () =>
    z.object({
      key: key.describe('Unique name, such as "user-name" or "project-deadline"'),
      content: content.describe('What to remember'),
      tags: z.array(z.string()).optional().describe('Such as ["personal", "preference"]'),
    }),
  async run(input, call, context) {
    const saved = await context.records.recordSave(
      {
        key: requiredKey('memory_save', input.key),
        content: requiredContent('memory_save', input.content),
        tags: tagsOf(input.tags),
      },
      authorOf(call, context),
    );
    const { key, classification, redacted } = saved;
    return asJson({ saved: true, key, classification, ...(redacted.length > 0 ? { redacted } : {}) });
  },
});

/** Tags that are no texts are left out; undefined when none were given. */
function tagsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((tag): tag is string => typeof tag === 'string' && tag.length <= MAX_TAG)
    .slice(0, MAX_TAGS);
}
