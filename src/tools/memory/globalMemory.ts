/** Memory of this user for every folder: a second store, with the same code, in the user's own folder. */
import { z } from 'zod';
import { LEVELS } from '../../policy/level.ts';
import { phrase, type StoreApi } from '../../worker/api.ts';
import type { CareApi } from '../../worker/careApi.ts';
import { authorOf } from '../author.ts';
import { isSealed } from '../sealing.ts';
import { defineTool, question, type ToolCall, type ToolContext, ToolError } from '../tool.ts';
import {
  copyable,
  importLines,
  importPortable,
  type PortableOutcome,
  portableEntries,
  sumImports,
} from './portable.ts';

export const memoryExportGlobal = defineTool({
  name: 'memory_export_global',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Export to User Memory',
  description:
    "Copy this folder's memories to the user-wide memory, from where memory_import_global brings them into other folders. Levels stay as they are, and what was forgotten in the user-wide memory stays forgotten.",
  input: z.object({}),
  async run(_input, call, context) {
    const [own, wide] = await Promise.all([
      context.sealing.sealStatus(),
      context.userWide().sealing.sealStatus(),
    ]);
    if (isSealed(own) && !isSealed(wide))
      throw new ToolError(
        phrase(
          'The memory of this folder is encrypted and the user-wide memory is not: copied there, it would stand in the clear. Nothing was copied. Call memory_decrypt first if that is what the person wants.',
        ),
      );
    const outcome = await copyAll(context.store, context.userWide().care, true, call, context);
    return {
      text: ['🌍 Exported to the user-wide memory', ...importLines(outcome)].join('\n'),
      data: outcome,
    };
  },
});

export const memoryImportGlobal = defineTool({
  name: 'memory_import_global',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Import User Memory',
  description:
    'Copy the user-wide memory into this folder. With merge (default) a memory that exists here keeps its content, and a different text is added to it; with merge: false the user-wide text becomes the content and the old one history. Nothing is deleted.',
  input: z.object({
    merge: z.boolean().default(true).describe('Keep the contents that are here (default)'),
  }),
  confirm: ({ merge }) =>
    merge
      ? undefined
      : question(
          phrase('Replace the texts of this memory by those of the user-wide memory?'),
          phrase('Texts under the same key stay as history. Nothing is deleted.'),
          true,
        ),
  async run({ merge }, call, context) {
    const outcome = await copyAll(context.userWide().store, context.care, merge, call, context);
    return {
      text: ['🌍 Imported from the user-wide memory', ...importLines(outcome)].join('\n'),
      data: outcome,
    };
  },
});

/**
 * Copies what the caller may write, each entry at the level it has: an agent what is of its own level, a person all that
 * they see. What an agent copied below its level would tell there that it was at work.
 */
async function copyAll(
  from: StoreApi,
  to: CareApi,
  merge: boolean,
  call: ToolCall,
  context: ToolContext,
): Promise<PortableOutcome> {
  const entries = portableEntries(await copyable(from, call), context.now());
  const author = authorOf(call, context);
  const outcomes: PortableOutcome[] = [];
  for (const level of LEVELS) {
    const own = entries.filter((entry) => entry.level === level);
    if (own.length > 0) outcomes.push(await importPortable(to, own, !merge, { ...author, level }));
  }
  return sumImports(outcomes);
}
