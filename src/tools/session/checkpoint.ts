import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import type { CheckpointView } from '../../planProtocol.ts';
import type { CheckpointOutcome } from '../../worker/sessionApi.ts';
import { callerOf, readerOf } from '../author.ts';
import { defineTool, ToolError } from '../tool.ts';
import { longSession, NOTHING_LONG } from './longSession.ts';
import { readable } from './unreadable.ts';

/** Off by default (seed 000). */
const SETTING = 'checkpoint.enabled';
const MANAGED = 'managedModel.enabled';
const session = z.string().max(64);
/** Of the checkpoint that the person saw. */
const startedAt = z.number().optional();
const MAX_GOAL = 2_000;
const MAX_REPORT = 100_000;

export const checkpoint = defineTool({
  name: 'checkpoint',
  family: 'session',
  profile: 'core',
  effect: 'write',
  setting: SETTING,
  title: 'Checkpoint',
  description:
    'Mark the conversation before you explore something uncertain, so that rewind can fold the exploration into a short report. Never touches files or git.',
  input: z.object({
    goal: z
      .string()
      .max(MAX_GOAL)
      .refine((goal) => goal.trim() !== '', 'goal is empty: say what you want to find out'),
  }),
  async run({ goal }, call, context) {
    return { text: accept(await context.sessions.checkpoint(callerOf(call), oneLine(goal.trim()))).text };
  },
});

export const rewind = defineTool({
  name: 'rewind',
  family: 'session',
  profile: 'core',
  effect: 'write',
  setting: SETTING,
  title: 'Rewind',
  description:
    'End the checkpoint with a report of what you found: conclusions, evidence, dead ends. It replaces all that was said since. Files stay.',
  input: z.object({
    report: z.string().max(MAX_REPORT),
  }),
  async run({ report }, call, context) {
    const done = accept(await context.sessions.rewind(callerOf(call), report));
    if (call.loop !== undefined) {
      return {
        text: `${done.text}\nWith the next step your report takes the place of everything since the checkpoint. Go on from it.`,
        data: { report: done.report, rewound: true, pruned: true },
      };
    }
    const text = `${done.text}\nThis chat's context is not ours to prune: it was not. Go on from the report alone and leave the rest of the exploration aside.\n\nReport:\n${done.report ?? ''}`;
    return { text, data: { report: done.report, rewound: true, pruned: false } };
  },
});

export const checkpointShow = defineTool({
  name: 'checkpoint_show',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Show Checkpoint',
  description: 'The open checkpoint of a session and the ended ones, for the checkpoint panel.',
  input: z.object({ session: session.optional() }),
  async run(input, call, context) {
    const { sessions, settings } = context;
    const read = async () => {
      const view = await sessions.checkpointShow(input.session, readerOf(call));
      return { ...view, ...(await longSession(view.session?.id, call, context)) };
    };
    const none = { active: null, history: [], ...NOTHING_LONG };
    const view = await readable(read, none, input.session, call, context);
    const [enabled, managed] = [settings.get(SETTING) === true, settings.get(MANAGED) === true];
    const data: CheckpointView = { ...view, enabled, managed };
    return { text: view.active === null ? 'No open checkpoint.' : oneLine(view.active.goal), data };
  },
});

export const checkpointRewind = defineTool({
  name: 'checkpoint_rewind',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Rewind With a Report',
  description: "Ends the checkpoint of a session with a person's report.",
  input: z.object({ session, report: z.string().max(MAX_REPORT), startedAt }),
  async run({ session: id, report, startedAt: seen }, call, context) {
    const outcome = await context.sessions.checkpointSettle(id, report, readerOf(call), seen);
    return { text: accept(outcome).text };
  },
});

export const checkpointCancel = defineTool({
  name: 'checkpoint_cancel',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Cancel Checkpoint',
  description: 'Gives the checkpoint of a session up; what was explored stays in the conversation.',
  input: z.object({ session, startedAt }),
  async run({ session: id, startedAt: seen }, call, context) {
    const outcome = await context.sessions.checkpointSettle(id, undefined, readerOf(call), seen);
    return { text: accept(outcome).text };
  },
});

export const checkpointEnable = defineTool({
  name: 'checkpoint_enable',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Turn On Checkpoints',
  description: 'Lets agents use checkpoint and rewind.',
  input: z.object({}),
  async run(_input, _call, { settings }) {
    if (settings.set === undefined) throw new ToolError(`Set "${SETTING}": true in ~/.lodeline/config.json.`);
    await settings.set(SETTING, true);
    return { text: 'Agents can use checkpoint and rewind now.' };
  },
});

function accept(outcome: CheckpointOutcome): Extract<CheckpointOutcome, { ok: true }> {
  if (!outcome.ok) throw new ToolError(outcome.error);
  return outcome;
}
