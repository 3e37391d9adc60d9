/** What subagents handed over and changed, as a person reads it in the editor. */
import { z } from 'zod';
import { LEFT_KINDS } from '../../protocol.ts';
import type { SubagentWork } from '../../subagentProtocol.ts';
import { defineTool } from '../tool.ts';
import { explained } from './explained.ts';
import { requireBatch, requireLeft } from './visible.ts';

const id = z.string().max(4096);
const side = z.enum(['before', 'after']);

export const subagentsOutput = defineTool({
  ...common('subagents_output', 'Show Output of a Subagent'),
  input: z.object({ batch: id, id }),
  async run({ batch, id: task }, call, context) {
    await requireBatch(batch, call, context);
    return { text: await explained(() => context.subagents.actions.output(batch, task)) };
  },
});

export const subagentsWork = defineTool({
  ...common('subagents_work', 'Show Work of a Subagent'),
  input: z.object({ batch: id, task: id }),
  async run({ batch, task }, call, context) {
    await requireBatch(batch, call, context);
    const { found } = await explained(() => context.subagents.actions.find(batch, task));
    const { name, files, landing, worktree = null } = found;
    const data: SubagentWork = { name, files, tree: landing?.work?.tree ?? null, worktree };
    return { text: `${files.length} files`, data };
  },
});

/** The data are the file's bytes. */
export const subagentsFile = defineTool({
  ...common('subagents_file', 'Show a File That a Subagent Changed'),
  input: z.object({ batch: id, task: id, path: id, side }),
  async run({ batch, task, path, side: which }, call, context) {
    await requireBatch(batch, call, context);
    const { actions } = context.subagents;
    const data: Uint8Array = await explained(() => actions.fileAt(batch, task, path, which));
    return { text: `${data.length} bytes`, data };
  },
});

/** The data are the file's bytes. */
export const subagentsLeftFile = defineTool({
  ...common('subagents_left_file', 'Show a File of Work Left Behind'),
  input: z.object({ kind: z.enum(LEFT_KINDS), id, path: id, side }),
  async run({ path, side: which, ...name }, call, context) {
    requireLeft(call, context);
    const data: Uint8Array = await explained(() => context.subagents.left.fileAt(name, path, which));
    return { text: `${data.length} bytes`, data };
  },
});

function common(name: string, title: string) {
  const fixed = { family: 'subagent', profile: 'person', effect: 'read' } as const;
  return { name, title, ...fixed, description: `${title}, in the editor.` };
}
