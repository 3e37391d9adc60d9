/** A server and the bank of a scope: created before anything is asked of it, and what is known of how it answers. */
import type { BackendView, Phrase } from '../../backendProtocol.ts';
import { canFlowTo, LEVELS, type Level } from '../../policy/level.ts';
import { missingModels, modelSeeds, shownModels } from './models.ts';
import type { HindsightServer } from './server.ts';
import { ServerError } from './serverError.ts';
import { type BackendSettings, type BankScope, bankAt, scopeOf } from './settings.ts';

/** A server that did not answer is not looked for again by whoever merely shows it, in milliseconds. */
const LOOK_AGAIN = 30_000;

interface Note {
  readonly state: NonNullable<BackendView['server']>['state'];
  readonly error?: Phrase | undefined;
}

export interface ConnectionParts {
  readonly settings: BackendSettings;
  readonly server: HindsightServer;
  /** The folder's or repository's name; empty: unknown. */
  readonly project: string;
  readonly defaultLevel: Level;
  now(): number;
  /** What is for the log alone. */
  log(message: string): void;
  changed(): void;
}

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #ended = new AbortController();
  /** Banks that were asked for, and whether they were created. */
  readonly #banks = new Map<string, Promise<boolean>>();
  readonly scope: BankScope;
  /** The bank of the folder's default level. */
  readonly #home: string;
  #models: BackendView['mentalModels'] = [];
  #modelled: Promise<void> | undefined;
  #looked = Number.NEGATIVE_INFINITY;
  /** How the server answered whom last, by the asker's level: what it says may repeat the question. The latest is the last. */
  readonly #notes = new Map<Level, Note>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.scope = scopeOf(parts.settings, parts.project);
    this.#home = bankAt(this.scope.bank, parts.defaultLevel);
  }

  /** What is known, as it may be told at a level. */
  view(reader: Level): Pick<BackendView, 'server' | 'banks' | 'mentalModels'> {
    const { settings, defaultLevel } = this.#parts;
    const { url, scoping } = settings;
    const notes = [...this.#notes].filter(([level]) => canFlowTo(level, reader));
    const { state, error }: Note = notes.at(-1)?.[1] ?? { state: 'unknown' };
    const { tags } = this.scope;
    const scope = tags !== undefined ? 'tagged' : scoping === 'global' ? 'global' : 'project';
    return {
      server: { url, state, ...(error && { error }) },
      banks: [{ id: this.#home, scope, ...(tags?.[0] !== undefined && { tag: tags[0] }) }],
      mentalModels: canFlowTo(defaultLevel, reader) ? this.#models : [],
    };
  }

  /** Asks the server something about a bank for somebody at a level, and notes how it answers. @throws ServerError */
  async ask<T>(
    bank: string,
    level: Level,
    signal: AbortSignal,
    ask: (server: HindsightServer) => Promise<T>,
  ): Promise<T> {
    try {
      // A server that does not let us create it may have it all the same: what is asked of it tells.
      await unlessAborted(this.#bank(bank), signal);
      const answer = await ask(this.#parts.server);
      this.#note(level, { state: 'reachable' });
      // What a model says of higher levels would be of several.
      if (bank === this.#home) void this.#model();
      return answer;
    } catch (error) {
      if (error instanceof ServerError)
        this.#note(level, {
          state: error.kind === 'unreachable' ? 'unreachable' : 'refusing',
          error: error.phrase,
        });
      throw error;
    }
  }

  /** Looks how the server is, for whoever shows it, unless that is known. */
  lookAround(): void {
    const { now } = this.#parts;
    const isKnown = this.#notes.get(LEVELS[0])?.state === 'reachable';
    if (isKnown || now() - this.#looked < LOOK_AGAIN) return;
    void this.look();
  }

  /** Looks how the server is. Never throws: what it answers is noted. */
  async look(): Promise<void> {
    this.#looked = this.#parts.now();
    this.#banks.clear();
    const { signal } = this.#ended;
    // This says nothing of what anybody asked or kept.
    const asked = this.ask(this.#home, LEVELS[0], signal, () => this.#readModels());
    this.#modelled = asked;
    await asked.catch(() => {
      if (this.#modelled === asked) this.#modelled = undefined;
    });
  }

  async dispose(): Promise<void> {
    this.#ended.abort();
    await this.#modelled?.catch(() => {});
  }

  /** Creates a bank once, with the person's missions and without them as it is. */
  #bank(bank: string): Promise<boolean> {
    const known = this.#banks.get(bank);
    if (known !== undefined) return known;
    const { server, settings } = this.#parts;
    const missions = {
      reflect: settings.bankMission || undefined,
      retain: settings.retainMission || undefined,
    };
    const made = server.putBank(bank, missions, this.#ended.signal).then(
      () => true,
      (error: unknown) => {
        this.#banks.delete(bank);
        if (!(error instanceof ServerError) || error.kind === 'unreachable') throw error;
        return false;
      },
    );
    this.#banks.set(bank, made);
    return made;
  }

  /** Reads the mental models once; that it fails is no failure of what was asked. */
  async #model(): Promise<void> {
    if (!this.#parts.settings.models || this.#modelled !== undefined) return;
    const reading = this.#readModels();
    this.#modelled = reading;
    await reading.catch((error: unknown) => {
      if (this.#modelled === reading) this.#modelled = undefined;
      if (!this.#ended.signal.aborted)
        this.#parts.log(`mental models: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  /** Reads the bank's mental models, and makes those of ours that it lacks, in a bank that is there. */
  async #readModels(): Promise<void> {
    const { server, settings, project, changed } = this.#parts;
    const { signal } = this.#ended;
    const { tags = [] } = this.scope;
    const bank = this.#home;
    const isThere = await this.#bank(bank);
    let there = await server.models(bank, signal);
    if (!settings.models) return;
    const seeds = modelSeeds(settings.scoping, project, tags);
    const missing = settings.seedModels && isThere ? missingModels(seeds, there) : [];
    for (const model of missing) await server.createModel(bank, model, signal);
    if (missing.length > 0) there = await server.models(bank, signal);
    this.#models = shownModels(there);
    changed();
  }

  #note(level: Level, note: Note): void {
    const isNews = JSON.stringify(note) !== JSON.stringify(this.#notes.get(level));
    this.#notes.delete(level);
    this.#notes.set(level, note);
    if (isNews) this.#parts.changed();
  }
}

/** The same promise, which fails when nobody waits for it any more. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
