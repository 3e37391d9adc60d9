/** The subagents of one folder's sessions: batches are checked, run, shown and stopped here. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../journal/errors.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import type { AgentDefinition } from './agentFile.ts';
import { agentNamed, type FoundAgents, findAgents } from './agents.ts';
import { type AgentContent, readAgentUrl } from './agentUrl.ts';
import { allocateArtifacts, indexArtifacts } from './artifacts.ts';
import { type BatchConditions, blockedAgent, checkBatch, type ReadyBatch, type TaskCall } from './batch.ts';
import { BatchActions } from './batchActions.ts';
import { BatchFiles } from './batchFiles.ts';
import { artifactsShownAt, type BatchRecord, isOpenTask, unsavedOf } from './batchRecord.ts';
import { BatchRun, type TaskEnd } from './batchRun.ts';
import { eraseSubagents } from './erase.ts';
import type { SessionFolders, SubagentHost, TaskCaller } from './host.ts';
import { recoverInterrupted } from './interrupted.ts';
import { IsolatedWork, isolationProblem } from './isolatedWork.ts';
import { LandingActionError } from './landingActions.ts';
import { LeftBehindActions } from './leftBehindActions.ts';
import { Limiter } from './limiter.ts';
import { mergeSummary } from './mergeSummary.ts';
import { taskSummary } from './summary.ts';
import { TaskRunner } from './taskRunner.ts';
import { isolationSettings, maxConcurrency, taskSettings } from './taskSettings.ts';

/** What a call of `task` answers. */
export interface TaskAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** Undefined when nothing was started. */
  readonly batch?: BatchRecord | undefined;
}

/** A batch that runs in this process. */
interface Started {
  readonly run: BatchRun;
  /** How each task ended, in their order. */
  readonly finished: Promise<readonly TaskEnd[]>;
}

/** Something cannot be done while subagents run. */
export class SubagentsRunning extends Error {
  override readonly name = 'SubagentsRunning';
  override readonly message =
    'Subagents still run. Cancel them, or wait until they have ended, then try again.';
}

export class Subagents {
  readonly #host: SubagentHost;
  readonly #files: BatchFiles;
  readonly #runs = new Map<string, Started>();
  /** What a person does with batches. */
  readonly actions: BatchActions;
  /** What a person does with work that no batch knows of. */
  readonly left: LeftBehindActions;
  #recovered: Promise<void> | undefined;
  #isClosed = false;
  readonly #limiters = new Map<string, Limiter>();
  readonly #listeners = new Set<() => void>();

  constructor(host: SubagentHost) {
    this.#host = host;
    const { root, storeDir } = host;
    this.#files = new BatchFiles(join(storeDir, 'batches'), host.now);
    this.actions = new BatchActions({
      ...{ root, storeDir, files: this.#files, list: () => this.list() },
      changed: () => this.#changed(),
    });
    this.left = new LeftBehindActions({
      ...{ root, list: () => this.list(), changed: () => this.#changed() },
      merge: () => isolationSettings(host.settings).merge,
      trusted: () => host.trusted(),
    });
  }

  /** Called when a batch changed, at most some ten times a second. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The agents there are now, and the files that describe none. */
  agents(): Promise<FoundAgents> {
    const { root, home, trusted } = this.#host;
    return findAgents({ root, home, trusted: trusted() });
  }

  /** All batches of this folder, of other processes too, the latest first. */
  async list(): Promise<readonly BatchRecord[]> {
    await this.#recover();
    return this.#files.list(new Map([...this.#runs].map(([id, { run }]) => [id, run.record])));
  }

  /**
   * Runs a batch, or starts it in the background. All that is wrong with a call is answered before anything begins.
   * @param signal cancels the tasks of a batch that is waited for
   */
  async task(call: TaskCall, caller: TaskCaller, signal: AbortSignal): Promise<TaskAnswer> {
    const started = await this.#start(call, caller);
    if (typeof started === 'string') return { text: started, isError: true };
    const { run, finished } = started;
    const { background, isolated } = run.batch;
    if (background) return { text: startedText(run.record), isError: false, batch: run.record };
    const since = this.#host.now();
    const cancel = () => void run.cancel();
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel);
    try {
      const ends = await finished;
      const durationMs = this.#host.now() - since;
      const merge = isolated ? mergeSummary(run.record) : undefined;
      return { text: taskSummary(ends, { durationMs, merge }), isError: false, batch: run.record };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /**
   * Runs the tasks of a batch again which did not complete, or one of them, for a person, as a new batch.
   * @param caller of that batch's session
   * @returns how many run, and their end.
   * @throws LandingActionError when there is nothing to run again, or it cannot be started any more.
   */
  async retry(
    batch: string,
    task: string | undefined,
    caller: Pick<TaskCaller, 'approve'> & { key: string; kind: TaskCaller['kind']; source: string },
  ): Promise<{ count: number; done: Promise<unknown> }> {
    const { call, record } = await this.actions.again(batch, task);
    const started = await this.#start(call, { ...caller, level: record.level });
    if (typeof started === 'string') throw new LandingActionError(started);
    return { count: call.tasks.length, done: started.finished };
  }

  /** The highest level of what is written down of subagents in this folder. */
  get defaultLevel(): Level {
    return this.#host.defaultLevel;
  }

  /** Stops a task, or a whole batch. Answers how many were stopped; 0 also for those of other processes. */
  cancel(batch: string, task?: string): number {
    return this.#runs.get(batch)?.run.cancel(task) ?? 0;
  }

  /**
   * Deletes what all batches of this folder left behind.
   * @throws SubagentsRunning while any of them runs, in this process or another.
   */
  async erase(): Promise<void> {
    const batches = await this.list();
    if (batches.some(({ tasks }) => tasks.some(isOpenTask))) throw new SubagentsRunning();
    const { root, storeDir, trusted } = this.#host;
    await eraseSubagents(root, storeDir, batches, trusted());
    // Also those that found no place on the disk, which would be written later.
    for (const { id } of batches) await this.#files.remove(id);
    this.#changed();
  }

  /** Stops everything and waits until it is written down; it counts as interrupted. Nothing is started after it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { run } of this.#runs.values()) run.interrupt();
    await Promise.allSettled([...this.#runs.values()].map(({ finished }) => finished));
    this.#listeners.clear();
  }

  /** Id of the session at the top of a caller, which is started where it is new. */
  async sessionOf({ nested, key, kind, source, level }: TaskCaller): Promise<string> {
    return nested?.session ?? (await this.#host.start({ key, kind, source, level }));
  }

  /**
   * Reads what an `agent://` address names, among the artifacts of the caller's session that are not above the caller: a
   * subagent may stand below those beside it. Of one that no batch knows any more, the level may be any that there is.
   * @throws ArtifactError
   */
  async read(address: string, caller: TaskCaller): Promise<AgentContent> {
    const { id, artifacts } = await this.#folders(caller);
    // What was saved is read whatever became of the records.
    const batches = await this.list().catch(() => []);
    const shows = artifactsShownAt(caller.level, id, batches, this.#host.defaultLevel);
    const unsaved = unsavedOf(id, batches);
    return readAgentUrl(address, await indexArtifacts({ own: artifacts, shows, unsaved }));
  }

  /** Starts the tasks of a call, or says why not. */
  async #start(call: TaskCall, caller: TaskCaller): Promise<Started | string> {
    const { defaultLevel, log } = this.#host;
    if (!canFlowTo(caller.level, defaultLevel)) return aboveDefault(caller.level, defaultLevel);
    const { agents } = await this.agents();
    const checked = checkBatch(call, await this.#conditions(call, caller, agents));
    if (!checked.ok) return checked.text;
    await this.#recover();
    const { batch } = checked;
    const folders = await this.#folders(caller);
    const isolated = batch.isolated ? this.#isolatedWork(caller, folders) : undefined;
    const problem = await isolated?.prepare();
    if (problem !== undefined) return `Isolated tasks cannot start. ${problem}`;
    const run = await this.#begin(batch, call.schema ?? '', caller, folders);
    if (this.#isClosed) run.interrupt();
    const runner = new TaskRunner(this.#host, run, caller, folders, isolated);
    const finished = this.#run(run, runner, caller).finally(() => {
      this.#runs.delete(run.id);
      this.#changed();
    });
    // Whoever waits is told; in the background nobody does.
    finished.catch((error: unknown) => log.error(messageOf(error)));
    const started = { run, finished };
    this.#runs.set(run.id, started);
    return started;
  }

  /** Once, and only where git may be run: what processes left behind that died. */
  #recover(): Promise<void> {
    const { root, storeDir, log, trusted } = this.#host;
    if (!trusted()) return Promise.resolve();
    this.#recovered ??= recoverInterrupted({ root, storeDir, files: this.#files, log }).then((isDone) => {
      if (!isDone) this.#recovered = undefined;
    });
    return this.#recovered;
  }

  async #conditions(
    call: TaskCall,
    { nested }: TaskCaller,
    agents: readonly AgentDefinition[],
  ): Promise<BatchConditions> {
    const { settings, env, root } = this.#host;
    const { mode, disabled, maxDepth, background, isolation } = taskSettings(settings);
    const asked = isolation && call.isolated === true && agentNamed(agents, call.agent) !== undefined;
    return {
      ...{ mode, isolation, agents, disabled, maxDepth },
      gitProblem: asked ? await isolationProblem(nested?.root ?? root) : undefined,
      blocked: blockedAgent(env),
      depth: nested?.depth ?? 0,
      spawns: nested?.spawns ?? '*',
      parentSchema: nested?.schema,
      // A subagent must have its own subagents' answers before it hands over.
      background: background && nested === undefined,
    };
  }

  async #folders(caller: TaskCaller): Promise<SessionFolders> {
    return this.#host.folders(await this.sessionOf(caller));
  }

  async #begin(
    batch: ReadyBatch,
    schemaText: string,
    { level, nested, call }: TaskCaller,
    { id: session, artifacts }: SessionFolders,
  ): Promise<BatchRun> {
    const names = batch.tasks.map(({ id }) => id);
    const ids = await allocateArtifacts(artifacts, names, nested?.id);
    const { now, log } = this.#host;
    const run = new BatchRun({
      ...{ id: `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`, session, batch, schemaText },
      ...{ ids, level, call, files: this.#files, now: () => now() },
      changed: () => this.#changed(),
      warn: (message) => log.warn(message),
    });
    await run.settle();
    return run;
  }

  #isolatedWork({ nested }: TaskCaller, { id: session, artifacts }: SessionFolders): IsolatedWork {
    const { root, settings } = this.#host;
    const from = { root: nested?.root ?? root, session, artifacts };
    return new IsolatedWork({ ...from, settings: isolationSettings(settings) });
  }

  /** Runs the tasks of a batch, a bounded number at once, and answers how each ended, in their order. */
  async #run(run: BatchRun, runner: TaskRunner, caller: TaskCaller): Promise<readonly TaskEnd[]> {
    const limiter = this.#limiter(run.record.session);
    const all = () => runner.all(limiter);
    const ends = await (caller.nested ? caller.nested.slot.lend(all) : all());
    await run.settle();
    return ends;
  }

  /** Of one session: all its batches and theirs share it. */
  #limiter(session: string): Limiter {
    const known = this.#limiters.get(session);
    if (known) return known;
    const limiter = new Limiter(() => maxConcurrency(this.#host.settings));
    this.#limiters.set(session, limiter);
    return limiter;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function startedText({ tasks, agent }: BatchRecord): string {
  const ids = tasks.map(({ id }) => id).join(', ');
  return `Started ${tasks.length} background task job(s) using ${agent}: ${ids}. They go on by themselves. Use job with action "wait" to wait until they are complete, then read their outputs with action "read" and agent://<id>; "list" to look, "cancel" to stop one.`;
}

/** What subagents are told and hand over lies in plain files, which hold nothing that other levels are sealed for. */
function aboveDefault(level: Level, most: Level): string {
  return `This chat is at ${level}, and subagents keep what they are told and what they hand over in plain files, which may hold ${most} at most in this folder. Nothing was started. Do the work yourself, or start them from a chat that has seen nothing above ${most}.`;
}
