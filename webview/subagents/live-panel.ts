import {
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import type { BatchView, InitMessage, SubagentsView, TaskView } from '../../src/protocol.ts';
import { errorText, Host, type HostEvent } from '../kit/host.ts';
import { setLanguage, t } from '../kit/l10n.ts';
import { notices } from '../kit/notices.ts';
import { emptyState, errorState, loadingState } from '../kit/states.ts';
import { visible } from '../kit/text.ts';
import type { ToastBar } from '../kit/toast.ts';
import type { SubagentsTool } from './actions.ts';
import { isRunning } from './outcome.ts';
import { restoreState, type SubagentsState } from './state.ts';

const CHANGE_PAUSE = 60;
const TICK = 1_000;
/** Ages are told in minutes. */
const SLOW_TICK = 15_000;

/** A batch and, where one is meant, a task of it. */
interface Found {
  readonly batch: BatchView;
  readonly task: TaskView | undefined;
}

/** The connection to the host: what it read, what is remembered, and the clock that running tasks need. */
export abstract class LivePanel extends LitElement {
  static override properties: PropertyDeclarations = {
    init: { state: true },
    panel: { state: true },
    view: { state: true },
    failure: { state: true },
    dismissed: { state: true },
    now: { state: true },
  };
  declare init: InitMessage | undefined;
  declare panel: SubagentsState;
  /** Undefined until the first answer. */
  declare view: SubagentsView | undefined;
  /** Why the last reading failed. */
  declare failure: string;
  declare dismissed: ReadonlySet<string>;
  declare now: number;
  protected readonly host = new Host<SubagentsTool>(
    (event) => this.#hear(event),
    () => t('The extension did not answer. Try again.'),
  );
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #busy = false;
  #again = false;

  constructor() {
    super();
    this.init = undefined;
    this.panel = restoreState(this.host.state);
    this.view = undefined;
    this.failure = '';
    this.dismissed = new Set();
    this.now = Date.now();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#ticking = setInterval(this.#tick, TICK);
    this.host.post({ type: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticking);
  }

  protected abstract content(init: InitMessage, view: SubagentsView): TemplateResult;
  /** Where the focus goes when the control that had it is gone. */
  protected abstract focusContent(): void;
  /** Something was read; `before` is undefined the first time. */
  protected abstract arrived(view: SubagentsView, before: SubagentsView | undefined): void;

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('panel')) return;
    // At once: a panel that is hidden loses what waits to be saved.
    this.host.state = this.panel;
    const { shown } = this.panel;
    if (shown !== null && shown !== changed.get('panel')?.shown && this.view !== undefined) void this.#read();
  }

  protected override render() {
    return html`${this.#body()}<lode-toast @lode-closed=${() => this.focusContent()}></lode-toast>`;
  }

  #body(): TemplateResult {
    const { init, view, failure } = this;
    if (init === undefined) return loadingState();
    if (init.folder === null) {
      return emptyState({
        title: t('No folder is open.'),
        text: t('Subagents work in a folder. Open one to see what they do in it.'),
      });
    }
    const retry = () => void this.#read();
    if (view === undefined) {
      return failure === ''
        ? loadingState()
        : errorState(t('The subagents could not be read.'), visible(failure), retry);
    }
    return html`${notices(init, this.dismissed, this.#dismiss)}
      ${
        failure === ''
          ? nothing
          : html`<div class="banner error" role="alert"><span class="grow">${visible(failure)}</span>
            <button class="link" @click=${retry}>${t('Retry')}</button></div>`
      }
      ${this.content(init, view)}`;
  }

  protected find(target: { readonly batch: string; readonly task: string | undefined }): Found | undefined {
    const batch = this.view?.batches.find(({ id }) => id === target.batch);
    const task = batch?.tasks.find(({ id }) => id === target.task);
    return batch === undefined || (target.task !== undefined && task === undefined)
      ? undefined
      : { batch, task };
  }

  /** Our own doing and the host's notice of it arrive together; one reading serves both. */
  protected changed(): void {
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      void this.#read();
    }, CHANGE_PAUSE);
  }

  protected remember(change: Partial<SubagentsState>): void {
    this.panel = { ...this.panel, ...change };
  }

  protected get toasts(): ToastBar | null {
    return this.renderRoot.querySelector<ToastBar>('lode-toast');
  }

  /** Reads everything anew, unless a reading is on its way: then once more after it. */
  async #read(): Promise<void> {
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#again = false;
    const { folder } = this.init ?? {};
    try {
      const { shown } = this.panel;
      const view = await this.host.invoke<SubagentsView>(
        'subagents_show',
        shown === null ? {} : { whole: shown },
      );
      if (folder !== this.init?.folder) return;
      const before = this.view;
      this.failure = '';
      this.view = view;
      this.now = Date.now();
      this.arrived(view, before);
    } catch (error) {
      if (folder === this.init?.folder) this.failure = errorText(error);
    } finally {
      this.#busy = false;
      if (this.#again) this.changed();
    }
  }

  #hear(event: HostEvent): void {
    if (event.type === 'changed') this.changed();
    else if (event.type === 'notices') this.init = this.init && { ...this.init, notices: event.notices };
    else if (event.type === 'init') {
      setLanguage(event.strings, event.locale);
      document.documentElement.lang = event.locale;
      // Another folder's subagents mean nothing here.
      if (this.init !== undefined && this.init.folder !== event.folder) {
        this.panel = restoreState(undefined);
        this.view = undefined;
      }
      this.init = event;
      if (event.folder !== null) void this.#read();
    }
  }

  readonly #tick = (): void => {
    const running = this.view?.batches.some(isRunning) === true;
    const now = Date.now();
    if (running || now - this.now >= SLOW_TICK) this.now = now;
  };

  readonly #dismiss = (notice: string): void => {
    this.dismissed = new Set([...this.dismissed, notice]);
  };
}
