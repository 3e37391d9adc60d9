/** The one memory backend of a folder, as the settings have it at this moment. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { version } from '../package.json';
import type { BackendView, Phrase } from './backendProtocol.ts';
import { repositoryName } from './git/identity.ts';
import type { GitLayout } from './git/layout.ts';
import type {
  AskModel,
  BackendCall,
  BackendHit,
  FolderBackend,
  MemoryBackend,
  Reflection,
  RetainItem,
  RetainOutcome,
} from './memory/backend.ts';
import { LocalBackend } from './memory/backendLocal.ts';
import { NO_ADDRESS, noBackend } from './memory/backendNone.ts';
import { HindsightBackend } from './memory/hindsight/backend.ts';
import type { DocumentPage } from './memory/hindsight/documents.ts';
import { HindsightServer, type ServerOptions } from './memory/hindsight/server.ts';
import { type BackendSettings, isServerUrl, readBackendSettings } from './memory/hindsight/settings.ts';
import type { Level } from './policy/level.ts';
import type { Ports } from './ports.ts';
import type { StoreApi } from './worker/api.ts';
import type { RetainSpoolApi } from './worker/retainSpoolApi.ts';

/** How often a process looks for what ended ones left to send, in milliseconds. */
const LOOK = 60_000;
/** A command that ends at once sends nothing of others. */
const FIRST_LOOK = 2_000;

export interface BackendsParts {
  /** The workspace folder. */
  readonly root: string;
  readonly git: GitLayout | undefined;
  readonly store: StoreApi & RetainSpoolApi;
  /** The person's memory for every folder, and where it lies. */
  readonly wide: { readonly dir: string; open(): StoreApi };
  readonly defaultLevel: Level;
  readonly ports: Pick<Ports, 'settings' | 'log' | 'now' | 'trusted' | 'hindsightToken'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ask: AskModel;
  readonly patience?: ServerOptions['patience'];
}

export class Backends implements FolderBackend {
  readonly #parts: BackendsParts;
  readonly #changes = new Set<() => void>();
  readonly #warnings = new Set<(warning: Phrase) => void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #current: { readonly settings: string; readonly backend: MemoryBackend } | undefined;
  /** The backends that were there before, each of which ends before the next one takes over what it leaves. */
  #ending: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: BackendsParts) {
    this.#parts = parts;
  }

  /** Goes on with what was left to send, and looks again and again whether there is something. */
  start(): void {
    const look = (): void => {
      const { ports } = this.#parts;
      if (!ports.trusted()) return;
      const backend = this.#backend();
      if (!(backend instanceof HindsightBackend)) return;
      backend.start().catch((error: unknown) => ports.log.warn(`memory server: ${String(error)}`));
    };
    this.#timers.push(setTimeout(look, FIRST_LOOK).unref(), setInterval(look, LOOK).unref());
  }

  recall(query: string, call: BackendCall): Promise<readonly BackendHit[]> {
    return this.#backend().recall(query, call);
  }

  retain(items: readonly RetainItem[], call: BackendCall): Promise<RetainOutcome> {
    return this.#backend().retain(items, call);
  }

  reflect(query: string, context: string | undefined, call: BackendCall): Promise<Reflection> {
    return this.#backend().reflect(query, context, call);
  }

  async documents(offset: number, call: BackendCall): Promise<DocumentPage> {
    const page = await this.#backend().documents?.(offset, call);
    return page ?? { documents: [], listed: 0, total: 0 };
  }

  status(reader?: Level): Promise<BackendView> {
    return this.#backend().status(reader);
  }

  retryNow(isForAll?: boolean): Promise<void> {
    return this.#backend().retryNow(isForAll);
  }

  onChange(listener: () => void): () => void {
    this.#changes.add(listener);
    return () => this.#changes.delete(listener);
  }

  onWarning(listener: (warning: Phrase) => void): () => void {
    this.#warnings.add(listener);
    return () => this.#warnings.delete(listener);
  }

  flush(signal: AbortSignal): Promise<void> {
    return this.#backend().flush(signal);
  }

  async erase(): Promise<number> {
    const backend = this.#backend();
    await this.#ending;
    return backend instanceof HindsightBackend ? backend.erase() : this.#parts.store.spoolErase();
  }

  turnEnded(): void {
    const backend = this.#current?.backend;
    if (backend instanceof HindsightBackend) backend.hasten();
  }

  /** Sends what can be sent at once; the rest stays on disk for whoever comes next. */
  async dispose(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const last = this.#current?.backend;
    this.#current = undefined;
    await this.#ending;
    await last?.dispose();
    this.#changes.clear();
    this.#warnings.clear();
  }

  #backend(): MemoryBackend {
    const settings = this.#settings();
    const key = keyOf(settings);
    if (this.#current?.settings === key) return this.#current.backend;
    if (this.#closed) return noBackend('off', undefined, (reader) => this.#waiting(reader));
    const before = this.#current?.backend;
    const backend = this.#make(settings);
    this.#current = { settings: key, backend };
    backend.onChange(() => this.#changed());
    backend.onWarning((warning) => {
      for (const listener of this.#warnings) listener(warning);
    });
    this.#ending = this.#ending.then(() => this.#end(before, backend));
    return backend;
  }

  async #end(before: MemoryBackend | undefined, next: MemoryBackend): Promise<void> {
    try {
      // What waits is not for a server that the person has just left.
      await (before instanceof HindsightBackend ? before.leave() : before?.dispose());
      if (next instanceof HindsightBackend && this.#parts.ports.trusted()) await next.start(true);
    } catch (error) {
      this.#parts.ports.log.warn(`memory server: ${String(error)}`);
    }
    if (before !== undefined) this.#changed();
  }

  #make(settings: BackendSettings): MemoryBackend {
    const { store, wide, ask, defaultLevel, ports, env, patience } = this.#parts;
    const { maxLevel } = settings;
    const waiting = (reader?: Level) => this.#waiting(reader);
    switch (settings.kind) {
      case 'off':
        return noBackend('off', undefined, waiting);
      case 'local':
        return new LocalBackend({
          ...{ store, ask, waiting },
          settings: () => this.#settings(),
          wide: (use) =>
            use === 'write' || existsSync(join(wide.dir, 'memory', 'journal')) ? wide.open() : undefined,
        });
      case 'hindsight':
        if (!isServerUrl(settings.url)) return noBackend('hindsight', NO_ADDRESS, waiting);
        return new HindsightBackend({
          ...{ settings, defaultLevel, spool: store, project: this.#project(settings) },
          server: new HindsightServer({
            ...{ url: settings.url, userAgent: `lodeline/${version}`, patience },
            token: async () => env.HINDSIGHT_API_TOKEN || (await ports.hindsightToken?.(settings.url)),
          }),
          maxLevel: () => {
            const now = this.#settings();
            // Nothing goes to a server that the person has left, though nobody has called since.
            return keyOf({ ...now, maxLevel }) === keyOf(settings) ? now.maxLevel : undefined;
          },
          now: () => ports.now(),
          random: Math.random,
          log: (message) => ports.log.warn(message),
        });
    }
  }

  #settings(): BackendSettings {
    const { ports, env, defaultLevel } = this.#parts;
    return readBackendSettings(ports.settings, env, defaultLevel);
  }

  #project({ byRepository }: BackendSettings): string {
    const { root, git } = this.#parts;
    return byRepository && git !== undefined ? repositoryName(git) : basename(root).normalize('NFC');
  }

  /** What waits in the folder though nothing is sent from here. */
  async #waiting(reader?: Level): Promise<BackendView['queue']> {
    const { waiting, locked, oldest } = await this.#parts.store.spoolLook(reader);
    return { waiting, refused: locked, ...(oldest !== undefined && { oldest }) };
  }

  #changed(): void {
    for (const listener of this.#changes) listener();
  }
}

/** Equal for settings that the same backend serves; what is read at each call makes no other one. */
function keyOf(settings: BackendSettings): string {
  const { autoRecall: _recall, autoRetain: _retain, retainEveryTurns: _turns, ...lasting } = settings;
  return JSON.stringify(settings.kind === 'local' ? settings.kind : lasting);
}
