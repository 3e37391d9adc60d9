/** Runs jobs in search threads, from the host. */
import { Worker } from 'node:worker_threads';
import { Limiter } from '../limiter.ts';
import type { Job, SearchMessage, Tally } from './searchMessages.ts';
import { orAborted, WorkspaceError } from './tool.ts';

/** Threads at one time in this process; other jobs wait. */
const threads = new Limiter(() => 2);
/** A search that takes longer has a pattern that is too costly, or too much to look at. Milliseconds. */
const PATIENCE = 20_000;
/** Keeps what one search may use small. */
const MEMORY = { maxOldGenerationSizeMb: 256 };

export interface Searched {
  readonly lines: readonly string[];
  /** Whose content the lines show, from the workspace folder. */
  readonly files: readonly string[];
  /** Undefined when the time was up first. */
  readonly tally: Tally | undefined;
}

export class SearchThreads {
  readonly #entry: URL;
  readonly #patience: number;

  /**
   * @param entry the thread's script, beside the bundle that runs
   * @param patience milliseconds that one job may take
   */
  constructor(entry: URL, patience = PATIENCE) {
    this.#entry = entry;
    this.#patience = patience;
  }

  /**
   * Runs one job; what was found when the time is up is the answer.
   * @throws WorkspaceError for a pattern that is none; the signal's reason when it is cancelled.
   */
  async run(job: Job, signal: AbortSignal): Promise<Searched> {
    return threads.run(() => this.#runNow(job, signal), signal);
  }

  async #runNow(job: Job, signal: AbortSignal): Promise<Searched> {
    signal.throwIfAborted();
    const worker = new Worker(this.#entry, {
      workerData: job,
      resourceLimits: MEMORY,
      execArgv: [],
      env: {},
    });
    const lines: string[] = [];
    const files: string[] = [];
    let timer: NodeJS.Timeout | undefined;
    const ended = new Promise<Tally | undefined>((resolve, reject) => {
      timer = setTimeout(() => resolve(undefined), this.#patience);
      worker.on('message', (message: SearchMessage) => {
        if (message.type === 'found') {
          for (const line of message.lines) lines.push(line);
          if (message.file !== undefined) files.push(message.file);
        } else if (message.type === 'done') resolve(message.tally);
        else reject(new WorkspaceError(message.message));
      });
      worker.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          reject(
            new WorkspaceError(
              'The search needed too much memory. Look in one folder, or use a simpler pattern.',
            ),
          );
        else reject(error);
      });
      worker.on('exit', () => reject(new WorkspaceError('The search ended before it was done. Try again.')));
    });
    try {
      const tally = await orAborted(ended, signal);
      return { lines, files, tally };
    } finally {
      clearTimeout(timer);
      // Nobody waits for it, so that a thread that is slow to end keeps no answer back.
      void worker.terminate();
    }
  }
}
