/** Sessions that others spawn: a child is accepted at once, runs, and what came of it is announced (seed 003). */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { messageOf } from '../journal/errors.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import { noteAttached } from '../session/attachedFolders.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { RunRecord } from '../session/record.ts';
import { Limiter } from '../subagent/limiter.ts';
import { WorkspaceError } from '../subagent/workspace/tool.ts';
import type { SessionCaller } from '../worker/sessionApi.ts';
import {
  AttachmentError,
  type AttachmentReceipt,
  checkAttachments,
  removeAttachments,
  stageAttachments,
} from './attachments.ts';
import { ChildRun } from './childRun.ts';
import { maxChildren, maxConcurrent } from './childSettings.ts';
import type { MessagingHost } from './host.ts';
import { Postponed } from './postponed.ts';
import type { SpawnRefusal, SpawnRequest } from './spawnInput.ts';
import { asRequest, attachmentsOf, type ChildTask, childRow } from './spawnRun.ts';

/** An agent's id stands in keys, where colons separate. */
const AGENT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Who spawns, and may (see `SessionAccess.maySpawn`). */
export interface SpawnCaller {
  /** Canonical key. */
  readonly key: string;
  /** The agent that the child runs under. */
  readonly agentId: string;
  /** The caller's. */
  readonly channel: string;
  readonly level: Level;
  /** Id of the call, where a loop of ours makes it. */
  readonly call?: string | undefined;
  /** The session that the announcement goes to; undefined for a person without a chat. */
  readonly session: SessionCaller | undefined;
  /** The caller's model, which the child has unless it or its agent names another. */
  readonly model?: ChatModel | undefined;
}

export interface SpawnAccepted {
  readonly status: 'accepted';
  readonly runId: string;
  readonly childSessionKey: string;
  readonly mode: 'run' | 'session';
  /** As the model names itself. */
  readonly model: string;
  readonly modelApplied?: true;
  readonly note: string;
  readonly attachments?: AttachmentReceipt;
}

export type SpawnAnswer = SpawnAccepted | SpawnRefusal;

export class Children {
  readonly #host: MessagingHost;
  /** By the level of who asked: what works above takes no place from those below, who would see that they wait. */
  readonly #limiters: Readonly<Record<Level, Limiter>>;
  readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #changed: () => void;
  #spawning: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param changed told when a run has come on; must not throw */
  constructor(host: MessagingHost, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
    const limiter = (): Limiter => new Limiter(() => maxConcurrent(host.settings));
    this.#limiters = {
      PUBLIC: limiter(),
      INTERNAL: limiter(),
      CONFIDENTIAL: limiter(),
      RESTRICTED: limiter(),
    };
  }

  /** Starts a child, or says why not; its work goes on after this. */
  async spawn(request: SpawnRequest, caller: SpawnCaller): Promise<SpawnAnswer> {
    if (!AGENT_ID.test(caller.agentId))
      return refused(
        'agentId has at most 64 letters, digits, _ and -. agents_list shows the agents that there are.',
      );
    // One after another: between the look at those that run and the new one's start nobody else gets in.
    const spawned = this.#spawning.then(() => this.#spawn(request, caller));
    this.#spawning = spawned.catch(() => {});
    return spawned;
  }

  /**
   * Goes on with a run that this process holds, a new one or one that another process left. Never rejects.
   * @param model the one to use, where the run has just been asked for
   */
  go(run: RunRecord, model?: ChatModel): Promise<void> {
    const known = this.#running.get(run.id);
    if (known !== undefined) return known.done;
    const stop = new AbortController();
    const child = new ChildRun(this.#host, run, {
      ...{ signal: stop.signal, isClosing: () => this.#isClosed, model },
      saved: () => this.#changed(),
    });
    const done = this.#carry(child, run).finally(() => {
      this.#running.delete(run.id);
      this.#changed();
    });
    this.#running.set(run.id, { stop, done });
    if (this.#isClosed) stop.abort();
    return done;
  }

  /** Stops a child's run; false when it does not run in this process. */
  cancel(runId: string): boolean {
    const running = this.#running.get(runId);
    running?.stop.abort();
    return running !== undefined;
  }

  /** Resolves when nothing runs here any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Stops everything; another process tells what became of it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  async #carry(child: ChildRun, { id, level }: RunRecord): Promise<void> {
    const { sessions, log } = this.#host;
    try {
      await child.carry(this.#limiters[level]);
    } catch (error) {
      // It stays in the outbox: whoever takes it next goes on where this broke off.
      if (!(error instanceof Postponed))
        log.warn(`The run ${id} of a spawned session is not finished: ${messageOf(error)}`);
      await sessions.runRelease(id).catch(() => {});
    }
  }

  async #spawn(request: SpawnRequest, caller: SpawnCaller): Promise<SpawnAnswer> {
    const { sessions, settings } = this.#host;
    const most = maxChildren(settings);
    const active = await this.#activeChildren(caller);
    if (caller.session !== undefined && active >= most)
      return forbidden(
        `sessions_spawn has reached max active children for this session (${active}/${most}). Wait for one of them with job, or cancel one.`,
      );
    const run = this.#record(request, caller);
    let model: ChatModel;
    let receipt: AttachmentReceipt | undefined;
    const attachmentId = randomUUID();
    try {
      model = await this.#model(run, request, caller);
      receipt = await this.#staged(attachmentId, request, caller);
    } catch (error) {
      return refused(messageOf(error));
    }
    try {
      // The announcement needs a transcript to go to.
      if (caller.session !== undefined) await sessions.sessionStart(caller.session);
      const task: ChildTask = {
        ...taskOf(request, caller),
        model: { name: model.name, isChosen: request.model !== undefined },
        ...(receipt && { attachments: attachmentsOf(attachmentId, receipt) }),
      };
      const put = await sessions.runPut({ ...run, request: asRequest(task) });
      void this.go(put.run, model);
    } catch (error) {
      if (receipt !== undefined) await removeAttachments(this.#host.root, attachmentId).catch(() => {});
      throw error;
    }
    return {
      ...{ status: 'accepted', runId: run.id, childSessionKey: run.target, mode: request.mode },
      ...{ model: model.name, ...(request.model !== undefined && { modelApplied: true as const }) },
      note: NOTES[request.mode],
      ...(receipt && { attachments: receipt }),
    };
  }

  /** Another session may have the same canonical key: what that one started above this level does not count. */
  async #activeChildren({ key: requester, level }: SpawnCaller): Promise<number> {
    const runs = await this.#host.sessions.runs({ level });
    return runs.filter(
      ({ run }) => run.kind === 'spawn' && run.requester === requester && run.outcome === undefined,
    ).length;
  }

  #record(request: SpawnRequest, caller: SpawnCaller): RunRecord {
    return {
      ...{ id: randomUUID(), kind: 'spawn', level: caller.level, created: this.#host.now() },
      ...{ requester: caller.key, target: `agent:${caller.agentId}:subagent:${randomUUID()}` },
      ...(caller.call !== undefined && { call: caller.call }),
      request: asRequest(taskOf(request, caller)),
    };
  }

  /** The model that was asked for and no other; else the agent's, the caller's, or the host's. @throws ModelError */
  async #model(run: RunRecord, request: SpawnRequest, caller: SpawnCaller): Promise<ChatModel> {
    const { model, ...task } = taskOf(request, caller);
    if (model !== undefined) return this.#host.chatModel(model.name);
    const row = childRow(run, task);
    return (await this.#host.loopAgent(row, { runId: run.id, hops: 1 }, caller.model)).model();
  }

  /** @throws AttachmentError, WorkspaceError; what the file system says. */
  async #staged(
    id: string,
    { attachments }: SpawnRequest,
    { level }: SpawnCaller,
  ): Promise<AttachmentReceipt | undefined> {
    if (attachments.length === 0) return undefined;
    const { root, storeDir, defaultLevel } = this.#host;
    if (!canFlowTo(level, defaultLevel))
      throw new AttachmentError(
        `This chat is at ${level}, and attachments lie in plain files, which hold ${defaultLevel} at most in this folder. Put what the child needs into task.`,
      );
    const checked = checkAttachments(attachments);
    try {
      noteAttached(storeDir, realpathSync.native(root));
      return await stageAttachments(root, id, checked);
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      throw new AttachmentError(
        'attachments cannot be laid down: a link or a file stands in the place of .lodeline/attachments. Ask the person to remove it.',
      );
    }
  }
}

const NOTES = {
  run: 'The child works on its own and its result is announced in this session when it ends: do not poll, go on with something else. To wait for it or stop it use job with this runId.',
  session:
    'The child works on its own, its first result is announced in this session, and it stays open: write to it with sessions_send.',
} as const;

function taskOf(request: SpawnRequest, caller: SpawnCaller): ChildTask {
  const { task, label, model, runTimeoutSeconds, mode, cleanup, thread } = request;
  const { session, channel, agentId } = caller;
  return {
    ...{ task, agentId, runTimeoutSeconds, mode, cleanup, thread },
    ...(label !== undefined && { label }),
    ...(model !== undefined && { model: { name: model, isChosen: true } }),
    ...(session && { requester: { key: session.key, kind: session.kind, channel } }),
  };
}

function refused(error: string): SpawnRefusal {
  return { status: 'error', error };
}

function forbidden(error: string): SpawnRefusal {
  return { status: 'forbidden', error };
}
