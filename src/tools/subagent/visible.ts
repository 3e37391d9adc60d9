/** Which work of subagents a call may be told of and act on: none from above its level. */
import { canFlowTo } from '../../policy/level.ts';
import { type BatchRecord, levelOfBatch } from '../../subagent/batchRecord.ts';
import type { LeftBehind } from '../../subagent/leftBehind.ts';
import { phrase } from '../../worker/api.ts';
import { type ToolCall, type ToolContext, ToolError } from '../tool.ts';

type Caller = Pick<ToolCall, 'level'>;
type Context = Pick<ToolContext, 'subagents'>;

/** The batches, the latest first. */
export async function batchesFor({ level }: Caller, { subagents }: Context): Promise<BatchRecord[]> {
  return (await subagents.list()).filter((batch) => canFlowTo(levelOfBatch(batch), level));
}

/** @throws ToolError as for a batch that is not there, also for one above the call. */
export async function requireBatch(batch: string, call: Caller, context: Context): Promise<void> {
  if (!(await batchesFor(call, context)).some(({ id }) => id === batch))
    throw new ToolError(phrase('This batch is not there any more.'));
}

/** Nobody knows any more to what level left work came: it may be any that subagents can have in this folder. */
export async function leftFor(call: Caller, { subagents }: Context): Promise<readonly LeftBehind[]> {
  return canFlowTo(subagents.defaultLevel, call.level) ? subagents.left.list() : [];
}

/** @throws ToolError as for work that is not there, where the call may not be told of it. */
export function requireLeft(call: Caller, { subagents }: Context): void {
  if (!canFlowTo(subagents.defaultLevel, call.level))
    throw new ToolError(phrase('It is not there any more.'));
}
