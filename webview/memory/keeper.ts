import type { PanelState } from './state.ts';

/** Scrolling and typing change the state with every event. Milliseconds. */
const PAUSE = 150;

/** Keeps the panel's state over hiding and reloading it. */
export class Keeper {
  readonly #write: (state: PanelState) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest: PanelState | undefined;

  constructor(write: (state: PanelState) => void) {
    this.#write = write;
  }

  /** The state became another one. */
  changed(before: PanelState | undefined, now: PanelState): void {
    clearTimeout(this.#timer);
    this.#latest = now;
    // A hidden panel's document goes at once and says nothing more: what was typed may not wait.
    if (before?.draft !== now.draft || before?.route !== now.route) this.save();
    else this.#timer = setTimeout(this.save, PAUSE);
  }

  readonly save = (): void => {
    if (this.#latest !== undefined) this.#write(this.#latest);
  };
}
