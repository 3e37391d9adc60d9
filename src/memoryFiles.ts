/** Keeps memory and the Markdown files of the work tree together, for as long as the person wants it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log, Settings } from './ports.ts';
import type { OpenStore } from './worker/client.ts';
import type { FilesInput, FilesReport } from './worker/filesApi.ts';

/** How often the folder is looked at; a person's edit is memory after this and `SETTLE`. */
const POLL = 1_000;
/** Several changes at once, such as of a checkout, are one. */
const SETTLE = 300;
/** Another process looks at the files for a moment. */
const BUSY = 500;
/** Until a full disk has room again, or a folder may be written. */
const RETRY = 30_000;

export interface MemoryFiles {
  /** Looks at the files soon, such as when the setting changed. */
  look(): void;
  /** Looks at them at once. @param missing see `FilesInput` */
  sync(missing?: FilesInput['missing']): Promise<FilesReport | undefined>;
}

export interface MemoryFilesOptions {
  readonly store: Pick<OpenStore, 'filesSync' | 'onChange'>;
  readonly workTree: string;
  readonly settings: Pick<Settings, 'get'>;
  readonly log: Pick<Log, 'warn'>;
  readonly branch: () => string;
  readonly trusted: () => boolean;
  /** Memory was written here. Returns the unsubscribe function. */
  readonly onWrite: (listener: () => void) => () => void;
  /** Told of what came of a look. */
  readonly tell: (report: FilesReport) => void;
}

export class MemoryFilesKeeper implements MemoryFiles {
  readonly #options: MemoryFilesOptions;
  readonly #dir: string;
  readonly #stops: readonly (() => void)[];
  readonly #poll: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #seen: string | undefined;
  #failed = '';
  /** What was last told, when there was something. */
  #told = JSON.stringify([[], []]);
  #closed = false;

  constructor(options: MemoryFilesOptions) {
    this.#options = options;
    this.#dir = join(options.workTree, '.lodeline', 'memory');
    const look = (): void => this.look();
    this.#stops = [options.store.onChange(look), options.onWrite(look)];
    this.#poll = setInterval(() => void this.#watch(), POLL);
    this.#poll.unref();
  }

  look(wait = SETTLE): void {
    if (this.#closed || !this.#isOn()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.sync(), wait);
    this.#timer.unref();
  }

  async sync(missing?: FilesInput['missing']): Promise<FilesReport | undefined> {
    const run = this.#running.then(() => this.#sync(missing));
    this.#running = run.catch(() => {});
    return await run;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
    await this.#running;
  }

  async #sync(missing: FilesInput['missing']): Promise<FilesReport | undefined> {
    if (this.#closed || !this.#isOn()) return undefined;
    const { store, branch, tell, log } = this.#options;
    try {
      const report = await store.filesSync({ branch: branch(), missing });
      this.#failed = '';
      if (report.isBusy) {
        this.look(BUSY);
        return report;
      }
      const { problems, missing: gone, written, removed, created, changed, restored, forgotten } = report;
      const told = JSON.stringify([problems, gone]);
      const acted = [written, removed, created, changed, restored, forgotten].some(
        ({ length }) => length > 0,
      );
      if (acted || told !== this.#told) tell(report);
      this.#told = told;
      return report;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== this.#failed) log.warn(why);
      this.#failed = why;
      this.look(RETRY);
      if (missing !== undefined) throw error;
      return undefined;
    }
  }

  /** Names, times and sizes tell of every edit; a watcher of the system would miss a folder that is not there yet. */
  async #watch(): Promise<void> {
    if (this.#closed || !this.#isOn()) return;
    const seen = await signatureOf(this.#dir);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.look();
  }

  #isOn(): boolean {
    return this.#options.settings.get('memory.files') === true && this.#options.trusted();
  }
}

async function signatureOf(dir: string): Promise<string> {
  try {
    const names = (await readdir(dir)).filter((name) => !name.startsWith('.')).sort();
    const stats = await Promise.all(names.map((name) => stat(join(dir, name)).catch(() => undefined)));
    return names.map((name, at) => `${name} ${stats[at]?.mtimeMs} ${stats[at]?.size}`).join('\n');
  } catch {
    return '';
  }
}
