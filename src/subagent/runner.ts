/** Runs one task: an agent loop with its own transcript, which ends when the subagent yields. */
import { messageOf } from '../journal/errors.ts';
import type { Level } from '../policy/level.ts';
import { runTurn, type TurnOptions, type TurnResult } from '../session/agentLoop.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { Compactor } from '../session/compactor.ts';
import { addUsage, NO_USAGE, textMessage, type Usage } from '../session/messages.ts';
import { combine, type LoopResult, type LoopTools } from '../session/turnCalls.ts';
import type { AgentDefinition } from './agentFile.ts';
import type { Finding } from './findings.ts';
import { Bounds, LimitReached, type TaskLimits } from './limits.ts';
import type { OutputSchema } from './outputSchema.ts';
import type { ProgressTracker } from './progress.ts';
import { type Handover, systemPrompt } from './prompt.ts';
import { findingSpec, REPORT_FINDING, takeFinding } from './reportFinding.ts';
import { type LoopEnd, type Outcome, YIELD, YieldMachine, yieldSpec } from './yield.ts';

export interface TaskRun {
  /** Its artifact id, which is also the id of its transcript under the parent. */
  readonly id: string;
  /** Id of the session that asked for it. */
  readonly parent: string;
  readonly agent: AgentDefinition;
  readonly assignment: string;
  readonly handover: Handover;
  readonly schema: OutputSchema | undefined;
  /** 1 for a subagent of a session, one more for each level below. */
  readonly depth: number;
  readonly level: Level;
  readonly model: ChatModel;
  /** What it can call beside yield and report_finding; an agent that lists its tools gets no others. */
  readonly tools: LoopTools;
  readonly limits: TaskLimits;
  readonly progress: ProgressTracker;
  /** Keeps its requests within the model's window. */
  readonly compactor?: Compactor | undefined;
}

export interface TaskResult extends Outcome {
  readonly usage: Usage;
  readonly findings: readonly Finding[];
  /** What ended it where it was not the subagent itself: for the person. */
  readonly reason?: string | undefined;
}

/**
 * Runs a task to its end. Never throws: what goes wrong is in the result.
 * @param signal cancels the task; its transcript stays
 */
export async function runTask(
  sessions: TurnOptions['sessions'],
  task: TaskRun,
  signal: AbortSignal,
): Promise<TaskResult> {
  const bounds = new Bounds(task.limits, signal);
  try {
    return await new TaskLoop(sessions, task, bounds).run();
  } finally {
    bounds.dispose();
  }
}

class TaskLoop {
  readonly #sessions: TurnOptions['sessions'];
  readonly #task: TaskRun;
  readonly #bounds: Bounds;
  readonly #machine: YieldMachine;
  readonly #findings: Finding[] = [];
  readonly #tools: LoopTools;
  #isOver = false;
  #usage = NO_USAGE;

  constructor(sessions: TurnOptions['sessions'], task: TaskRun, bounds: Bounds) {
    this.#sessions = sessions;
    this.#task = task;
    this.#bounds = bounds;
    this.#machine = new YieldMachine(task.schema);
    this.#tools = combine(this.#ownTools(), task.tools);
  }

  async run(): Promise<TaskResult> {
    const end = await this.#loop().catch(
      (error: unknown): LoopEnd => ({ text: '', exitCode: 1, error: messageOf(error) }),
    );
    const outcome = this.#machine.finish(end, this.#findings);
    return { ...outcome, usage: this.#usage, findings: this.#findings, reason: end.error };
  }

  async #loop(): Promise<LoopEnd> {
    let prompt: TurnOptions['prompt'] = this.#task.assignment.toWellFormed();
    let forced: string | undefined;
    for (;;) {
      const result = await this.#turn(prompt, forced);
      this.#usage = addUsage(this.#usage, result.usage);
      if (result.reason !== 'completed') return this.#broken(result);
      const stop = this.#isOver ? undefined : this.#machine.stopped();
      if (stop === undefined || stop.kind === 'finish') return { text: result.text, exitCode: 0 };
      prompt = [{ type: 'message', message: textMessage('system', stop.text) }];
      forced = stop.mustCall;
    }
  }

  #turn(prompt: TurnOptions['prompt'], forced: string | undefined): Promise<TurnResult> {
    const { id, parent, agent, handover, depth, level, model, limits, progress, compactor } = this.#task;
    return runTurn({
      sessions: this.#sessions,
      owner: {
        ...{ key: `${parent}:subagent:${id}`, kind: 'subagent', source: agent.name, level },
        agent: { id, parent, depth },
        title: id,
      },
      prompt,
      model: this.#bounds.metered(model, (tokens) => progress.used(tokens)),
      system: systemPrompt(agent, handover),
      tools: this.#tools,
      signal: this.#bounds.signal,
      maxSteps: limits.steps,
      compactor,
      reminders: 0,
      forced,
      onText: (text) => progress.said(text),
      onCall: (call) => progress.called(call),
      onResult: (call) => progress.answered(call),
    });
  }

  /** How a turn that did not come to its own end counts. */
  #broken({ text, reason, detail }: TurnResult): LoopEnd {
    const { signal } = this.#bounds;
    if (signal.reason instanceof LimitReached) return { text, exitCode: 1, error: signal.reason.message };
    if (reason === 'aborted') return { text, exitCode: 1, error: 'Cancelled', cancelled: true };
    return { text, exitCode: 1, error: detail ?? reason };
  }

  #ownTools(): LoopTools {
    const { agent, schema } = this.#task;
    const specs = [yieldSpec(schema), ...(agent.tools?.includes(REPORT_FINDING) ? [findingSpec()] : [])];
    return {
      specs: () => specs,
      isExclusive: () => true,
      effectOf: () => 'read',
      call: async ({ name, input }): Promise<LoopResult> => {
        if (name === YIELD) {
          const { text, isError, ends } = this.#machine.call(input);
          this.#isOver ||= ends;
          return { text, isError, endsTurn: ends };
        }
        return takeFinding(input, this.#findings);
      },
    };
  }
}
