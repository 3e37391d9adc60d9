import type { PropertyDeclarations, PropertyValues } from 'lit';
import type { BatchView, LeftView, SubagentsView, TaskView } from '../../src/subagentProtocol.ts';
import { errorText } from '../kit/host.ts';
import { HostPanel } from '../kit/host-panel.ts';
import { t } from '../kit/l10n.ts';
import type { SubagentsTool } from './actions.ts';
import { isRunning } from './outcome.ts';
import { restoreState, type SubagentsState } from './state.ts';

const TICK = 1_000;
/** Ages are told in minutes. */
const SLOW_TICK = 15_000;

/** A batch and, where one is meant, a task of it. */
interface Found {
  readonly batch: BatchView;
  readonly task: TaskView | undefined;
}

/** What the panel of subagents reads, and the clock that running tasks need. */
export abstract class LivePanel extends HostPanel<SubagentsView, SubagentsState, SubagentsTool> {
  static override properties: PropertyDeclarations = { now: { state: true }, left: { state: true } };
  declare now: number;
  /** Work that no batch knows of any more. */
  declare left: readonly LeftView[];
  #ticking: ReturnType<typeof setInterval> | undefined;
  #busy = false;
  #again = false;
  /** What the work that was left behind depends on, as it was when that was read. */
  #leftStamp = '';

  constructor() {
    super({
      restore: restoreState,
      texts: () => ({
        noFolder: t('Subagents work in a folder. Open one to see what they do in it.'),
        failed: t('The subagents could not be read.'),
      }),
    });
    this.now = Date.now();
    this.left = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#ticking = setInterval(this.#tick, TICK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticking);
  }

  /** Something was read; `before` is undefined the first time. */
  protected abstract arrived(view: SubagentsView, before: SubagentsView | undefined): void;

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('panel')) return;
    const { shown } = this.panel;
    if (shown !== null && shown !== changed.get('panel')?.shown && this.view !== undefined) void this.read();
  }

  protected find(target: { readonly batch: string; readonly task: string | undefined }): Found | undefined {
    const batch = this.view?.batches.find(({ id }) => id === target.batch);
    const task = batch?.tasks.find(({ id }) => id === target.task);
    return batch === undefined || (target.task !== undefined && task === undefined)
      ? undefined
      : { batch, task };
  }

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
      const { shown } = this.panel;
      const input = shown === null ? {} : { whole: shown };
      const view = await this.host.invoke<SubagentsView>('subagents_show', input);
      if (folder !== this.init?.folder) return;
      const before = this.view;
      this.failure = '';
      this.view = view;
      this.now = Date.now();
      this.arrived(view, before);
      // Git is asked for it: not with every step of a running task.
      const stamp = JSON.stringify([folder, view.batches.map(standing)]);
      if (stamp !== this.#leftStamp) await this.#readLeft();
      this.#leftStamp = stamp;
    } catch (error) {
      if (folder === this.init?.folder) this.failure = errorText(error);
    } finally {
      this.#busy = false;
      if (this.#again) this.changed();
    }
  }

  /** What was left behind is read with the next reading. */
  protected leftChanged(): void {
    this.#leftStamp = '';
    this.changed();
  }

  async #readLeft(): Promise<void> {
    this.left = (await this.host.invoke<readonly LeftView[] | null>('subagents_left', {})) ?? [];
  }

  readonly #tick = (): void => {
    const running = this.view?.batches.some(isRunning) === true;
    const now = Date.now();
    if (running || now - this.now >= SLOW_TICK) this.now = now;
  };
}

function standing({ id, tasks }: BatchView): unknown {
  return [id, tasks.map(({ status, landing }) => [status, landing?.state])];
}
