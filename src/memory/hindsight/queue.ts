/**
 * Memories on their way to the server: on disk before anybody is told that they are queued, sent in order, and off the
 * disk once the server has them. What it does not take waits and is shown; nothing is dropped.
 */
import type { Phrase } from '../../backendProtocol.ts';
import { canFlowTo, LEVELS, type Level } from '../../policy/level.ts';
import type { RetainSpoolApi } from '../../worker/retainSpoolApi.ts';
import { highestOf, type SpoolItem } from './item.ts';
import { type FailureKind, ServerError } from './serverError.ts';
import { detailOf, keptForAnother, phrase, retentionFailed } from './texts.ts';
import { waitAfter } from './waits.ts';

/** `RETAIN_FLUSH_BATCH_SIZE` and `RETAIN_FLUSH_INTERVAL_MS` (seed 000). */
const BATCH = 16;
const INTERVAL = 5_000;
/** So long ended processes' spools lie at most before one that lives takes them. */
const TAKE_EVERY = 60_000;

export interface QueueParts {
  readonly spool: RetainSpoolApi;
  /** Address of the server. What was kept for another one waits until the person says that it goes to this one. */
  readonly server: string;
  /** Hands items of one bank over. @throws ServerError */
  send(bank: string, items: readonly SpoolItem[], signal: AbortSignal): Promise<void>;
  /** Up to here items may leave the machine as things are now; undefined where nothing may, to this server. */
  maxLevel(): Level | undefined;
  now(): number;
  /** 0 to 1, for what must not come at the same time from everywhere. */
  random(): number;
  warn(warning: Phrase): void;
  changed(): void;
}

export interface QueueState {
  /** Items of this process that the server did not take, or that may not leave. */
  readonly refused: number;
  readonly nextTry?: number | undefined;
  readonly error?: Phrase | undefined;
  /** How the server last answered; undefined before it was first asked. */
  readonly last?: FailureKind | 'ok' | undefined;
}

export class RetainQueue {
  readonly #parts: QueueParts;
  /** Oldest first. */
  #items: SpoolItem[] = [];
  readonly #known = new Set<string>();
  /** What the server did not take as it is. */
  readonly #rejected = new Set<string>();
  /** What the person let go to this server, though it was kept for another one. */
  readonly #moved = new Set<string>();
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** One put after the other, so that what is on disk has the order of the queue. */
  #putting: Promise<unknown> = Promise.resolve();
  #failures = 0;
  /** What the server last failed with, unless it worked out since. */
  #refusal: ServerError | undefined;
  #nextTry: number | undefined;
  #error: Phrase | undefined;
  /** Of the items that it is about. */
  #errorLevel: Level = LEVELS[0];
  /** How often something went wrong, and whether the person was told of it since it last went well. */
  #troubles = 0;
  #isWarned = false;
  #last: QueueState['last'];
  #taken = Number.NEGATIVE_INFINITY;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** As it may be told at a level: of the items up to there alone. */
  state(reader: Level): QueueState {
    const mayGo = this.#mayGo();
    const items = this.#items.filter(({ level }) => canFlowTo(level, reader));
    const held = items.filter((item) => !mayGo(item));
    const refused = this.#last === 'refused' ? items.length : held.length;
    // What a server says of items may repeat them.
    const error = canFlowTo(this.#errorLevel, reader) ? this.#error : undefined;
    return { refused, nextTry: this.#nextTry, error: error ?? this.#foreign(items), last: this.#last };
  }

  /** Resolves when the items are on disk. */
  async add(items: readonly SpoolItem[]): Promise<void> {
    const put = this.#putting.then(async () => {
      await this.#parts.spool.spoolPut(items);
      this.#push(items);
    });
    this.#putting = put.catch(() => {});
    await put;
    this.#parts.changed();
    this.#arm();
  }

  /**
   * Goes on with what ended processes left.
   * @param own also with what this process had to send before this queue was there
   */
  async takeOver(own = false): Promise<void> {
    this.#taken = this.#parts.now();
    const { items } = await this.#parts.spool.spoolTake(own);
    const fresh = items.filter(({ key }) => !this.#known.has(key));
    if (fresh.length === 0) return;
    // What they queued is older than what came here since.
    for (const { key } of fresh) this.#known.add(key);
    this.#items = [...fresh, ...this.#items];
    this.#parts.changed();
    this.#arm();
  }

  /**
   * Sends what there is at once, also what was refused before.
   * @param isForAll also what was kept for another server: the person says so
   */
  async retry(isForAll: boolean): Promise<void> {
    this.#rejected.clear();
    this.#failures = 0;
    this.#refusal = undefined;
    await this.takeOver();
    if (isForAll) for (const { key } of this.#items) this.#moved.add(key);
    await this.flush(this.#ended.signal);
  }

  /** Sends what waits; resolves when all was sent that can be. Never throws. */
  async flush(signal: AbortSignal): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextTry = undefined;
    this.#running ??= this.#drain(AbortSignal.any([signal, this.#ended.signal])).finally(() => {
      this.#running = undefined;
      this.#arm();
      this.#parts.changed();
    });
    await this.#running;
  }

  /** Does not wait for the timer any longer; a server that was failing is left its time. */
  hasten(): void {
    if (this.#failures === 0 && this.#items.length > 0) void this.flush(this.#ended.signal);
  }

  /** Sends what can be sent within `patience` milliseconds, unless the server was failing; the rest stays on disk. */
  async dispose(patience: number): Promise<void> {
    await this.#putting;
    const late = setTimeout(() => this.#ended.abort(), patience);
    // What came after the last look of a drain that ends just now is sent by one more.
    await this.#running;
    if (this.#failures === 0) await this.flush(this.#ended.signal);
    clearTimeout(late);
    this.#ended.abort();
    clearTimeout(this.#timer);
  }

  /** What waits is not to be sent any more. */
  clear(): void {
    this.#items = [];
    this.#rejected.clear();
    this.#parts.changed();
  }

  /** Sends nothing more; what waits stays on disk. */
  async leave(): Promise<void> {
    this.#ended.abort();
    clearTimeout(this.#timer);
    await this.#putting;
    await this.#running;
  }

  #push(items: readonly SpoolItem[]): void {
    for (const { key } of items) this.#known.add(key);
    this.#items.push(...items);
  }

  /** Which items may be sent at this moment: asked once for all of them, as settings cost something to read. */
  #mayGo(): (item: SpoolItem) => boolean {
    const maxLevel = this.#parts.maxLevel();
    if (maxLevel === undefined) return () => false;
    return (item) =>
      !this.#rejected.has(item.key) && canFlowTo(item.level, maxLevel) && !this.#isForeign(item);
  }

  #isForeign({ key, server = this.#parts.server }: SpoolItem): boolean {
    return server !== this.#parts.server && !this.#moved.has(key);
  }

  /** What is told of items that were kept for another server. */
  #foreign(items: readonly SpoolItem[]): Phrase | undefined {
    const foreign = items.filter((item) => this.#isForeign(item));
    const server = foreign[0]?.server;
    return server === undefined ? undefined : keptForAnother(foreign.length, server);
  }

  /** The timer runs from the first item; more items do not put it off. A full batch goes at once. */
  #arm(): void {
    if (this.#ended.signal.aborted || this.#running !== undefined) return;
    const waiting = this.#items.filter(this.#mayGo()).length;
    if (waiting === 0) return;
    if (waiting >= BATCH && this.#failures === 0) {
      void this.flush(this.#ended.signal);
      return;
    }
    if (this.#timer !== undefined) return;
    const wait =
      this.#failures === 0 ? INTERVAL : waitAfter(this.#failures, this.#refusal, this.#parts.random());
    this.#nextTry = this.#parts.now() + wait;
    this.#timer = setTimeout(() => void this.flush(this.#ended.signal), wait);
    this.#timer.unref();
  }

  async #drain(signal: AbortSignal): Promise<void> {
    try {
      if (this.#parts.now() - this.#taken >= TAKE_EVERY) await this.takeOver();
      const before = this.#troubles;
      for (let batch = this.#next(); batch.length > 0 && !signal.aborted; batch = this.#next())
        if (!(await this.#deliver(batch, signal)) || this.#isNoUse(batch)) return;
      if (this.#troubles === before) this.#isWarned = false;
    } catch (error) {
      // The disk: what was sent and is still there is sent again, and takes its own place.
      this.#failures++;
      this.#error = phrase('What waits could not be read or taken off: {0}', detailOf(String(error)));
      this.#errorLevel = LEVELS[0];
    }
  }

  /** Whether each of several items was rejected, which is not their fault: the rest is tried later. */
  #isNoUse(batch: readonly SpoolItem[]): boolean {
    const isNoUse = batch.length > 1 && batch.every(({ key }) => this.#rejected.has(key));
    if (isNoUse) this.#failures++;
    return isNoUse;
  }

  /** The oldest items that may be sent, of one bank. */
  #next(): readonly SpoolItem[] {
    const mayGo = this.#mayGo();
    const batch: SpoolItem[] = [];
    for (const item of this.#items) {
      if (!mayGo(item)) continue;
      if (batch.length === BATCH || (batch[0]?.bank ?? item.bank) !== item.bank) break;
      batch.push(item);
    }
    return batch;
  }

  /** @returns whether to go on with what comes after these items */
  async #deliver(batch: readonly SpoolItem[], signal: AbortSignal): Promise<boolean> {
    const [first] = batch;
    if (first === undefined) return true;
    try {
      await this.#parts.send(first.bank, batch, signal);
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof ServerError)) throw error;
      return error.kind === 'rejected' ? this.#divide(batch, error, signal) : this.#stop(batch, error);
    }
    await this.#arrived(batch);
    return true;
  }

  /** Finds the items that the server does not take: the others go on. */
  async #divide(batch: readonly SpoolItem[], error: ServerError, signal: AbortSignal): Promise<boolean> {
    if (batch.length === 1) {
      for (const { key } of batch) this.#rejected.add(key);
      this.#warnOf(batch, error);
      this.#parts.changed();
      return true;
    }
    const half = Math.ceil(batch.length / 2);
    return (
      (await this.#deliver(batch.slice(0, half), signal)) && (await this.#deliver(batch.slice(half), signal))
    );
  }

  #stop(batch: readonly SpoolItem[], error: ServerError): false {
    this.#warnOf(batch, error);
    this.#failures++;
    this.#last = error.kind;
    this.#refusal = error;
    return false;
  }

  async #arrived(batch: readonly SpoolItem[]): Promise<void> {
    const gone = new Set(batch.map(({ key }) => key));
    await this.#parts.spool.spoolDone([...gone]);
    this.#items = this.#items.filter(({ key }) => !gone.has(key));
    for (const key of gone) {
      this.#known.delete(key);
      this.#moved.delete(key);
    }
    this.#failures = 0;
    this.#last = 'ok';
    this.#refusal = undefined;
    if (this.#rejected.size === 0) this.#error = undefined;
    this.#parts.changed();
  }

  /** Once for each time that it begins to fail. */
  #warnOf(batch: readonly SpoolItem[], { statusCode, phrase: reason, message }: ServerError): void {
    this.#error = reason;
    this.#errorLevel = highestOf(batch);
    this.#troubles++;
    if (this.#isWarned) return;
    this.#isWarned = true;
    const why = statusCode === undefined ? message : `HTTP ${statusCode}: ${message}`;
    this.#parts.warn(retentionFailed(this.#items.length, why));
  }
}
