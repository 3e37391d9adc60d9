import {
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import type { InitMessage, Phrase, SessionRow } from '../../src/protocol.ts';
import { errorText, Host, type HostEvent } from './host.ts';
import { phraseText, setLanguage, t } from './l10n.ts';
import { notices } from './notices.ts';
import { emptyState, errorState, loadingState } from './states.ts';
import { visible } from './text.ts';
import type { ToastBar } from './toast.ts';

export interface SessionView {
  readonly session: SessionRow | null;
  readonly sessions: readonly SessionRow[];
  /** Why what the session holds cannot be shown; then what is shown of it is empty. */
  readonly unreadable?: Phrase | undefined;
}

/** What every panel of a session remembers. */
export interface SessionState {
  readonly version: 1;
  /** The session the person chose; empty follows the most recently active one that has something to show. */
  readonly session: string;
}

interface Texts {
  readonly noFolder: string;
  readonly failed: string;
}

interface PanelOptions<State, Tool> {
  /** The tool that reads the view. */
  readonly show: Tool;
  restore(stored: unknown): State;
  /** Functions, since the language is known only later. */
  texts(): Texts;
}

const CHANGE_PAUSE = 60;

/** A panel that shows one thing of one session: the connection to the host, what it read, and its state. */
export abstract class SessionPanel<
  View extends SessionView,
  State extends SessionState,
  Tool extends string,
> extends LitElement {
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
  readonly #options: PanelOptions<State, Tool>;
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  #reading = 0;

  constructor(options: PanelOptions<State, Tool>) {
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
    window.addEventListener('pagehide', this.#save);
    this.host.post({ type: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('pagehide', this.#save);
  }

  protected abstract content(init: InitMessage, view: View): TemplateResult;
  /** Where the focus goes when the control that had it is gone. */
  protected abstract focusContent(): void;
  /** The session that something unfinished belongs to; it stays in view until that is finished. */
  protected abstract heldSession(): string;
  /** Something was read. */
  protected arrived(_view: View): void {}

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('panel')) return;
    // At once: a panel that is hidden loses what waits to be saved.
    this.#save();
  }

  protected override render() {
    return html`${this.#body()}<lode-toast @lode-closed=${() => this.focusContent()}></lode-toast>`;
  }

  /** The session that is shown, the choice of another one, and what stands beside them. */
  protected sessionBar(
    init: InitMessage,
    view: View,
    beside: unknown = nothing,
  ): TemplateResult | typeof nothing {
    if (view.session === null) return nothing;
    const { id } = view.session;
    return html`<div class="bar">
      <lode-sessions .session=${view.session} .sessions=${view.sessions} .chosen=${this.panel.session}
        .canResume=${init.trusted && view.unreadable === undefined}
        @lode-session=${({ detail }: CustomEvent<string>) => this.choose(detail)}
        @lode-resume=${() => this.host.post({ type: 'resume', session: id })}></lode-sessions>
      ${beside}</div>`;
  }

  #body(): TemplateResult {
    const { init, view, failure } = this;
    if (init === undefined) return loadingState();
    const texts = this.#options.texts();
    if (init.folder === null) return emptyState({ title: t('No folder is open.'), text: texts.noFolder });
    if (view === undefined) {
      return failure === ''
        ? loadingState()
        : errorState(texts.failed, visible(failure), () => void this.read());
    }
    return html`${notices(init, this.dismissed, this.#dismiss)}
      ${
        failure === ''
          ? nothing
          : html`<div class="banner error" role="alert"><span class="grow">${visible(failure)}</span>
            <button class="link" @click=${() => void this.read()}>${t('Retry')}</button></div>`
      }
      ${view.unreadable === undefined ? this.content(init, view) : this.#unreadable(init, view, view.unreadable)}`;
  }

  #unreadable(init: InitMessage, view: View, reason: Phrase): TemplateResult {
    return html`${this.sessionBar(init, view)}<div class="body">${emptyState({
      title: t('This session cannot be read here.'),
      text: visible(phraseText(reason)),
      action: { label: t('Retry'), run: () => void this.read() },
    })}</div>`;
  }

  /** Reads what is shown anew. A later reading, or `settle`, makes the answer of this one void. */
  protected async read(): Promise<void> {
    const reading = ++this.#reading;
    const session = this.heldSession() || this.panel.session;
    try {
      const view = await this.host.invoke<View>(this.#options.show, session === '' ? {} : { session });
      if (reading !== this.#reading) return;
      if (session !== '' && view.session?.id !== session) {
        // It is gone, and with it what was begun in it.
        this.choose('');
        return;
      }
      this.failure = '';
      this.view = view;
      this.arrived(view);
    } catch (error) {
      if (reading !== this.#reading) return;
      // What was remembered from before this start may be gone by now.
      if (session !== '' && this.view === undefined) this.choose('');
      else this.failure = errorText(error);
    }
  }

  /** Readings on their way are older than what is known now. */
  protected settle(): void {
    this.#reading++;
    this.changed();
  }

  /** Our own write and the host's notice of it arrive together; one reading serves both. */
  protected changed(): void {
    clearTimeout(this.#changeTimer);
    this.#changeTimer = setTimeout(() => void this.read(), CHANGE_PAUSE);
  }

  /** Shows another session, whatever is unfinished in this one; empty follows the latest. */
  protected choose(session: string): void {
    this.remember({ session } as Partial<State>);
    void this.read();
  }

  protected remember(change: Partial<State>): void {
    this.panel = { ...this.panel, ...change };
  }

  protected get toasts(): ToastBar | null {
    return this.renderRoot.querySelector<ToastBar>('lode-toast');
  }

  #hear(event: HostEvent): void {
    if (event.type === 'changed') this.changed();
    else if (event.type === 'notices') this.init = this.init && { ...this.init, notices: event.notices };
    else if (event.type === 'init') {
      setLanguage(event.strings, event.locale);
      document.documentElement.lang = event.locale;
      // Another folder's sessions mean nothing here.
      if (this.init !== undefined && this.init.folder !== event.folder) {
        this.panel = this.#options.restore(undefined);
        this.view = undefined;
      }
      this.init = event;
      if (event.folder !== null) void this.read();
    }
  }

  readonly #dismiss = (notice: string): void => {
    this.dismissed = new Set([...this.dismissed, notice]);
  };

  readonly #save = (): void => {
    this.host.state = this.panel;
  };
}
