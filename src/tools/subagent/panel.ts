import { z } from 'zod';
import type { SubagentsDone, SubagentsView } from '../../protocol.ts';
import { readerOf } from '../author.ts';
import { defineTool, type ToolCall, type ToolContext, ToolError } from '../tool.ts';
import { batchView } from './batchView.ts';
import { explained } from './explained.ts';
import { fileDiff } from './fileDiff.ts';

const id = z.string().max(256);
const target = z.object({ batch: id, task: id });

export const subagentsShow = defineTool({
  name: 'subagents_show',
  family: 'subagent',
  profile: 'person',
  effect: 'read',
  title: 'Show Subagents',
  description: 'Batches of subagents and their tasks, for the panel.',
  input: z.object({}),
  async run(_input, call, { subagents, sessions }) {
    const [batches, known] = await Promise.all([subagents.list(), sessions.sessionsBrowse(readerOf(call))]);
    const byId = new Map(known.map((session) => [session.id, session]));
    const view: SubagentsView = {
      batches: batches.map((batch) => batchView(batch, byId.get(batch.session))),
    };
    return { text: `${batches.length} batches`, data: view };
  },
});

export const subagentsDiff = defineTool({
  name: 'subagents_diff',
  family: 'subagent',
  profile: 'person',
  effect: 'read',
  title: 'Show Diff of a Subagent',
  description: 'What a subagent changed in one file.',
  input: target.extend({ path: z.string().max(4096) }),
  async run({ batch, task, path }, _call, { subagents }) {
    const { index, patch } = await explained(() => subagents.actions.patchOf(batch, task, path));
    return { text: path, data: fileDiff(patch, index, path) };
  },
});

export const subagentsApply = action(
  'subagents_apply',
  'Apply the Work of a Subagent',
  async (input, call, { subagents }) => {
    const { landing } = await subagents.actions.apply(input.batch, input.task, call.signal);
    if (landing?.state !== 'applied' && landing?.state !== 'no_changes')
      throw new ToolError(landing?.reason ?? 'It did not land.');
    return { text: landing.reason ?? 'Applied.', data: { undo: 'subagents_revert' } };
  },
);

export const subagentsDiscard = action(
  'subagents_discard',
  'Discard the Work of a Subagent',
  async (input, _call, { subagents }) => {
    await subagents.actions.discard(input.batch, input.task);
    return { text: 'Discarded. It can still be applied.', data: { undo: 'subagents_apply' } };
  },
);

export const subagentsRevert = action(
  'subagents_revert',
  'Take Back the Work of a Subagent',
  async (input, call, { subagents }) => {
    await subagents.actions.revert(input.batch, input.task, call.signal);
    return { text: 'Taken back.', data: { undo: 'subagents_apply' } };
  },
);

export const subagentsCancel = defineTool({
  name: 'subagents_cancel',
  family: 'subagent',
  profile: 'person',
  effect: 'execute',
  title: 'Cancel Subagents',
  description: 'Stops a running subagent, or a batch of them. Their work is kept.',
  input: target.partial({ task: true }),
  async run({ batch, task }, _call, { subagents }) {
    const count = subagents.cancel(batch, task);
    if (count === 0) throw new ToolError('Nothing of it runs in this window.');
    return { text: count === 1 ? 'Stopping.' : `Stopping ${count} subagents.` };
  },
});

export const subagentsRetry = defineTool({
  name: 'subagents_retry',
  family: 'subagent',
  profile: 'person',
  effect: 'execute',
  title: 'Retry Subagents',
  description: 'Starts the tasks that failed, were cancelled or interrupted again, as a new batch.',
  input: target.partial({ task: true }),
  async run({ batch, task }, call, { subagents, sessions }) {
    const record = (await subagents.list()).find(({ id: one }) => one === batch);
    const known = await sessions.sessionsBrowse(readerOf(call));
    const session = known.find(({ id: one }) => one === record?.session);
    if (session === undefined) throw new ToolError('The chat that asked for it is not there any more.');
    const { key, kind, source } = session;
    const caller = { key, kind, source, approve: call.approve };
    const started = await explained(() => subagents.retry(batch, task, caller));
    // How it goes is in the panel.
    started.done.catch(() => {});
    return { text: `Started ${started.count} again.` };
  },
});

function action(
  name: string,
  title: string,
  act: (
    input: { batch: string; task: string },
    call: ToolCall,
    context: ToolContext,
  ) => Promise<{ text: string; data: SubagentsDone }>,
) {
  return defineTool({
    ...{ name, title, family: 'subagent', profile: 'person', effect: 'execute' },
    description: `${title}, for the panel.`,
    input: target,
    run: (given, call, context) => explained(() => act(given, call, context)),
  });
}
