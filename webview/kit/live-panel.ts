import type { PropertyDeclarations } from 'lit';
import { errorText } from './host.ts';
import { HostPanel, type HostPanelOptions } from './host-panel.ts';

/** A panel whose view is read whole, one reading at a time, and that tells how old things are. */
export abstract class LivePanel<View, State, Tool extends string> extends HostPanel<View, State, Tool> {
  static override properties: PropertyDeclarations = { now: { state: true } };
  declare now: number;
  readonly #pause: number;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #busy = false;
  #again = false;

  /** @param pause between two ticks, in milliseconds */
  constructor(options: HostPanelOptions<State>, pause: number) {
    super(options);
    this.#pause = pause;
    this.now = Date.now();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#ticking = setInterval(() => this.tick(), this.#pause);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticking);
  }

  /** Asks the host for the view. */
  protected abstract ask(): Promise<View>;
  /** Something was read; `before` is undefined the first time. */
  protected abstract arrived(view: View, before: View | undefined): void;
  /** Reads what belongs to a view and is not part of it. */
  protected async readMore(_view: View): Promise<void> {}
  /** Time has passed. */
  protected abstract tick(): void;

  /** Reads everything anew, unless a reading is on its way: then once more after it. */
  protected override async read(): Promise<void> {
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#again = false;
    const { folder } = this.init ?? {};
    try {
      const view = await this.ask();
      if (folder !== this.init?.folder) return;
      const before = this.view;
      this.failure = '';
      this.view = view;
      this.now = Date.now();
      this.arrived(view, before);
      await this.readMore(view);
    } catch (error) {
      if (folder === this.init?.folder) this.failure = errorText(error);
    } finally {
      this.#busy = false;
      if (this.#again) this.changed();
    }
  }
}
