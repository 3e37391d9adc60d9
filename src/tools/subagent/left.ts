/** What a person sees of work that no batch knows of any more, and does with it, from the panel. */
import { z } from 'zod';
import { LEFT_KINDS } from '../../protocol.ts';
import { fileOf } from '../../subagent/isolatedWork.ts';
import type { LeftFiles, LeftView, SubagentsDone } from '../../subagentProtocol.ts';
import { fill, phrase } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { defineTool, type ToolCall, type ToolContext, type ToolResult } from '../tool.ts';
import { explained } from './explained.ts';
import { toldPhrase } from './told.ts';
import { leftFor, requireLeft } from './visible.ts';

/** As many as a person looks through; the rest comes up when these are gone. */
const SHOWN = 100;

const name = z.object({ kind: z.enum(LEFT_KINDS), id: z.string().max(4096) });

export const subagentsLeft = defineTool({
  name: 'subagents_left',
  family: 'subagent',
  profile: 'person',
  effect: 'read',
  title: 'Show Work Left Behind',
  description: 'Work of subagents that did not land and that no batch knows of any more, for the panel.',
  input: z.object({}),
  async run(_input, call, context) {
    const [left, known] = await Promise.all([
      explained(() => leftFor(call, context)),
      context.sessions.sessionsBrowse(readerOf(call)),
    ]);
    const byId = new Map(known.map((session) => [session.id, session]));
    const rows = left.slice(0, SHOWN).map(({ kind, id, task, session, time, place, closed }): LeftView => {
      const of = session === undefined ? undefined : byId.get(session);
      return {
        ...{ kind, id, task, place, time: time ?? null, canRead: closed === undefined },
        session: of === undefined ? null : { title: of.title, source: of.source },
      };
    });
    return { text: `${left.length} left behind`, data: rows };
  },
});

export const subagentsLeftFiles = defineTool({
  name: 'subagents_left_files',
  family: 'subagent',
  profile: 'person',
  effect: 'read',
  title: 'Show Files of Work Left Behind',
  description: 'The files that work left behind changes, for the panel.',
  input: name,
  async run(input, call, context) {
    requireLeft(call, context);
    const { files, tree, id } = await explained(() => context.subagents.left.work(input));
    const data: LeftFiles = { files: files.map(fileOf), tree, name: id };
    return { text: `${files.length} files`, data };
  },
});

export const subagentsLeftApply = defineTool({
  ...common('subagents_left_apply', 'Apply Work Left Behind'),
  input: name,
  run: (input, call, context) =>
    doing(call, context, ({ subagents }) => subagents.left.apply(input, call.signal)),
});

export const subagentsLeftDiscard = defineTool({
  ...common('subagents_left_discard', 'Discard Work Left Behind'),
  input: name,
  run: (input, call, context) => doing(call, context, ({ subagents }) => subagents.left.discard(input)),
});

export const subagentsLeftRestore = defineTool({
  ...common('subagents_left_restore', 'Take Back What Was Done With Work Left Behind'),
  input: z.object({ undo: z.string().max(64) }),
  async run({ undo }, call, context) {
    requireLeft(call, context);
    await explained(() => context.subagents.left.restore(undo, call.signal));
    const said = phrase('It is as it was.');
    return { text: fill(said), data: { phrase: said } satisfies SubagentsDone };
  },
});

function common(tool: string, title: string) {
  const fixed = { family: 'subagent', profile: 'person', effect: 'execute' } as const;
  return { name: tool, title, ...fixed, description: `${title}, for the panel.` };
}

async function doing(
  call: ToolCall,
  context: ToolContext,
  act: (context: ToolContext) => ReturnType<ToolContext['subagents']['left']['discard']>,
): Promise<ToolResult> {
  requireLeft(call, context);
  const { said, undo } = await explained(() => act(context));
  const told = toldPhrase(said);
  return { text: fill(told), data: { phrase: told, restore: undo } satisfies SubagentsDone };
}
