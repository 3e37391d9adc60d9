import { z } from 'zod';
import { canFlowTo } from '../../policy/level.ts';
import { authorOf, readerOf } from '../author.ts';
import { explained } from '../subagent/explained.ts';
import { defineTool } from '../tool.ts';

/** The format of "export everything"; raise it when the shape changes. */
const EXPORT_VERSION = 1;
const EVERY_CAPTURE = { limit: Number.POSITIVE_INFINITY, tool: '', file: '' };

export const memoryExport = defineTool({
  name: 'memory_export',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Export Everything',
  description:
    'Every entry with its history, every file summary, the plans of all chats, captured activity and what subagents did, as JSON.',
  input: z.object({}),
  async run(_input, call, context) {
    const entries = await context.store.exportAll(readerOf(call));
    const summaries = await context.store.summaries(readerOf(call));
    const sessions = await context.sessions.exportSessions(readerOf(call));
    const data = {
      lodeline: EXPORT_VERSION,
      exported: new Date(context.now()).toISOString(),
      entries,
      summaries,
      sessions,
      captured: (await context.sessions.captured(EVERY_CAPTURE, readerOf(call))).captures,
      subagents: (await context.subagents.list()).filter(({ level }) => canFlowTo(level, call.level)),
    };
    return { text: JSON.stringify(data, null, 2), data };
  },
});

export const memoryErase = defineTool({
  name: 'memory_erase',
  family: 'memory',
  profile: 'person',
  effect: 'destructive',
  title: 'Delete Everything',
  description: 'Deletes every entry and file summary of this folder at the own level from disk, for good.',
  input: z.object({}),
  confirm: () => ({
    title: 'Delete everything Lodeline remembers about this folder?',
    detail:
      'All entries, their history, all file summaries, all chats with their plans, and the work of subagents that did not land are removed from disk and cannot be restored.',
    undoable: false,
  }),
  async run(_input, call, context) {
    // First what may refuse, so that it is everything or nothing.
    await explained(() => context.subagents.erase());
    const { erased } = await context.store.eraseAll(authorOf(call, context));
    await context.sessions.eraseSessions();
    return { text: `Deleted ${erased} ${erased === 1 ? 'entry' : 'entries'} for good.`, data: { erased } };
  },
});
