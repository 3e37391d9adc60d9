/** Progress of calls that take long, for clients that asked for it: one that hears of a call waits on for its answer. */
import type { News } from '../news.ts';

/** Nothing is told sooner than this after the call's start or after what was told last; short calls tell nothing. */
const SOON_MS = 1_000;
/** So often at least, whatever comes of the work: clients give up on what is silent, by default after a minute. */
const SILENT_MS = 15_000;

export interface ProgressParts {
  /** Of the tool that was called. */
  readonly name: string;
  readonly news: Pick<News, 'onWork'>;
  /** Fires when the client does not wait any more. */
  readonly signal: AbortSignal;
  /** @param progress is greater each time, as the protocol demands */
  send(told: { readonly progress: number; readonly message: string }): Promise<void>;
}

/**
 * Tells that a call still runs: soon after something came of subagents or messages, and at least every 15 s. Work of
 * others counts, too, as all that is told is that there is some.
 * @returns the function that ends it, after which nothing is told.
 */
export function tellProgress({ name, news, signal, send }: ProgressParts): () => void {
  const started = Date.now();
  let last = started;
  let progress = 0;
  let due = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    last = Date.now();
    const seconds = Math.round((last - started) / 1000);
    // Without a connection there is nobody to tell.
    send({ progress: ++progress, message: `${name} has been at work for ${seconds} s` }).catch(() => {});
    due = Number.POSITIVE_INFINITY;
    tellAt(last + SILENT_MS);
  };
  const tellAt = (time: number): void => {
    if (time >= due) return;
    due = time;
    clearTimeout(timer);
    timer = setTimeout(tell, Math.max(0, time - Date.now())).unref();
  };
  const unsubscribe = news.onWork(() => tellAt(last + SOON_MS));
  const stop = (): void => {
    clearTimeout(timer);
    unsubscribe();
    signal.removeEventListener('abort', stop);
  };
  tellAt(started + SILENT_MS);
  signal.addEventListener('abort', stop);
  return stop;
}
