import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { InitMessage, ShowRequest } from '../../src/protocol.ts';
import { Host, type HostEvent } from '../kit/host.ts';
import { handled, isGoBack, isPlain, isTyping } from '../kit/keys.ts';
import { setLanguage, t } from '../kit/l10n.ts';
import { notices } from '../kit/notices.ts';
import { loadingState } from '../kit/states.ts';
import type { ToastBar } from '../kit/toast.ts';
import { MemoryActions } from './actions.ts';
import { appStyles } from './app-styles.ts';
import { Attention } from './attention.ts';
import { insteadOfMemory, unsavedGuard } from './banners.ts';
import { newDraft } from './entry-form.ts';
import type { EntryPane } from './entry-pane.ts';
import type { IndexView } from './index-view.ts';
import { Keeper } from './keeper.ts';
import { layoutOf, PREVIEW_WIDTH } from './layout.ts';
import { Navigation } from './navigation.ts';
import {
  type Criteria,
  type Draft,
  NO_CRITERIA,
  type PanelState,
  type Route,
  restoreState,
} from './state.ts';
import { type Counts, type Keeping, type Tab, type View, type ViewParts, viewName, viewOf } from './views.ts';

const CHANGE_PAUSE = 60;

/** The memory browser: owns the panel's state, its routes and the connection to the host. */
export class MemoryApp extends LitElement {
  static override properties = {
    init: { state: true },
    panel: { state: true },
    version: { state: true },
    size: { state: true },
    dismissed: { state: true },
    leaving: { state: true },
    counts: { state: true },
  };
  declare init: InitMessage | undefined;
  declare panel: PanelState;
  declare version: number;
  declare size: { readonly width: number; readonly height: number };
  declare dismissed: ReadonlySet<string>;
  /** What to do once the person has decided about unsaved changes. */
  declare leaving: (() => void) | undefined;
  /** What waits for the person, by view. */
  declare counts: Counts;
  readonly #host = new Host(
    (event) => this.#hear(event),
    () => t('The extension did not answer. Try again.'),
  );
  readonly #actions = new MemoryActions(this.#host, {
    toast: (toast) => this.#toasts?.show(toast),
    changed: () => this.#changed(),
  });
  readonly #attention = new Attention(this.#host, (counts) => {
    this.counts = { ...this.counts, ...counts };
  });
  readonly #nav = new Navigation({
    panel: () => this.panel,
    update: (change) => this.#update(change),
    ask: (then) => {
      this.leaving = then;
    },
    arrived: () => void this.#focusSoon(),
    searching: () => void this.updateComplete.then(() => this.#index?.focusSearch()),
  });
  readonly #resize = new ResizeObserver(() => {
    this.size = { width: this.clientWidth, height: this.clientHeight };
  });
  readonly #keeper = new Keeper((state) => {
    this.#host.state = state;
  });
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  #restored = false;

  static override styles = appStyles;

  constructor() {
    super();
    this.init = undefined;
    this.panel = restoreState(this.#host.state);
    this.version = 0;
    this.size = { width: 0, height: 0 };
    this.dismissed = new Set();
    this.leaving = undefined;
    this.counts = {};
    this.addEventListener('keydown', this.#key);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
    window.addEventListener('pagehide', this.#keeper.save);
    this.#host.post({ type: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    window.removeEventListener('pagehide', this.#keeper.save);
    this.#attention.stop();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('panel')) this.#keeper.changed(changed.get('panel'), this.panel);
    if (!this.#restored && this.#index !== null) {
      this.#restored = true;
      void this.#index.restoreScroll(this.panel.scroll);
    }
    if (changed.has('leaving') && this.leaving !== undefined) {
      this.renderRoot.querySelector<HTMLElement>('.guard vscode-button')?.focus();
    }
  }

  protected override render() {
    return html`${this.#content()}<lode-toast @lode-closed=${() => this.#focusSoon()}></lode-toast>`;
  }

  #content(): TemplateResult {
    const { init } = this;
    if (init === undefined) return loadingState();
    const instead = insteadOfMemory(init, () => this.#host.post({ type: 'enterKey' }));
    if (instead !== undefined) return instead;
    const { route, view } = this.panel;
    const { wide, beside, split, beneath, covered } = layoutOf(this.panel, init.place, this.size);
    return html`
      ${notices(init, this.dismissed, this.#dismiss)}
      ${this.leaving === undefined ? nothing : unsavedGuard(this.#stay, this.#discard)}
      <lode-views
        ?hidden=${covered} .view=${view} .counts=${this.counts}
        @lode-view=${({ detail }: CustomEvent<Tab>) => this.#nav.leave(() => this.#nav.show(detail))}
      ></lode-views>
      <div class="panes ${split ? 'wide' : beneath ? 'beneath' : ''}">
        ${this.#list(init, wide, covered)}
        ${view === 'entries' ? nothing : html`<div class="view" role="tabpanel" aria-label=${viewName(view)} ?hidden=${covered}>${viewOf(view, this.#parts(init, beside))}</div>`}
        ${
          route.view !== 'index'
            ? this.#pane(init, route)
            : split
              ? html`<div class="side nothing muted">${t('Select an entry to read it.')}</div>`
              : nothing
        }
      </div>
      <lode-backend ?hidden=${covered} .parts=${this.#parts(init, beside, 'backend')}></lode-backend>
    `;
  }

  #parts(init: InitMessage, beside: boolean, of: Keeping = this.panel.view): ViewParts {
    const { route, kept } = this.panel;
    return {
      host: this.#host,
      actions: this.#actions,
      version: this.version,
      canWrite: init.trusted,
      current: beside && 'id' in route ? route.id : '',
      kept: kept[of],
      keep: (state) => this.#update({ kept: { ...this.panel.kept, [of]: state } }),
      open: (id, focus) => this.#nav.open(id, focus || !beside),
      go: (next) => this.#nav.leave(() => this.#go(next)),
      say: (text) => this.#toasts?.say(text),
      counted: (tab, size) => {
        if (this.counts[tab] !== size) this.counts = { ...this.counts, [tab]: size };
      },
    };
  }

  /** Shows a view that was not chosen in the switch, which then has the focus. */
  #go(view: View): void {
    this.#nav.show(view);
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('lode-views')?.focus());
  }

  #list(init: InitMessage, wide: boolean, covered: boolean): TemplateResult {
    const { panel } = this;
    return html`<lode-index role="tabpanel" aria-label=${viewName('entries')}
      ?hidden=${covered || panel.view !== 'entries'}
      .host=${this.#host} .actions=${this.#actions} .criteria=${panel.criteria} .version=${this.version}
      .filtersOpen=${panel.filtersOpen} .previews=${panel.previews ?? this.size.width >= PREVIEW_WIDTH}
      .canWrite=${init.trusted} .canOpenAside=${init.place === 'sidebar'}
      .current=${wide && 'id' in panel.route ? panel.route.id : ''}
      @lode-criteria=${({ detail }: CustomEvent<Partial<Criteria>>) => this.#update({ criteria: { ...this.panel.criteria, ...detail }, scroll: 0 })}
      @lode-panel=${() => this.#update({ filtersOpen: !this.panel.filtersOpen })}
      @lode-previews=${({ detail }: CustomEvent<boolean>) => this.#update({ previews: detail })}
      @lode-scroll=${({ detail }: CustomEvent<{ offset: number }>) => this.#update({ scroll: detail.offset })}
      @lode-open=${({ detail }: CustomEvent<{ id: string; key: boolean }>) => this.#nav.open(detail.id, detail.key || !wide)}
      @lode-add=${() => this.#nav.leave(() => this.#nav.go({ view: 'add' }))}
      @lode-aside=${() => this.#host.post({ type: 'openInEditor' })}
      @lode-say=${({ detail }: CustomEvent<string>) => this.#toasts?.say(detail)}
    ></lode-index>`;
  }

  #pane(init: InitMessage, route: Exclude<Route, { view: 'index' }>): TemplateResult {
    return html`<lode-entry class="side"
      .host=${this.#host} .actions=${this.#actions} .route=${route} .draft=${this.panel.draft}
      .version=${this.version} .canWrite=${init.trusted} .canOpenAside=${init.place === 'sidebar'}
      @lode-go=${({ detail }: CustomEvent<Route>) => this.#nav.leave(() => this.#nav.go(detail))}
      @lode-back=${this.#nav.leaveBack} @lode-cancel=${this.#nav.leaveBack}
      @lode-leave=${() => this.#nav.back()}
      @lode-tag=${({ detail }: CustomEvent<string>) => this.#nav.showIndex({ ...NO_CRITERIA, tags: [detail] })}
      @lode-draft=${({ detail }: CustomEvent<Draft>) => this.#update({ draft: detail })}
      @lode-saved=${({ detail }: CustomEvent<string | undefined>) => this.#nav.saved(detail)}
    ></lode-entry>`;
  }

  #hear(event: HostEvent): void {
    if (event.type === 'changed') this.#changed();
    else if (event.type === 'notices') this.init = this.init && { ...this.init, ...event, type: 'init' };
    else if (event.type === 'show') this.#show(event.show);
    else {
      setLanguage(event.strings, event.locale);
      document.documentElement.lang = event.locale;
      if (this.init !== undefined) {
        // Another folder's entries mean nothing here.
        if (this.init.folder !== event.folder) this.#nav.leave(() => this.#nav.reset());
        this.#changed();
      }
      this.init = event;
      if (event.folder !== null) this.#attention.look();
      if (event.show !== null) this.#show(event.show);
    }
  }

  #show(show: ShowRequest): void {
    this.#nav.leave(() => {
      if (show.view === 'entry') this.#nav.go({ view: 'entry', id: show.id });
      else if (show.view === 'index') this.#nav.showIndex({ ...NO_CRITERIA, query: show.query ?? '' });
      else {
        this.#update({ draft: newDraft(show) });
        this.#nav.go({ view: 'add' });
      }
    });
  }

  /** Focuses what the route shows, once it is rendered. */
  async #focusSoon(): Promise<void> {
    await this.updateComplete;
    if (this.panel.route.view !== 'index') this.#paneElement?.focusHeading();
    else if (this.panel.view === 'entries') this.#index?.focusList();
    else this.renderRoot.querySelector<HTMLElement>('.view > *')?.focus();
  }

  readonly #discard = (): void => {
    const { leaving } = this;
    this.leaving = undefined;
    this.#update({ draft: null });
    leaving?.();
  };

  readonly #stay = (): void => {
    this.leaving = undefined;
    this.#paneElement?.focusForm();
  };

  readonly #dismiss = (notice: string): void => {
    this.dismissed = new Set([...this.dismissed, notice]);
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (isGoBack(event) && this.panel.route.view !== 'index') {
      handled(event);
      this.#nav.leaveBack();
    } else if (event.key === '/' && isPlain(event) && !isTyping(event) && this.#index?.hidden === false) {
      handled(event);
      this.#index.focusSearch();
    }
  };

  /** Our own write and the host's notice of it arrive together; one reading serves both. */
  #changed(): void {
    clearTimeout(this.#changeTimer);
    this.#changeTimer = setTimeout(() => {
      this.version++;
      this.#attention.look();
    }, CHANGE_PAUSE);
  }

  #update(change: Partial<PanelState>): void {
    this.panel = { ...this.panel, ...change };
  }

  get #toasts(): ToastBar | null {
    return this.renderRoot.querySelector<ToastBar>('lode-toast');
  }

  get #index(): IndexView | null {
    return this.renderRoot.querySelector<IndexView>('lode-index');
  }

  get #paneElement(): EntryPane | null {
    return this.renderRoot.querySelector<EntryPane>('lode-entry');
  }
}
