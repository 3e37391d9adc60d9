/** Takes the tasks of a batch from their start to their end: a place, a workspace, a model, the loop, the landing. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../journal/errors.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import type { ChatModel } from '../session/chatModel.ts';
import { compactorFor } from '../session/compaction/choose.ts';
import type { Compactor } from '../session/compactor.ts';
import { foldingOf } from '../session/folding/folding.ts';
import { restrict } from '../session/turnCalls.ts';
import { writeArtifact } from './artifacts.ts';
import { childAccess } from './batch.ts';
import { NO_PROGRESS, type TaskLanding, type TaskProgress, type TaskRecord } from './batchRecord.ts';
import type { BatchRun, TaskEnd } from './batchRun.ts';
import { distinctFindings, type Finding } from './findings.ts';
import type { SessionFolders, SubagentHost, TaskCaller, Worker } from './host.ts';
import type { IsolatedWork } from './isolatedWork.ts';
import type { Limiter, Slot } from './limiter.ts';
import { capOutput, lineCount, notSaved, outputLimits } from './output.ts';
import { ProgressTracker } from './progress.ts';
import { CONTEXT_FILE } from './prompt.ts';
import { replaceFile } from './replaceFile.ts';
import { runTask, type TaskResult } from './runner.ts';
import { modelOfRole, taskSettings } from './taskSettings.ts';
import { clipped } from './text.ts';
import { describeTree } from './tree.ts';

/** Every subagent may look up what the project remembers. */
const MEMORY_TOOLS = ['memory_recall', 'memory_search'];
/** Longest text of a finding in the record, which is read again at every change. */
const FINDING = 2_000;

export class TaskRunner {
  readonly #host: SubagentHost;
  readonly #run: BatchRun;
  readonly #caller: TaskCaller;
  readonly #folders: SessionFolders;
  readonly #isolated: IsolatedWork | undefined;
  #conversation: Promise<string> | undefined;
  #tree: Promise<string> | undefined;

  /** @param isolated where its tasks work, if they work apart */
  constructor(
    host: SubagentHost,
    run: BatchRun,
    caller: TaskCaller,
    folders: SessionFolders,
    isolated: IsolatedWork | undefined,
  ) {
    this.#host = host;
    this.#run = run;
    this.#caller = caller;
    this.#folders = folders;
    this.#isolated = isolated;
  }

  /** Runs them all, and lands what is isolated in the order of the tasks. Never throws. */
  async all(limiter: Limiter): Promise<readonly TaskEnd[]> {
    const { record } = this.#run;
    const ended = record.tasks.map((_, at) => this.#one(at, limiter));
    const isolated = this.#isolated;
    if (isolated === undefined) return Promise.all(ended);
    const ends: TaskEnd[] = [];
    for (const [at, end] of ended.entries()) {
      const landed = await this.#bringBack(at, await end, isolated);
      await this.#run.ended(at, landed);
      ends.push(landed);
    }
    await isolated.close().catch(() => {});
    return ends;
  }

  /** A task's own end, which is its whole end where nothing is to land. */
  async #one(at: number, limiter: Limiter): Promise<TaskEnd> {
    const end = await this.#worked(at, limiter);
    if (this.#isolated === undefined) await this.#run.ended(at, end);
    return end;
  }

  async #worked(at: number, limiter: Limiter): Promise<TaskEnd> {
    const signal = this.#run.signal(at);
    try {
      const result = await limiter.run((slot) => this.#work(at, slot, signal), signal);
      return await this.#handOver(at, result);
    } catch (error) {
      if (signal.aborted) return this.#failed(at, 'Cancelled before start', true);
      return this.#failed(at, messageOf(error));
    }
  }

  async #work(at: number, slot: Slot, signal: AbortSignal): Promise<TaskResult> {
    const { batch } = this.#run;
    const { nested } = this.#caller;
    const id = this.#id(at);
    this.#run.update(at, { status: 'running', started: this.#host.now() });
    const place = await this.#isolated?.begin(id, signal);
    if (place) this.#run.update(at, { worktree: place.worktree });
    const root = place?.folder ?? nested?.root ?? this.#host.root;
    const model = await this.#model();
    const depth = (nested?.depth ?? 0) + 1;
    const progress = new ProgressTracker(this.#host.now, () =>
      this.#run.progressed(at, () => this.#shown(at, progress.snapshot)),
    );
    const worker = await this.#worker(id, root, depth, slot, model);
    return runTask(
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
          tree: await this.#layout(root),
          isolated: this.#isolated !== undefined,
        },
        level: this.#caller.level,
        tools: restrict(
          this.#host.tools(worker),
          worker.agent.tools && [...worker.agent.tools, ...MEMORY_TOOLS, ...(worker.nested ? ['job'] : [])],
        ),
        limits: taskSettings(this.#host.settings).limits,
        compactor: this.#compactor(id),
      },
      signal,
    );
  }

  #compactor(id: string): Compactor | undefined {
    const { settings, folds } = this.#host;
    const key = this.#key(id);
    const place = { key, agent: { id, parent: this.#folders.id } };
    return compactorFor({ settings, key, ...(folds && foldingOf(folds, place, settings)) });
  }

  /** Progress as the record keeps it, which lies in a plain file. */
  #shown(at: number, progress: TaskProgress): TaskProgress {
    const { level: start } = this.#caller;
    const level = this.#host.levelOf({ key: this.#key(this.#id(at)), start });
    this.#run.rise(at, level);
    return canFlowTo(level, this.#host.defaultLevel)
      ? progress
      : { ...NO_PROGRESS, tools: progress.tools, tokens: progress.tokens };
  }

  /** Writes the whole output down, and keeps what the parent is shown; neither where plain files may not hold it. */
  async #handOver(at: number, whole: TaskResult): Promise<TaskEnd> {
    const { defaultLevel } = this.#host;
    const id = this.#id(at);
    const level = await this.#host.handsOver({ key: this.#key(id) }, this.#caller);
    const isKept = canFlowTo(level, defaultLevel);
    this.#run.rise(at, level);
    const result = isKept ? whole : keptBack(whole, level, defaultLevel);
    const { output, exitCode, status, findings, mismatch } = result;
    const capped = capOutput(output, outputLimits(this.#host.env));
    const problem = await this.#written(id, output);
    const warnings = [
      ...(mismatch === undefined ? [] : [`The output does not match the schema: ${mismatch}`]),
      ...(problem === undefined ? [] : [notSaved(id, problem)]),
    ];
    return {
      ...{ id, agent: this.#run.batch.agent.name, exitCode, output: capped.text },
      findings: distinctFindings(findings).map(findingOf),
      status: status === 'aborted' ? 'cancelled' : status,
      aborted: status === 'aborted',
      outputMeta: { lineCount: lineCount(output), charCount: output.length },
      ...(status === 'completed' ? {} : { error: result.reason ?? result.stderr }),
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
      ...(problem !== undefined && { unsaved: output.toWellFormed() }),
    };
  }

  /** Keeps the whole output. Answers why it cannot be kept: the work is done all the same. */
  async #written(id: string, output: string): Promise<string | undefined> {
    try {
      await writeArtifact(this.#folders.artifacts, id, output);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Brings the work of an isolated task back, or keeps it where it can be found. */
  async #bringBack(at: number, end: TaskEnd, isolated: IsolatedWork): Promise<TaskEnd> {
    const { landing: mode } = taskSettings(this.#host.settings);
    const isStopped = this.#run.signal(at).aborted && end.status === 'completed';
    const land = end.status === 'completed' && mode === 'auto' && !isStopped;
    try {
      const reason = isStopped ? 'Cancelled before it landed.' : undefined;
      const description = this.#run.record.tasks[at]?.description;
      const done = await isolated.finish(this.#id(at), land, reason, description);
      if (done === undefined) return end;
      const { files, worktree, notice } = done;
      const landing: TaskLanding =
        done.landing.state === 'recoverable' && end.status === 'completed' && mode === 'review'
          ? { ...done.landing, state: 'waiting' }
          : done.landing;
      this.#run.update(at, { files, worktree });
      const isBlocked = landing.state === 'recoverable' && end.status === 'completed';
      const warning = [end.warning, notice].filter((one) => one !== undefined).join(' ') || undefined;
      return { ...end, landing, warning, ...(isBlocked && { error: landing.reason ?? 'It did not land.' }) };
    } catch (error) {
      const reason = messageOf(error);
      return { ...end, error: end.error ?? reason, landing: { state: 'recoverable', reason } };
    }
  }

  async #worker(id: string, root: string, depth: number, slot: Slot, model: ChatModel): Promise<Worker> {
    const { batch } = this.#run;
    const { maxDepth } = taskSettings(this.#host.settings);
    const { tools, spawns, mayTask } = childAccess(batch.agent, depth, maxDepth);
    const { local: localDir, id: session } = this.#folders;
    const key = this.#key(id);
    await mkdir(localDir, { recursive: true, mode: 0o700 });
    const agent = { ...batch.agent, tools, spawns };
    // What it starts itself has its model.
    const caller = { ...this.#caller, model };
    return {
      ...{ id, agent, caller, key, depth, root, localDir },
      nested: mayTask ? { session, id, depth, spawns, schema: batch.schema?.source, root, slot } : undefined,
    };
  }

  /** The agent's, where the person's settings know one of its names and it is there; else the caller's or host's. */
  async #model(): Promise<ChatModel> {
    const { settings, chatModel, log } = this.#host;
    const { name: agent, models } = this.#run.batch.agent;
    for (const role of models) {
      const name = modelOfRole(settings, role);
      if (name === undefined) continue;
      try {
        return await chatModel(name);
      } catch (error) {
        log.warn(`The agent ${agent} goes on without its model ${name}: ${messageOf(error)}`);
      }
    }
    return this.#caller.model ?? chatModel();
  }

  /** The layout that all tasks of the batch start from. */
  #layout(root: string): Promise<string> {
    const { level } = this.#caller;
    this.#tree ??= describeTree(root, (path) => this.#host.hides?.(path, { level, folder: root }) ?? false);
    return this.#tree;
  }

  /** The extract of the parent's conversation, which its subagents also find as local://context.md. */
  #extract(): Promise<string> {
    this.#conversation ??= this.#writeExtract();
    return this.#conversation;
  }

  async #writeExtract(): Promise<string> {
    if (this.#caller.nested) return '';
    const { id, local } = this.#folders;
    const text = await this.#host.conversation(id);
    if (text === '') return '';
    try {
      await this.#host.notes(id, this.#caller);
      await replaceFile(join(local, CONTEXT_FILE), text.toWellFormed(), false);
    } catch (error) {
      this.#host.log.warn(`${CONTEXT_FILE} could not be written: ${messageOf(error)}`);
    }
    return text;
  }

  #failed(at: number, error: string, aborted = false): TaskEnd {
    const status = aborted ? 'cancelled' : 'failed';
    const agent = this.#run.batch.agent.name;
    return { id: this.#id(at), agent, exitCode: 1, output: '', aborted, error, status, findings: [] };
  }

  /** Of a subagent's own session. */
  #key(id: string): string {
    return `${this.#folders.id}:subagent:${id}`;
  }

  #id(at: number): string {
    return this.#run.record.tasks[at]?.id ?? '';
  }
}

/** Outputs and records lie in plain files; what was said is in the subagent's own transcript, which is sealed. */
function keptBack(result: TaskResult, level: Level, most: Level): TaskResult {
  const text = `The subagent came to ${level} by what it read, and outputs lie in plain files, which may hold ${most} at most in this folder. What it found is in its own session alone.`;
  const failed = result.status === 'completed' ? {} : { reason: text, stderr: text };
  return { ...result, output: text, findings: [], mismatch: undefined, ...failed };
}

/** As the record keeps it; the whole is part of the output. */
function findingOf(finding: Finding): TaskRecord['findings'][number] {
  const { title, body, priority, confidence, file_path: file, line_start, line_end } = finding;
  const texts = { title: clipped(title, FINDING), body: clipped(body, FINDING) };
  return { ...texts, priority, confidence, file, lineStart: line_start, lineEnd: line_end };
}
