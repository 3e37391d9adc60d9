import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { InitMessage } from '../../src/protocol.ts';
import { Host, type HostEvent } from './host.ts';
import { setLanguage, t } from './l10n.ts';
import { notices } from './notices.ts';
import { lockedPage } from './seal.ts';
import { emptyState, errorState, loadingState } from './states.ts';
import { visible } from './text.ts';
import type { ToastBar } from './toast.ts';

interface Texts {
  readonly noFolder: string;
  readonly failed: string;
}

export interface HostPanelOptions<State> {
  restore(stored: unknown): State;
  /** Functions, since the language is known only later. */
  texts(): Texts;
}

const CHANGE_PAUSE = 60;

/** A panel that shows one view: its connection to the host, what it read, and the state that it remembers. */
export abstract class HostPanel<View, State, Tool extends string> extends LitElement {
  static override properties: PropertyDeclarations = {
    init: { state: true },
    panel: { state: true },
    view: { state: true },
    failure: { state: true },
    dismissed: { state: true },
  };
  declare init: InitMessage | undefined;
  declare panel: State;
  /** Undefined until the first answer. */
  declare view: View | undefined;
  /** Why the last reading failed. */
  declare failure: string;
  declare dismissed: ReadonlySet<string>;
  protected readonly host = new Host<Tool>(
    (event) => this.#hear(event),
    () => t('The extension did not answer. Try again.'),
  );
  readonly #options: HostPanelOptions<State>;
  #changeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HostPanelOptions<State>) {
    super();
    this.#options = options;
    this.init = undefined;
    this.panel = options.restore(this.host.state);
    this.view = undefined;
    this.failure = '';
    this.dismissed = new Set();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.host.post({ type: 'ready' });
  }

  /** Reads what is shown anew. */
  protected abstract read(): Promise<void>;
  protected abstract content(init: InitMessage, view: View): TemplateResult;
  /** Where the focus goes when the control that had it is gone. */
  protected abstract focusContent(): void;

  protected override render() {
    return html`${this.#body()}<lode-toast @lode-closed=${() => this.focusContent()}></lode-toast>`;
  }

  #body(): TemplateResult {
    const { init, view, failure } = this;
    if (init === undefined) return loadingState();
    const texts = this.#options.texts();
    if (init.folder === null) return emptyState({ title: t('No folder is open.'), text: texts.noFolder });
    const locked = lockedPage(init, () => this.host.post({ type: 'enterKey' }));
    if (locked !== undefined) return locked;
    const retry = () => void this.read();
    if (view === undefined)
      return failure === '' ? loadingState() : errorState(texts.failed, visible(failure), retry);
    return html`${notices(init, this.dismissed, this.#dismiss)}
      ${
        failure === ''
          ? nothing
          : html`<div class="banner error" role="alert"><span class="grow">${visible(failure)}</span>
            <button class="link" @click=${retry}>${t('Retry')}</button></div>`
      }
      ${this.content(init, view)}`;
  }

  /** Our own doing and the host's notice of it arrive together; one reading serves both. */
  protected changed(): void {
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      void this.read();
    }, CHANGE_PAUSE);
  }

  protected remember(change: Partial<State>): void {
    this.#keep({ ...this.panel, ...change });
  }

  /** At once: a panel that is hidden loses what waits to be saved. */
  #keep(panel: State): void {
    this.panel = panel;
    this.host.state = panel;
  }

  protected get toasts(): ToastBar | null {
    return this.renderRoot.querySelector<ToastBar>('lode-toast');
  }

  #hear(event: HostEvent): void {
    if (event.type === 'changed') this.changed();
    else if (event.type === 'notices') this.#noticed(event);
    else if (event.type === 'init') {
      setLanguage(event.strings, event.locale);
      document.documentElement.lang = event.locale;
      // What belongs to another folder means nothing here.
      if (this.init !== undefined && this.init.folder !== event.folder) {
        this.#keep(this.#options.restore(undefined));
        this.view = undefined;
      }
      this.init = event;
      if (event.folder !== null) void this.read();
    }
  }

  #noticed({ notices, seal }: Extract<HostEvent, { type: 'notices' }>): void {
    const wasLocked = this.init?.seal?.locked != null;
    this.init = this.init && { ...this.init, notices, seal };
    if (wasLocked && seal?.locked == null) void this.read();
  }

  readonly #dismiss = (notice: string): void => {
    this.dismissed = new Set([...this.dismissed, notice]);
  };
}
