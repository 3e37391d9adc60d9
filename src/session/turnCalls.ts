/** The tools of a loop of ours, and the calls of one answer. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../journal/errors.ts';
import type { JsonValue } from '../journal/record.ts';
import type { ToolSpec } from './chatModel.ts';
import type { CallEffect, CallEvidence } from './effects.ts';
import type { ToolResultBlock } from './messages.ts';
import type { WrittenCall } from './modelAnswer.ts';

/** How long a cancelled call may take to say what became of it. */
const GRACE_MS = 1_000;
/** So many names help a model that called a tool which is not there. */
const NAMED = 50;

export interface LoopCallInput {
  /** The call's id in the transcript. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

export interface LoopResult {
  readonly text: string;
  readonly isError: boolean;
  /** The turn is over with this result; the model is not asked again. */
  readonly endsTurn?: boolean | undefined;
  /** Files whose content the text shows, beside those that the call named; from the folder of the tools. */
  readonly files?: readonly string[] | undefined;
}

/** What the model of a loop can call. */
export interface LoopTools {
  /** As the model is told of them now. */
  specs(): readonly ToolSpec[];
  /** Whether calls of this tool, and of others like it, run one after another in the order of writing. */
  isExclusive(name: string): boolean;
  /** Runs a call. What goes wrong is best told as a result; an exception becomes one. */
  call(call: LoopCallInput, signal: AbortSignal): Promise<LoopResult>;
  /** What a call does beside answering; a tool that does not say may do anything. */
  effectOf?(call: Omit<LoopCallInput, 'id'>): LoopEffect;
  /**
   * By what it can be told later whether a call took effect, as things are before it; undefined when by nothing.
   * @param planned files as earlier calls of the same answer will leave them
   */
  evidenceOf?(call: LoopCallInput, planned: PlannedFiles): Promise<CallEvidence | undefined>;
}

/** `read`: nothing; also for what a call does within its own loop. */
export type LoopEffect = 'read' | CallEffect;

/** Contents of files by their absolute paths. */
export type PlannedFiles = Map<string, Uint8Array>;

/** The same tools, some of whose methods are others. */
export function wrapping(tools: LoopTools, methods: Partial<LoopTools>): LoopTools {
  return {
    specs: () => tools.specs(),
    isExclusive: (name) => tools.isExclusive(name),
    call: (call, signal) => tools.call(call, signal),
    effectOf: (call) => effectOf(tools, call),
    evidenceOf: async (call, planned) => tools.evidenceOf?.(call, planned),
    ...methods,
  };
}

/** What a call of one of these tools does beside answering. */
export function effectOf(tools: LoopTools, call: Omit<LoopCallInput, 'id'>): LoopEffect {
  return tools.effectOf?.(call) ?? 'unknown';
}

/** Several sets as one. Where two have a tool of the same name, the earlier one's counts. */
export function combine(...sets: readonly LoopTools[]): LoopTools {
  const ownerOf = (name: string): LoopTools | undefined => sets.find((set) => hasTool(set, name));
  return {
    specs: () => {
      const specs = new Map<string, ToolSpec>();
      for (const spec of sets.flatMap((set) => set.specs()))
        if (!specs.has(spec.name)) specs.set(spec.name, spec);
      return [...specs.values()];
    },
    isExclusive: (name) => ownerOf(name)?.isExclusive(name) === true,
    call: async (call, signal) => {
      const owner = ownerOf(call.name);
      return owner === undefined ? gone(call.name) : owner.call(call, signal);
    },
    effectOf: (call) => {
      const owner = ownerOf(call.name);
      return owner === undefined ? 'read' : effectOf(owner, call);
    },
    evidenceOf: async (call, planned) => ownerOf(call.name)?.evidenceOf?.(call, planned),
  };
}

/** Only the tools with these names; all of them when no names are given. */
export function restrict(tools: LoopTools, names: readonly string[] | undefined): LoopTools {
  if (names === undefined) return tools;
  return wrapping(tools, {
    specs: () => tools.specs().filter(({ name }) => names.includes(name)),
    call: async (call, signal) => (names.includes(call.name) ? tools.call(call, signal) : gone(call.name)),
  });
}

function hasTool(tools: LoopTools, tool: string): boolean {
  return tools.specs().some(({ name }) => name === tool);
}

/** Of a tool that was switched off since the model was told of it, or that it never was told of. */
function gone(name: string): LoopResult {
  return error(`There is no tool "${name}" any more. Go on without it.`);
}

/** Told when a call begins and when its result is there. Must not throw. */
export interface CallListener {
  onCall?: ((call: LoopCallInput) => void) | undefined;
  onResult?: ((call: LoopCallInput, result: LoopResult) => void) | undefined;
}

/**
 * Runs the calls of one answer, side by side where their tools allow it. There is a result for every call, in
 * the order of writing, also when the signal fires: then those that are running have a moment to end.
 * @param offered names of the tools that the model was told of
 */
export async function runCalls(
  calls: readonly WrittenCall[],
  tools: LoopTools,
  offered: ReadonlySet<string>,
  signal: AbortSignal,
  listener: CallListener,
): Promise<readonly LoopResult[]> {
  const done = new AbortController();
  const givenUp = graceAfter(signal, done.signal);

  async function run({ block, problem }: WrittenCall): Promise<LoopResult> {
    const { id, name, input } = block;
    const call = { id, name, input };
    if (signal.aborted) return error(`Cancelled before ${name} ran. Nothing was changed.`);
    listener.onCall?.(call);
    let result: LoopResult;
    if (problem !== undefined) result = error(problem);
    else if (!offered.has(name)) result = unknownTool(name, offered);
    else result = await Promise.race([callTool(tools, call, signal), givenUp.then(() => cancelled(name))]);
    listener.onResult?.(call, result);
    return result;
  }

  let line: Promise<unknown> = Promise.resolve();
  const results = calls.map((call) => {
    if (!tools.isExclusive(call.block.name)) return run(call);
    const result = line.then(() => run(call));
    line = result;
    return result;
  });
  try {
    return await Promise.all(results);
  } finally {
    done.abort();
  }
}

/** The result as the transcript keeps it. */
export function resultBlock(call: WrittenCall, { text, isError }: LoopResult): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: call.block.id,
    content: [{ type: 'text', text }],
    ...(isError && { is_error: true }),
  };
}

async function callTool(tools: LoopTools, call: LoopCallInput, signal: AbortSignal): Promise<LoopResult> {
  try {
    return await tools.call(call, signal);
  } catch (reason) {
    if (signal.aborted) return cancelled(call.name);
    return error(`${call.name} failed: ${messageOf(reason)}. It may have taken effect: check first.`);
  }
}

/** Resolves some time after the signal fires; never when `done` fires first. */
async function graceAfter(signal: AbortSignal, done: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: done });
  });
  await delay(GRACE_MS, undefined, { signal: done }).catch(() => new Promise<never>(() => {}));
}

function cancelled(name: string): LoopResult {
  return error(
    `${name} was cancelled while it ran. It may have taken effect: check before you call it again.`,
  );
}

function unknownTool(name: string, offered: ReadonlySet<string>): LoopResult {
  const names = [...offered].slice(0, NAMED).join(', ');
  return error(
    `There is no tool "${name}". ${names === '' ? 'Go on without tools.' : `There are: ${names}.`}`,
  );
}

function error(text: string): LoopResult {
  return { text, isError: true };
}
