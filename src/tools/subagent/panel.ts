/** What a person sees of subagents and does with them, from the panel. */
import { z } from 'zod';
import type { Phrase } from '../../protocol.ts';
import type { Choice } from '../../subagent/landingChoice.ts';
import type { SubagentsDone, SubagentsView } from '../../subagentProtocol.ts';
import { fill, phrase } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { defineTool, type ToolCall, type ToolContext, ToolError, type ToolResult } from '../tool.ts';
import { batchView } from './batchView.ts';
import { explained } from './explained.ts';
import { fileDiff } from './fileDiff.ts';
import { toldPhrase } from './told.ts';
import { batchesFor, requireBatch } from './visible.ts';

/** As many batches as a person looks back on; the files of older ones are still there. */
const SHOWN = 200;

const id = z.string().max(256);
const target = z.object({ batch: id, task: id });
/** All of a task's work, or one file of it, or one hunk of that, counted from 0. */
const part = target.extend({
  path: z.string().max(4096).optional(),
  hunk: z.number().int().nonnegative().optional(),
});
type Part = z.infer<typeof part>;

export const subagentsShow = defineTool({
  name: 'subagents_show',
  family: 'subagent',
  profile: 'person',
  effect: 'read',
  title: 'Show Subagents',
  description:
    'The latest batches of subagents and their tasks, for the panel; one task can be asked for whole.',
  input: z.object({ whole: target.optional() }),
  async run({ whole }, call, context) {
    const [batches, known] = await Promise.all([
      batchesFor(call, context),
      context.sessions.sessionsBrowse(readerOf(call)),
    ]);
    const byId = new Map(known.map((session) => [session.id, session]));
    const view: SubagentsView = {
      batches: batches
        .slice(0, SHOWN)
        .map((batch) =>
          batchView(batch, byId.get(batch.session), whole?.batch === batch.id ? whole.task : undefined),
        ),
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
  async run({ batch, task, path }, call, context) {
    await requireBatch(batch, call, context);
    const { index, patch } = await explained(() => context.subagents.actions.patchOf(batch, task, path));
    return { text: path, data: fileDiff(patch, index, path) };
  },
});

export const subagentsApply = action(
  'subagents_apply',
  'Apply the Work of a Subagent',
  async (input, call, { subagents }) => {
    const choice = choiceOf(input);
    const { landing } = await subagents.actions.apply(input.batch, input.task, call.signal, choice);
    if (choice !== undefined) {
      const isNew = landing?.parts?.at(-1)?.undo !== undefined;
      const said = isNew ? phrase('Applied.') : phrase('Your files already have what the task changed.');
      return done(said, isNew ? 'subagents_revert' : undefined);
    }
    if (landing?.state !== 'applied' && landing?.state !== 'no_changes')
      throw new ToolError(toldPhrase(landing?.reason ?? 'It did not land.'));
    const said = landing.reason === undefined ? phrase('Applied.') : toldPhrase(landing.reason);
    return done(said, landing.state === 'applied' ? 'subagents_revert' : undefined);
  },
);

export const subagentsDiscard = action(
  'subagents_discard',
  'Discard the Work of a Subagent',
  async (input, _call, { subagents }) => {
    await subagents.actions.discard(input.batch, input.task);
    return done(phrase('Discarded. It can still be applied.'));
  },
);

export const subagentsRevert = action(
  'subagents_revert',
  'Take Back the Work of a Subagent',
  async (input, call, { subagents }) => {
    await subagents.actions.revert(input.batch, input.task, call.signal, choiceOf(input));
    return done(phrase('Taken out of your files again.'), 'subagents_apply');
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
  async run({ batch, task }, call, context) {
    await requireBatch(batch, call, context);
    const count = context.subagents.cancel(batch, task);
    if (count === 0) throw new ToolError(phrase('Nothing of it runs in this window.'));
    return done(count === 1 ? phrase('Stopping.') : phrase('Stopping {0} subagents.', count));
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
  async run({ batch, task }, call, context) {
    const { subagents, sessions } = context;
    const record = (await batchesFor(call, context)).find(({ id: one }) => one === batch);
    const known = await sessions.sessionsBrowse(readerOf(call));
    const session = known.find(({ id: one }) => one === record?.session);
    if (session === undefined)
      throw new ToolError(phrase('The chat that asked for it is not there any more.'));
    const { key, kind, source } = session;
    const caller = { key, kind, source, approve: call.approve };
    const started = await explained(() => subagents.retry(batch, task, caller));
    // How it goes is in the panel.
    started.done.catch(() => {});
    return done(started.count === 1 ? phrase('Started again.') : phrase('Started {0} again.', started.count));
  },
});

function action(
  name: string,
  title: string,
  act: (input: Part, call: ToolCall, context: ToolContext) => Promise<ToolResult>,
) {
  return defineTool({
    ...{ name, title, family: 'subagent', profile: 'person', effect: 'execute' },
    description: `${title}, for the panel.`,
    input: part,
    async run(given, call, context) {
      await requireBatch(given.batch, call, context);
      return await explained(() => act(given, call, context));
    },
  });
}

function choiceOf({ path, hunk }: Part): Choice | undefined {
  return path === undefined ? undefined : { path, ...(hunk !== undefined && { hunks: [hunk] }) };
}

/** What was done, for the person, and what takes it back. */
function done(said: Phrase, undo?: SubagentsDone['undo']): ToolResult {
  return { text: fill(said), data: { phrase: said, undo } satisfies SubagentsDone };
}
