import { z } from 'zod';
import { confidenceOf } from '../../memory/quality.ts';
import type { RecordsApi, SavedRecord } from '../../worker/recordsApi.ts';
import { authorOf } from '../author.ts';
import { content, key } from '../fields.ts';
import { defineTool, type ToolCall, type ToolContext } from '../tool.ts';
import { anything, asJson, requiredContent, requiredKey } from './classified.ts';
import { DRAFT_NOTE, keptAsItIs, savesDrafts } from './proactive.ts';

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
    const given = {
      key: requiredKey('memory_save', input.key),
      content: requiredContent('memory_save', input.content),
      tags: tagsOf(input.tags),
    };
    const isDraft = savesDrafts(call, context.settings);
    const { key, classification, redacted } = isDraft
      ? await draftSaved(given, call, context)
      : await context.records.recordSave(given, authorOf(call, context));
    return asJson({
      ...{ saved: true, key, classification },
      ...(redacted.length > 0 ? { redacted } : {}),
      ...(isDraft ? { draft: true, note: DRAFT_NOTE } : {}),
    });
  },
});

async function draftSaved(
  given: Parameters<RecordsApi['recordSave']>[0],
  call: ToolCall,
  context: ToolContext,
): Promise<SavedRecord> {
  const draft = { confidence: confidenceOf('agent', { file: '', tags: [] }) };
  const input = { ...given, category: 'knowledge', replace: true, draft } as const;
  const { entry, redacted } = await context.store.remember(input, authorOf(call, context));
  if (entry.status !== 'draft') throw keptAsItIs(entry.key);
  return { key: entry.key, classification: entry.level, redacted };
}

/** Tags that are no texts are left out; undefined when none were given. */
function tagsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((tag): tag is string => typeof tag === 'string' && tag.length <= MAX_TAG)
    .slice(0, MAX_TAGS);
}
