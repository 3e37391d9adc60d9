import type { PropertyDeclarations, PropertyValues } from 'lit';
import type { BatchView, LeftView, SubagentsView, TaskView } from '../../src/subagentProtocol.ts';
import { t } from '../kit/l10n.ts';
import { LivePanel } from '../kit/live-panel.ts';
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
export abstract class LiveSubagents extends LivePanel<SubagentsView, SubagentsState, SubagentsTool> {
  static override properties: PropertyDeclarations = { left: { state: true } };
  /** Work that no batch knows of any more. */
  declare left: readonly LeftView[];
  /** What the work that was left behind depends on, as it was when that was read. */
  #leftStamp = '';

  constructor() {
    const texts = () => ({
      noFolder: t('Subagents work in a folder. Open one to see what they do in it.'),
      failed: t('The subagents could not be read.'),
    });
    super({ restore: restoreState, texts }, TICK);
    this.left = [];
  }

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

  protected override ask(): Promise<SubagentsView> {
    const { shown } = this.panel;
    return this.host.invoke('subagents_show', shown === null ? {} : { whole: shown });
  }

  protected override async readMore(view: SubagentsView): Promise<void> {
    // Git is asked for it: not with every step of a running task.
    const stamp = JSON.stringify([this.init?.folder, view.batches.map(standing)]);
    if (stamp !== this.#leftStamp) await this.#readLeft();
    this.#leftStamp = stamp;
  }

  /** What was left behind is read with the next reading. */
  protected leftChanged(): void {
    this.#leftStamp = '';
    this.changed();
  }

  async #readLeft(): Promise<void> {
    this.left = (await this.host.invoke<readonly LeftView[] | null>('subagents_left', {})) ?? [];
  }

  protected override tick(): void {
    const running = this.view?.batches.some(isRunning) === true;
    const now = Date.now();
    if (running || now - this.now >= SLOW_TICK) this.now = now;
  }
}

function standing({ id, tasks }: BatchView): unknown {
  return [id, tasks.map(({ status, landing }) => [status, landing?.state])];
}
