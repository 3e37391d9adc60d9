/** A server and the bank of a scope: created before anything is asked of it, and what is known of how it answers. */
import type { BackendView, Phrase } from '../../backendProtocol.ts';
import { missingModels, modelSeeds, shownModels } from './models.ts';
import type { HindsightServer } from './server.ts';
import { ServerError } from './serverError.ts';
import { type BackendSettings, type BankScope, scopeOf } from './settings.ts';

/** A server that did not answer is not looked for again by whoever merely shows it, in milliseconds. */
const LOOK_AGAIN = 30_000;

type ServerState = NonNullable<BackendView['server']>['state'];

export interface ConnectionParts {
  readonly settings: BackendSettings;
  readonly server: HindsightServer;
  /** The folder's or repository's name; empty: unknown. */
  readonly project: string;
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
  #models: BackendView['mentalModels'] = [];
  #modelled: Promise<void> | undefined;
  #looked = Number.NEGATIVE_INFINITY;
  #state: ServerState = 'unknown';
  #error: Phrase | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.scope = scopeOf(parts.settings, parts.project);
  }

  get view(): Pick<BackendView, 'server' | 'banks' | 'mentalModels'> {
    const { url, scoping } = this.#parts.settings;
    const { bank, tags } = this.scope;
    const scope = tags !== undefined ? 'tagged' : scoping === 'global' ? 'global' : 'project';
    return {
      server: { url, state: this.#state, ...(this.#error && { error: this.#error }) },
      banks: [{ id: bank, scope, ...(tags?.[0] !== undefined && { tag: tags[0] }) }],
      mentalModels: this.#models,
    };
  }

  /** Asks the server something about a bank, and notes how it answers. @throws ServerError */
  async ask<T>(bank: string, signal: AbortSignal, ask: (server: HindsightServer) => Promise<T>): Promise<T> {
    try {
      // A server that does not let us create it may have it all the same: what is asked of it tells.
      await unlessAborted(this.#bank(bank), signal);
      const answer = await ask(this.#parts.server);
      this.#note('reachable', undefined);
      // What a model says of higher levels would be of several.
      if (bank === this.scope.bank) void this.#model();
      return answer;
    } catch (error) {
      if (error instanceof ServerError)
        this.#note(error.kind === 'unreachable' ? 'unreachable' : 'refusing', error.phrase);
      throw error;
    }
  }

  /** Looks how the server is, for whoever shows it, unless that is known. */
  lookAround(): void {
    const { now } = this.#parts;
    if (this.#state === 'reachable' || now() - this.#looked < LOOK_AGAIN) return;
    void this.look();
  }

  /** Looks how the server is. Never throws: what it answers is noted. */
  async look(): Promise<void> {
    this.#looked = this.#parts.now();
    this.#banks.clear();
    const { bank } = this.scope;
    const { signal } = this.#ended;
    const asked = this.ask(bank, signal, () => this.#readModels());
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
    const { bank, tags = [] } = this.scope;
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

  #note(state: ServerState, error: Phrase | undefined): void {
    const isNews = state !== this.#state || JSON.stringify(error) !== JSON.stringify(this.#error);
    this.#state = state;
    this.#error = error;
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
