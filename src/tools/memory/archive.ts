import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { phrase } from '../../worker/api.ts';
import { authorOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { defineTool, question } from '../tool.ts';

/** Seed 001: entries older than 30 days. */
const OLD = 30 * 86_400_000;
const LISTED = 20;

export const memoryArchive = defineTool({
  name: 'memory_archive',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Archive Old Memories',
  description:
    'Move memories that nobody changed for 30 days, and expired ones, out of recall. Pinned memories and the newest one stay. Each archived memory is named in the answer, can be found by memory_search with archived: true, and comes back with memory_forget and action "restore". Use it when the user asks to tidy or archive the memory, never by yourself.',
  input: z.object({
    dryRun: z.boolean().default(false).describe('Only report'),
    expired: z.boolean().default(false).describe('Only expired ones'),
  }),
  effectOf: ({ dryRun }) => (dryRun ? 'read' : 'destructive'),
  confirm: ({ dryRun, expired }) => {
    if (dryRun) return undefined;
    if (expired)
      return question(
        phrase('Archive expired memories?'),
        phrase('They are out of recall already. Each can be restored.'),
        true,
      );
    return question(
      phrase('Archive old memories?'),
      phrase(
        'Memories unchanged for 30 days and expired ones are taken out of recall. Pinned ones and the newest stay. Each can be restored.',
      ),
      true,
    );
  },
  async run({ dryRun, expired }, call, context) {
    // Nothing is older than the beginning of time.
    const before = expired ? 0 : context.now() - OLD;
    const { archived, active } = await context.care.archive(before, dryRun, authorOf(call, context));
    const data = { dryRun, archived, active };
    const remaining = `📋 ${countOf(active, 'active entry', 'active entries')} remaining`;
    if (archived.length === 0) return { text: `No old entries to archive\n${remaining}`, data };
    const names = archived
      .slice(0, LISTED)
      .map(({ category, key, id, reason }) => `  [${category}] ${oneLine(key)} (${id}) — ${reason}`);
    return {
      text: [
        dryRun
          ? `📦 Dry run: ${countOf(archived.length, 'old entry', 'old entries')} would be archived. Nothing was changed.`
          : `📦 Archived ${countOf(archived.length, 'old entry', 'old entries')}`,
        remaining,
        ...names,
        ...more(archived.length, LISTED),
        dryRun
          ? 'To do it, call memory_archive({}).'
          : 'Bring one back with memory_forget({ key: "…", action: "restore" }).',
      ].join('\n'),
      data,
    };
  },
});
