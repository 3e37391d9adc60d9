import { resolve } from 'node:path';
import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { canFlowTo } from '../../policy/level.ts';
import { phrase } from '../../worker/api.ts';
import { authorOf, readerOf } from '../author.ts';
import { explained } from '../subagent/explained.ts';
import { batchesFor } from '../subagent/visible.ts';
import { defineTool, ToolError } from '../tool.ts';
import { readNamed } from './importFiles.ts';

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
    'Every entry with its history, every file summary, the plans of all chats, captured activity and what subagents did, as JSON. Of an encrypted folder it is encrypted with the same key, unless asked for in the clear.',
  input: z.object({
    /** Not encrypted, though the folder is. */
    clear: z.boolean().default(false),
  }),
  async run({ clear }, call, context) {
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
      subagents: await batchesFor(call, context),
    };
    const text = JSON.stringify(data, null, 2);
    const sealed = clear ? undefined : await context.sealing.sealExport(text, call.level);
    return sealed === undefined ? { text, data } : { text: sealed, data: { sealed: true } };
  },
});

export const memoryExportOpen = defineTool({
  name: 'memory_export_open',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Open Encrypted Export',
  description: 'The JSON of an export that was encrypted with the key of this or another folder.',
  input: z.object({
    /** From the workspace folder. */
    path: z.string().min(1).max(4096),
  }),
  async run({ path }, call, context) {
    const opened = await context.sealing.openExport((await readNamed(resolve(context.root, path))).text);
    if (opened === undefined) throw new ToolError(phrase('Not an encrypted export: "{0}".', oneLine(path)));
    if (!canFlowTo(opened.level, call.level))
      throw new ToolError(
        phrase('This export holds what is {0}, above the level of this call.', opened.level),
      );
    return { text: opened.text };
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
      'All entries, their history, all file summaries, all chats with their plans, the work of subagents that did not land, and what waits for a memory server are removed from disk and cannot be restored.',
    undoable: false,
  }),
  async run(_input, call, context) {
    // First what may refuse, so that it is everything or nothing.
    await explained(() => context.subagents.erase());
    await context.backend.erase();
    const { erased } = await context.store.eraseAll(authorOf(call, context));
    await context.sessions.eraseSessions();
    return { text: `Deleted ${erased} ${erased === 1 ? 'entry' : 'entries'} for good.`, data: { erased } };
  },
});
