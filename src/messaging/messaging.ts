/** Messages between the sessions of a folder: what is sent and spawned is carried out here, and gone on with. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../journal/errors.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { RunRecord } from '../session/record.ts';
import type { RunEntry } from '../session/steps.ts';
import type { SessionReader } from '../worker/sessionApi.ts';
import { Children, type SpawnAnswer, type SpawnCaller } from './children.ts';
import type { MessagingHost } from './host.ts';
import { Postponed } from './postponed.ts';
import {
  DEFAULT_WAIT_SECONDS,
  isSameSend,
  newSendRun,
  refused,
  type SendAnswer,
  type SendCall,
  type SendInput,
  sendAnswer,
} from './send.ts';
import { SendRun } from './sendRun.ts';
import type { SpawnRequest } from './spawnInput.ts';

/** Runs of other processes are looked at so often. */
const LOOK_MS = 500;
/** A run that another process is just putting into the outbox is looked for so often, which is 5 s. */
const PUT_MS = 20;
const MOST_LOOKS = 250;
/** What a dead process left is looked for so long after the start, and so often. */
const FIRST_RESUME_MS = 5_000;
const RESUME_MS = 60_000;

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export class Messaging {
  readonly #host: MessagingHost;
  readonly #children: Children;
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<() => void>();
  /** Fires when a run of this process has come on. */
  #progress = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(host: MessagingHost) {
    this.#host = host;
    this.#children = new Children(host, () => this.#changed());
  }

  /** Whether a chat can be opened on a session that is spawned. */
  get opensChats(): boolean {
    return this.#host.openSession !== undefined;
  }

  /** Called when a run of this process was saved. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends a message and waits for the answer, if the input says so. Whatever the answer of this call, a message that
   * has a run id arrives once; waiting for it ends with the signal, its delivery does not.
   */
  async send(input: SendInput, call: SendCall, signal: AbortSignal): Promise<SendAnswer> {
    const { timeoutSeconds: seconds = DEFAULT_WAIT_SECONDS } = input;
    const made = await newSendRun(this.#host, input, call);
    if (!('run' in made)) return made;
    if (this.#isClosed) return refused('This window is closing. Nothing was sent: send it again.');
    const put = await this.#put(made.run, signal);
    if (put === undefined)
      return refused('Another process is sending this message just now. Send it again with the same id.');
    const { run, isNew } = put;
    if (isNew) this.#go(run, false);
    else if (run.kind !== 'send' || !isSameSend(run, made.run))
      return refused('This id was used for another message. Nothing was sent: choose a new id.');
    else await this.#take(run.id);
    // Nobody waits for the agent of somebody else's program.
    const isLeft = !made.row.isOurs;
    try {
      const now = await this.wait(run.id, isLeft ? LOOK_MS * 4 : seconds * 1000, signal);
      return sendAnswer(now ?? run, isLeft ? 0 : seconds);
    } catch {
      // Whoever waited has gone, or what there is cannot be read just now: the message is on its way all the same.
      return sendAnswer(run, 0);
    }
  }

  /** Starts a session of its own for a task; see `Children.spawn`. */
  async spawn(request: SpawnRequest, caller: SpawnCaller): Promise<SpawnAnswer> {
    return this.#children.spawn(request, caller);
  }

  /** Carries out a run that this process has just put into the outbox. */
  start(run: RunRecord, model?: ChatModel): void {
    this.#go(run, false, model);
  }

  /** What was sent and spawned in this folder and this reader may know of, newest first. */
  runs(reader: SessionReader): Promise<readonly RunEntry[]> {
    return this.#host.sessions.runs(reader);
  }

  /**
   * Waits until a run has an outcome.
   * @returns the run as it stands then, or after `ms`; undefined when there is none of this id.
   */
  async wait(id: string, ms: number, signal: AbortSignal): Promise<RunRecord | undefined> {
    const until = Date.now() + ms;
    for (;;) {
      const woken = this.#progress.signal;
      const run = (await this.#host.sessions.run(id))?.run;
      const left = until - Date.now();
      if (run === undefined || run.outcome !== undefined || left <= 0) return run;
      const either = AbortSignal.any([signal, woken]);
      await delay(Math.min(left, LOOK_MS), undefined, { signal: either }).catch(() => {});
      signal.throwIfAborted();
    }
  }

  /** Stops a run of this process; false when it does not run here. What it has done stays. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.stop.abort();
    return running !== undefined || this.#children.cancel(id);
  }

  /** Goes on with what dead processes have left, now and from time to time. Keeps no process alive. */
  watch(): void {
    const look = (ms: number): void => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => void this.resume().finally(() => look(RESUME_MS)), ms);
      this.#timer.unref();
    };
    look(FIRST_RESUME_MS);
  }

  /** Goes on with what dead processes have left. Never rejects. */
  async resume(): Promise<void> {
    if (this.#isClosed || !this.#host.trusted()) return;
    try {
      const entries = await this.#host.sessions.runs({ level: 'RESTRICTED' });
      // In the order in which they were asked for.
      for (const { run, isHeld } of entries.toReversed())
        if (!isHeld && run.ended === undefined) await this.#take(run.id);
    } catch (error) {
      this.#host.log.warn(`Messages that were left could not be looked for: ${messageOf(error)}`);
    }
  }

  /** Resolves when nothing runs here any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#children.idle();
  }

  /** Stops everything; what is left stays in the outbox, and another process goes on with it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([this.#children.close(), this.idle()]);
    this.#listeners.clear();
  }

  /**
   * Puts a run into the outbox, or finds the one of its id. Where another process is just putting it there, that is
   * waited for: it may be another message, and it may come to nothing.
   */
  async #put(asked: RunRecord, signal: AbortSignal): Promise<{ run: RunRecord; isNew: boolean } | undefined> {
    const { sessions } = this.#host;
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const put = await sessions.runPut(asked);
      if (put.isNew) return put;
      const known = await sessions.run(asked.id);
      if (known !== undefined) return { run: known.run, isNew: false };
      await delay(PUT_MS, undefined, { signal });
    }
    return undefined;
  }

  async #take(id: string): Promise<void> {
    if (this.#running.has(id) || this.#isClosed) return;
    const run = await this.#host.sessions.runTake(id);
    if (run !== undefined) this.#go(run, true);
  }

  #go(run: RunRecord, isResumed: boolean, model?: ChatModel): void {
    if (run.kind !== 'send') {
      void this.#children.go(run, model);
      return;
    }
    const stop = new AbortController();
    const send = new SendRun(this.#host, run, {
      ...{ signal: stop.signal, isClosing: () => this.#isClosed, isResumed },
      saved: () => this.#changed(),
    });
    const done = this.#carry(send, run.id).finally(() => {
      this.#running.delete(run.id);
      this.#changed();
    });
    this.#running.set(run.id, { stop, done });
    if (this.#isClosed) stop.abort();
  }

  async #carry(send: SendRun, id: string): Promise<void> {
    const { log, sessions } = this.#host;
    try {
      await send.carry();
    } catch (error) {
      if (!(error instanceof Postponed)) log.warn(`A message is not finished (${id}): ${messageOf(error)}`);
      // It stays in the outbox as far as it has come.
      await sessions.runRelease(id).catch(() => {});
    }
  }

  #changed(): void {
    this.#progress.abort();
    this.#progress = new AbortController();
    for (const listener of this.#listeners) listener();
  }
}
