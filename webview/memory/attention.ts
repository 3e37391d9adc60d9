import type { Host } from '../kit/host.ts';
import type { Counts } from './views.ts';

/** Agents write in bursts, and what waits for a person waits for a moment more. */
const PAUSE = 1_500;
/** Looking takes at most this part of the time, however large the memory is. */
const SHARE = 1 / 20;

/** Looks, now and then, what waits for the person in the views that are not shown. */
export class Attention {
  readonly #host: Host;
  readonly #found: (counts: Counts) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: AbortController | undefined;
  #pause = PAUSE;

  constructor(host: Host, found: (counts: Counts) => void) {
    this.#host = host;
    this.#found = found;
  }

  /** Looks again in a moment. */
  look(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#count();
    }, this.#pause);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#looking?.abort();
  }

  async #count(): Promise<void> {
    this.#looking?.abort();
    const looking = new AbortController();
    this.#looking = looking;
    const { signal } = looking;
    const began = performance.now();
    await Promise.all([
      this.#each(async () => {
        const { drafts } = await this.#host.invoke<{ drafts: unknown[] }>('memory_drafts', {}, { signal });
        return { drafts: drafts.length };
      }),
      this.#each(async () => {
        const [health, conflicts] = await Promise.all([
          this.#host.invoke<{ findings: unknown[] }>('context_health', {}, { signal }),
          this.#host.invoke<{ total: number }>('memory_conflicts', { kind: 'texts' }, { signal }),
        ]);
        return { health: health.findings.length + conflicts.total };
      }),
    ]);
    this.#pause = Math.max(PAUSE, (performance.now() - began) / SHARE);
  }

  /** What cannot be counted shows no number: its own view says why. */
  async #each(count: () => Promise<Counts>): Promise<void> {
    try {
      this.#found(await count());
    } catch {}
  }
}
