import { z } from 'zod';
import { clip } from '../../memory/line.ts';
import { readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { limit, query } from '../fields.ts';
import { notedFirst, pinnedOnly } from '../memory/recallAnswer.ts';
import { headline } from '../render.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 6;
const RECENT_DAYS = 7;
const DAY = 86_400_000;

export const contextBrief = defineTool({
  name: 'context_brief',
  family: 'context',
  profile: 'core',
  effect: 'read',
  title: 'Context Brief',
  description:
    'Brief yourself in one call, first in a new chat or task: pinned and relevant memories, warnings, recent changes, state of the repository.',
  input: z.object({
    task: query,
    limit: limit.default(DEFAULT_LIMIT),
  }),
  async run(input, call, context) {
    const [found, warnings, changes, stats, git] = await Promise.all([
      context.store.recall(
        { query: input.task, filter: {}, limit: input.limit, count: true },
        readerOf(call),
      ),
      context.store.recall(
        { query: input.task, filter: { category: 'warning' }, limit: 3, count: false },
        readerOf(call),
      ),
      context.store.changes(context.now() - RECENT_DAYS * DAY, readerOf(call)),
      context.store.stats(readerOf(call)),
      context.gitState(),
    ]);
    const main = found.results.map(({ entry }) => entry);
    const shown = new Set(main.map(({ id }) => id));
    const list = (entries: readonly (typeof main)[number][]) =>
      entries.map((entry) => `- ${headline(entry)}`).join('\n');
    const recent = [...changes.created, ...changes.updated].filter(({ id }) => !shown.has(id)).slice(0, 5);
    const more = warnings.results.map(({ entry }) => entry).filter(({ id }) => !shown.has(id));
    const branch = context.branch();
    const sections = [
      `# Context brief${input.task.trim() === '' ? '' : `: ${clip(input.task.trim().split('\n')[0] ?? '', 120)}`}`,
      main.length === 0
        ? '## Memories\nNothing relevant is remembered yet.'
        : `## Memories\n${notedFirst(pinnedOnly(found, input.task), [list(main)], '\n').join('')}`,
      more.length === 0 ? '' : `## Warnings\n${list(more)}`,
      recent.length === 0 ? '' : `## Changed in the last ${RECENT_DAYS} days\n${list(recent)}`,
      `## State\n${[
        branch === '' ? '' : `- Branch ${branch}${git === '' ? '' : `, ${git}`}`,
        `- ${stats.total} ${stats.total === 1 ? 'memory' : 'memories'} (${stats.unconfirmed} unconfirmed), ${countOf(stats.summaries, 'file summary', 'file summaries')}`,
      ]
        .filter(Boolean)
        .join('\n')}`,
      'Whole entries: memory_recall({ ids: "key,key" }).',
    ];
    return {
      text: sections.filter(Boolean).join('\n\n'),
      data: { memories: main, warnings: more, recent, branch, git },
    };
  },
});
