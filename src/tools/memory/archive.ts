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
  input: z.object({}),
  confirm: () =>
    question(
      phrase('Archive old memories?'),
      phrase(
        'Memories unchanged for 30 days and expired ones are taken out of recall. Pinned ones and the newest stay. Each can be restored.',
      ),
      true,
    ),
  async run(_input, call, context) {
    const { archived, active } = await context.care.archive(context.now() - OLD, authorOf(call, context));
    const data = { archived, active };
    const remaining = `📋 ${countOf(active, 'active entry', 'active entries')} remaining`;
    if (archived.length === 0) return { text: `No old entries to archive\n${remaining}`, data };
    const names = archived
      .slice(0, LISTED)
      .map(({ category, key, id, reason }) => `  [${category}] ${oneLine(key)} (${id}) — ${reason}`);
    return {
      text: [
        `📦 Archived ${countOf(archived.length, 'old entry', 'old entries')}`,
        remaining,
        ...names,
        ...more(archived.length, LISTED),
        'Bring one back with memory_forget({ key: "…", action: "restore" }).',
      ].join('\n'),
      data,
    };
  },
});
