import { z } from 'zod';
import { clip, oneLine } from '../../memory/line.ts';
import type { PresenceView, PresentSession } from '../../session/presence.ts';
import { nameOf } from '../../session/presenceConflicts.ts';
import { readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { limit, query } from '../fields.ts';
import { notedFirst, pinnedOnly } from '../memory/recallAnswer.ts';
import { presentSessions } from '../presentSessions.ts';
import { headline } from '../render.ts';
import { defineTool, type ToolCall } from '../tool.ts';

const DEFAULT_LIMIT = 6;
const RECENT_DAYS = 7;
const DAY = 86_400_000;
/** Others at work, files of each, and conflicts that are named; memory_sessions has the rest. */
const NAMED = 5;
const NAMED_FILES = 3;

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
    const [found, warnings, changes, stats, git, present] = await Promise.all([
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
      context.folder(call.level).gitState(),
      presentSessions(call, context),
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
      atWork(present, call),
      'Whole entries: memory_recall({ ids: "key,key" }).',
    ];
    return {
      text: sections.filter(Boolean).join('\n\n'),
      data: { memories: main, warnings: more, recent, branch, git },
    };
  },
});

/** Who else is at work. A chat's first hook, which comes through the command line, tells all of it by itself. */
function atWork({ sessions, conflicts }: PresenceView, { session, door }: ToolCall): string {
  const others = sessions.filter(({ key }) => key !== session);
  if (others.length === 0 || door === 'cli') return '';
  const rest = [others.length, conflicts.length].some((count) => count > NAMED);
  return [
    '## Also at work',
    ...others.slice(0, NAMED).map((other) => `- ${oneLine(nameOf(other))}${filesOf(other)}`),
    ...conflicts
      .slice(0, NAMED)
      .map(({ file, sessions: by }) => `- ⚠️ ${oneLine(file)}  ↔  ${by.map(oneLine).join(', ')}`),
    ...(rest ? ['- … memory_sessions shows all of them.'] : []),
  ].join('\n');
}

function filesOf({ files }: PresentSession): string {
  if (files.length === 0) return '';
  const more = files.length > NAMED_FILES ? `, and ${files.length - NAMED_FILES} more` : '';
  return `: ${files.slice(0, NAMED_FILES).map(oneLine).join(', ')}${more}`;
}
