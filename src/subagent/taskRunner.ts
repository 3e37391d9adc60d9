/** Takes the tasks of a batch from their start to their end: a place, a workspace, a model, the loop, the landing. */
import { mkdir } from 'node:fs/promises';
import { messageOf } from '../journal/errors.ts';
import type { ChatModel } from '../session/chatModel.ts';
import { restrict } from '../session/turnCalls.ts';
import { writeArtifact } from './artifacts.ts';
import { childAccess } from './batch.ts';
import type { TaskLanding, TaskRecord } from './batchRecord.ts';
import type { BatchRun, TaskEnd } from './batchRun.ts';
import { distinctFindings, type Finding } from './findings.ts';
import type { SessionFolders, SubagentHost, TaskCaller, Worker } from './host.ts';
import { IsolatedWork } from './isolatedWork.ts';
import type { Limiter, Slot } from './limiter.ts';
import { capOutput, lineCount, outputLimits } from './output.ts';
import { ProgressTracker } from './progress.ts';
import { runTask, type TaskResult } from './runner.ts';
import { modelOfRole, taskSettings } from './taskSettings.ts';
import { describeTree } from './tree.ts';

/** Every subagent may look up what the project remembers. */
const MEMORY_TOOLS = ['memory_recall', 'memory_search'];

export class TaskRunner {
  readonly #host: SubagentHost;
  readonly #run: BatchRun;
  readonly #caller: TaskCaller;
  readonly #folders: SessionFolders;
  readonly #isolated: IsolatedWork | undefined;
  #conversation: Promise<string> | undefined;

  constructor(host: SubagentHost, run: BatchRun, caller: TaskCaller, folders: SessionFolders) {
    this.#host = host;
    this.#run = run;
    this.#caller = caller;
    this.#folders = folders;
    const root = caller.nested?.root ?? host.root;
    this.#isolated = run.batch.isolated
      ? new IsolatedWork({ root, session: folders.id, artifacts: folders.artifacts })
      : undefined;
  }

  /** Runs them all, and lands what is isolated in the order of the tasks. Never throws. */
  async all(limiter: Limiter): Promise<readonly TaskEnd[]> {
    const { record } = this.#run;
    const ended = record.tasks.map((_, at) => this.#one(at, limiter));
    const ends: TaskEnd[] = [];
    for (const [at, end] of ended.entries()) ends.push(await this.#land(at, await end));
    return ends;
  }

  async #one(at: number, limiter: Limiter): Promise<TaskEnd> {
    const signal = this.#run.signal(at);
    try {
      return await limiter.run((slot) => this.#work(at, slot, signal), signal);
    } catch (error) {
      if (signal.aborted) return this.#failed(at, 'Cancelled before start', true);
      return this.#failed(at, messageOf(error));
    }
  }

  async #work(at: number, slot: Slot, signal: AbortSignal): Promise<TaskEnd> {
    const { batch } = this.#run;
    const { nested } = this.#caller;
    const id = this.#id(at);
    this.#run.update(at, { status: 'running', started: this.#host.now() });
    const root = (await this.#isolated?.begin(id, signal)) ?? nested?.root ?? this.#host.root;
    if (this.#isolated) this.#run.update(at, { worktree: root });
    const model = await this.#model();
    const depth = (nested?.depth ?? 0) + 1;
    const progress = new ProgressTracker(this.#host.now, () =>
      this.#run.update(at, { progress: progress.snapshot }),
    );
    const worker = await this.#worker(id, root, depth, slot);
    const result = await runTask(
      this.#host.sessions,
      {
        ...{
          id,
          parent: this.#folders.id,
          agent: worker.agent,
          schema: batch.schema,
          depth,
          model,
          progress,
        },
        assignment: batch.tasks[at]?.assignment ?? '',
        handover: {
          context: batch.context ?? '',
          conversation: await this.#extract(),
          tree: await describeTree(root),
          isolated: this.#isolated !== undefined,
        },
        level: this.#caller.level,
        tools: restrict(
          this.#host.tools(worker),
          worker.agent.tools && [...worker.agent.tools, ...MEMORY_TOOLS],
        ),
        limits: taskSettings(this.#host.settings).limits,
      },
      signal,
    );
    return this.#handOver(id, result);
  }

  /** Writes the whole output down, and keeps what the parent is shown. */
  async #handOver(id: string, result: TaskResult): Promise<TaskEnd> {
    const { output, exitCode, status, findings, mismatch } = result;
    await writeArtifact(this.#folders.artifacts, id, output);
    const capped = capOutput(output, outputLimits(this.#host.env));
    return {
      ...{ id, agent: this.#run.batch.agent.name, exitCode, output: capped.text },
      findings: distinctFindings(findings).map(findingOf),
      status: status === 'aborted' ? 'cancelled' : status,
      aborted: status === 'aborted',
      outputMeta: { lineCount: lineCount(output), charCount: output.length },
      ...(status === 'completed' ? {} : { error: result.reason ?? result.stderr }),
      ...(mismatch === undefined ? {} : { warning: `The output does not match the schema: ${mismatch}` }),
    };
  }

  /** Brings the work of an isolated task back, or keeps it where it can be found. */
  async #land(at: number, end: TaskEnd): Promise<TaskEnd> {
    const landed = this.#isolated === undefined ? end : await this.#bringBack(at, end, this.#isolated);
    await this.#run.ended(at, landed);
    return landed;
  }

  async #bringBack(at: number, end: TaskEnd, isolated: IsolatedWork): Promise<TaskEnd> {
    const { landing: mode } = taskSettings(this.#host.settings);
    try {
      const done = await isolated.finish(this.#id(at), end.status === 'completed' && mode === 'auto');
      if (done === undefined) return end;
      const { files, worktree } = done;
      const landing: TaskLanding =
        done.landing.state === 'recoverable' && end.status === 'completed' && mode === 'review'
          ? { ...done.landing, state: 'waiting' }
          : done.landing;
      this.#run.update(at, { files, worktree });
      const isBlocked = landing.state === 'recoverable' && end.status === 'completed';
      return { ...end, landing, ...(isBlocked && { error: landing.reason ?? 'It did not land.' }) };
    } catch (error) {
      const reason = messageOf(error);
      return { ...end, error: end.error ?? reason, landing: { state: 'recoverable', reason } };
    }
  }

  async #worker(id: string, root: string, depth: number, slot: Slot): Promise<Worker> {
    const { batch } = this.#run;
    const { maxDepth } = taskSettings(this.#host.settings);
    const { tools, spawns, mayTask } = childAccess(batch.agent, depth, maxDepth);
    const { local: localDir, id: session } = this.#folders;
    await mkdir(localDir, { recursive: true, mode: 0o700 });
    const agent = { ...batch.agent, tools, spawns };
    return {
      ...{ agent, caller: this.#caller, key: `${session}:subagent:${id}`, depth, root, localDir },
      nested: mayTask ? { session, id, depth, spawns, schema: batch.schema?.source, root, slot } : undefined,
    };
  }

  /** The agent's, where the person's settings know one of its names; else the caller's; else the host's. */
  async #model(): Promise<ChatModel> {
    const { settings, chatModel } = this.#host;
    for (const role of this.#run.batch.agent.models) {
      const name = modelOfRole(settings, role);
      if (name !== undefined) return chatModel(name);
    }
    return this.#caller.model ?? chatModel();
  }

  /** The extract of the parent's conversation, also written beside its artifacts as `context.md`. */
  #extract(): Promise<string> {
    this.#conversation ??= this.#writeExtract();
    return this.#conversation;
  }

  async #writeExtract(): Promise<string> {
    if (this.#caller.nested) return '';
    const text = await this.#host.conversation(this.#folders.id);
    if (text !== '') await writeArtifact(this.#folders.artifacts, 'context', text);
    return text;
  }

  #failed(at: number, error: string, aborted = false): TaskEnd {
    const status = aborted ? 'cancelled' : 'failed';
    const agent = this.#run.batch.agent.name;
    return { id: this.#id(at), agent, exitCode: 1, output: '', aborted, error, status, findings: [] };
  }

  #id(at: number): string {
    return this.#run.record.tasks[at]?.id ?? '';
  }
}

function findingOf(finding: Finding): TaskRecord['findings'][number] {
  const { title, body, priority, confidence, file_path: file, line_start, line_end } = finding;
  return { title, body, priority, confidence, file, lineStart: line_start, lineEnd: line_end };
}
