/** One run of a child, from its task to the announcement, wherever it broke off before. */
import { join } from 'node:path';
import { messageOf } from '../journal/errors.ts';
import { canFlowTo, type Level, maxLevel } from '../policy/level.ts';
import type { ChatModel } from '../session/chatModel.ts';
import { textMessage } from '../session/messages.ts';
import { transcriptFile } from '../session/place.ts';
import type { InterSession, RunOutcome, RunRecord } from '../session/record.ts';
import { idOf } from '../session/sessionId.ts';
import type { Limiter } from '../subagent/limiter.ts';
import type { TurnOwner } from '../worker/sessionApi.ts';
import { announcement, resultOf } from './announce.ts';
import { removeAttachments } from './attachments.ts';
import { nothingDone, REPORTED, STOPPED, said, statusOf, staysInChild, timeLimit } from './childOutcome.ts';
import type { MessageEvent } from './event.ts';
import type { LoopAgent, MessagingHost } from './host.ts';
import { derivedId } from './ids.ts';
import { messageText } from './messageText.ts';
import { GIVE_UP_MS, Postponed } from './postponed.ts';
import { ANYBODY } from './requester.ts';
import {
  ANNOUNCE_SKIP,
  announcePrompt,
  CHILD_ADVICE,
  type ChildTask,
  childRow,
  childTaskOf,
  SCHEDULE_ADVICE,
  TASK_ADVICE,
  taskText,
} from './spawnRun.ts';
import { runStep, type StepEnd } from './step.ts';

/** The announce step has so long (seed 003's reference: at most 60 s a step). */
const ANNOUNCE_MS = 60_000;

export interface ChildRunOptions {
  /** Fires when the run is cancelled, or this process ends. */
  readonly signal: AbortSignal;
  /** This process ends: what is left is another's to do. */
  isClosing(): boolean;
  readonly model: ChatModel | undefined;
  /** Told when the run has come on. */
  saved(): void;
}

/** What the child is asked. */
interface Asked {
  readonly text: string;
  readonly advice: string;
  readonly agent: LoopAgent;
  readonly signal: AbortSignal;
}

/** The main part of a run, as it ended. */
interface Main {
  readonly end: StepEnd;
  readonly outcome: RunOutcome;
}

export class ChildRun {
  readonly #host: MessagingHost;
  readonly #options: ChildRunOptions;
  #run: RunRecord;
  #modelName: string | undefined;

  constructor(host: MessagingHost, run: RunRecord, options: ChildRunOptions) {
    this.#host = host;
    this.#run = run;
    this.#options = options;
  }

  /**
   * Does what is left of the run.
   * @throws when it cannot be finished now; then it is as far as the outbox and the transcripts say.
   */
  async carry(limiter: Limiter): Promise<void> {
    const task = childTaskOf(this.#run);
    if (task === undefined) {
      await this.#save({ outcome: this.#outcome('error', UNREADABLE), ended: this.#host.now() });
      return;
    }
    const { notes, main } = await this.#inTurn(limiter, task);
    if (notes !== ANNOUNCE_SKIP) await this.#announce(task, main, notes);
    // Not in the middle of a turn, which would keep the chat from going on with the session.
    if (task.thread && this.#options.model !== undefined) await this.#open();
    await this.#tidy(task);
    await this.#save({ ended: this.#host.now() });
  }

  /** The work and the child's notes on it, when there is a place among those that run. */
  async #inTurn(
    limiter: Limiter,
    task: ChildTask,
  ): Promise<{ readonly main: Main; readonly notes: string | undefined }> {
    const { signal } = this.#options;
    const work = async () => {
      const main = await this.#work(task);
      if (this.#run.outcome === undefined) await this.#save({ outcome: main.outcome });
      const wantsNotes = main.outcome.status === 'ok' && task.requester !== undefined;
      return { main, notes: wantsNotes ? await this.#notes(task, main.end) : undefined };
    };
    try {
      return await limiter.run(work, signal);
    } catch (error) {
      if (!signal.aborted || this.#options.isClosing()) throw error;
      // Cancelled while it waited for a place.
      const outcome = this.#run.outcome ?? this.#outcome('cancelled', STOPPED);
      if (this.#run.outcome === undefined) await this.#save({ outcome });
      return { main: { end: nothingDone(this.#run), outcome }, notes: undefined };
    }
  }

  async #work(task: ChildTask): Promise<Main> {
    const { runTimeoutSeconds } = task;
    const { outcome: known } = this.#run;
    const bound = timeLimit(runTimeoutSeconds);
    const signals = [this.#options.signal, ...(bound ? [bound] : [])];
    const end = await this.#step(task, this.#run.id, {
      text: taskText(task),
      advice: this.#run.kind === 'cron' ? SCHEDULE_ADVICE : TASK_ADVICE,
      agent: await this.#agent(task),
      // What has an outcome is over: only what became of it is looked up.
      signal: known === undefined ? AbortSignal.any(signals) : AbortSignal.abort(),
    });
    if (this.#options.isClosing() && end.state !== 'done') throw new Postponed('This process ends.');
    const isYoung = this.#host.now() - this.#run.created < GIVE_UP_MS;
    // Another process may have the model that this one lacks.
    if (end.state === 'failed' && !end.hasBegun && this.#options.model === undefined && isYoung)
      throw new Postponed(end.error);
    return { end, outcome: known ?? this.#outcomeOf(end, bound?.aborted === true, runTimeoutSeconds) };
  }

  #outcomeOf(end: StepEnd, isLate: boolean, runTimeoutSeconds: number): RunOutcome {
    const isCancelled = this.#options.signal.aborted;
    const { status, text } = statusOf(end, { isCancelled, isLate, runTimeoutSeconds });
    return this.#outcome(status, status === 'ok' ? resultOf(said(end)) : text, end);
  }

  /** What the child adds to its result; undefined where it cannot be asked: the announcement goes out without. */
  async #notes(task: ChildTask, main: StepEnd): Promise<string | undefined> {
    const { tools: _, ...agent } = await this.#agent(task);
    const end = await this.#step(task, derivedId(this.#run.id, 'notes'), {
      text: announcePrompt(resultOf(said(main))),
      advice: '',
      agent: { ...agent, tools: NO_TOOLS, maxSteps: 1 },
      signal: AbortSignal.any([this.#options.signal, AbortSignal.timeout(ANNOUNCE_MS)]),
    });
    if (this.#options.isClosing() && end.state !== 'done') throw new Postponed('This process ends.');
    // The session may have risen since it ended its task, to which its result belongs.
    return end.state === 'done' && canFlowTo(end.level, main.level) ? end.reply.trim() : undefined;
  }

  #step(task: ChildTask, id: string, { text, advice, agent, signal }: Asked): Promise<StepEnd> {
    const { target } = this.#run;
    const provenance = this.#provenance(task);
    return runStep(this.#host, {
      ...{ id, owner: this.#owner(task), session: idOf(target), agent, signal, provenance },
      text: messageText(provenance, text, advice),
    });
  }

  #owner(task: ChildTask): TurnOwner {
    const { id: runId, target: key, level, requester: spawnedBy } = this.#run;
    const { agentId, label, mode, cleanup, requester } = task;
    const spawn = { agentId, spawnedBy, mode, cleanup, runId, ...(label !== undefined && { label }) };
    return {
      ...{ key, kind: 'spawned', source: agentId, level, title: label ?? task.task },
      // What the schedule starts is a session of its own, however often it runs.
      ...(spawnedBy !== key && {
        born: { spawn, ...(requester && { parent: idOf(requester.key) }), depth: 1 },
      }),
    };
  }

  async #agent(task: ChildTask): Promise<LoopAgent> {
    const { model } = this.#options;
    const { model: named } = task;
    const agent = await this.#host.loopAgent(childRow(this.#run, task), { runId: this.#run.id, hops: 1 });
    // Never silently another one: after a crash the name has to be found again.
    const find = () =>
      model !== undefined
        ? Promise.resolve(model)
        : named?.isChosen
          ? this.#host.chatModel(named.name)
          : agent.model();
    return {
      ...agent,
      model: async () => {
        const found = await find();
        this.#modelName = found.name;
        return found;
      },
    };
  }

  #provenance({ requester }: ChildTask): InterSession {
    const isScheduled = this.#run.kind === 'cron';
    return {
      ...{ kind: 'inter_session', sourceSessionKey: this.#run.requester },
      sourceChannel: requester?.channel ?? 'internal',
      ...{ sourceTool: isScheduled ? 'cron' : 'sessions_spawn', hops: 1 },
    };
  }

  /** Tells the requester, in its transcript exactly once, and the person. */
  async #announce(task: ChildTask, { end, outcome }: Main, notes: string | undefined): Promise<void> {
    const { id, requester, target: from, level: asked } = this.#run;
    const asker = task.requester && (await this.#asker(task.requester.key));
    // Whoever asked may have risen since. What it is told then it may look up later, so the record rises as high.
    const level = canFlowTo(end.level, asker?.level ?? asked) ? maxLevel(end.level, asked) : asked;
    const text = this.#text(task, { end, outcome }, notes, level);
    if (level !== asked && outcome.status === 'ok')
      await this.#save({ level, outcome: { ...outcome, text: resultOf(said(end)) } });
    const child = { key: from, raw: from, id: idOf(from), isOurs: true };
    let to: MessageEvent['to'] = child;
    if (task.requester !== undefined && asker?.mayBeTold === true) {
      const { key: raw, kind } = task.requester;
      to = { key: requester, raw, id: idOf(raw), isOurs: kind === 'participant' || kind === 'spawned' };
      const provenance: InterSession = {
        ...{ kind: 'inter_session', sourceSessionKey: from, sourceChannel: 'internal' },
        ...{ sourceTool: 'sessions_spawn', hops: 1 },
      };
      await this.#host.sessions.give(to.id, {
        ...{ type: 'message', uuid: derivedId(id, 'announce'), level, provenance },
        message: textMessage('system', messageText(provenance, text, CHILD_ADVICE).toWellFormed()),
      });
    }
    const kind = outcome.status === 'ok' ? 'announce' : 'failed';
    this.#host.notify({ kind, runId: id, from, to, text, level, at: this.#host.now() });
  }

  #text(task: ChildTask, { end, outcome }: Main, notes: string | undefined, level: Level): string {
    const { target: sessionKey } = this.#run;
    const sessionId = idOf(sessionKey);
    const mayTell = canFlowTo(end.level, level);
    const { reply, lastToolResult } = said(end);
    return announcement({
      ...{
        outcome: REPORTED[outcome.status],
        error: outcome.text,
        label: task.label,
        model: this.#modelName ?? task.model?.name,
      },
      reply: mayTell ? reply : staysInChild(end.level, level),
      lastToolResult: mayTell ? lastToolResult : undefined,
      notes: mayTell ? notes : undefined,
      // How many tokens it took tells of what it read.
      usage: mayTell ? end.usage : undefined,
      ...{ runtimeMs: end.runtimeMs, sessionKey, sessionId },
      transcriptPath: transcriptFile({ dir: join(this.#host.storeDir, 'sessions'), id: sessionId }),
    });
  }

  /** Whom the announcement is for. The person's policy counts for this automatic message as for any other. */
  async #asker(key: string): Promise<{ readonly mayBeTold: boolean; readonly level: Level }> {
    const { access } = this.#host;
    const found = await access.resolve(ANYBODY, { sessionKey: key });
    const { level, target: session } = this.#run;
    if (!('row' in found)) return { mayBeTold: true, level };
    const mayBeTold = access.maySend({ level, session }, found.row) === undefined;
    return { mayBeTold, level: maxLevel(found.row.level, level) };
  }

  async #open(): Promise<void> {
    try {
      await this.#host.openSession?.(idOf(this.#run.target));
    } catch (error) {
      this.#host.log.warn(`No chat was opened on the spawned session: ${messageOf(error)}`);
    }
  }

  /** A child that is to be deleted is archived at once: nothing that was said is lost, and it is in no list. */
  async #tidy({ cleanup, mode, attachments }: ChildTask): Promise<void> {
    if (cleanup !== 'delete' || mode === 'session') return;
    const { root, sessions, log } = this.#host;
    await sessions.putAway([idOf(this.#run.target)], true, { level: 'RESTRICTED' });
    if (attachments === undefined) return;
    await removeAttachments(root, attachments.id).catch((error: unknown) =>
      log.warn(`${attachments.relDir} was not removed: ${messageOf(error)}`),
    );
  }

  /** What is kept with the run, which may be read at the level of whoever asked for it, is no more than that. */
  #outcome(status: RunOutcome['status'], words: string, end?: StepEnd): RunOutcome {
    const level = end?.level ?? this.#run.level;
    const text = canFlowTo(level, this.#run.level) ? words : staysInChild(level, this.#run.level);
    return { status, text, level, at: this.#host.now() };
  }

  async #save(change: Partial<RunRecord>): Promise<void> {
    this.#run = { ...this.#run, ...change };
    await this.#host.sessions.runSave(this.#run);
    this.#options.saved();
  }
}

const UNREADABLE = 'The run was recorded by another version, which this one cannot go on with.';
const NO_TOOLS: LoopAgent['tools'] = {
  specs: () => [],
  isExclusive: () => false,
  call: async ({ name }) => ({ text: `There is no tool "${name}".`, isError: true }),
};
