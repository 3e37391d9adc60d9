import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { InitMessage, ShowRequest } from '../../src/protocol.ts';
import { Host, type HostEvent } from '../kit/host.ts';
import { handled, isGoBack, isPlain, isTyping } from '../kit/keys.ts';
import { setLanguage, t } from '../kit/l10n.ts';
import { notices } from '../kit/notices.ts';
import { emptyState, loadingState } from '../kit/states.ts';
import type { ToastBar } from '../kit/toast.ts';
import { MemoryActions } from './actions.ts';
import { appStyles } from './app-styles.ts';
import { unsavedGuard } from './banners.ts';
import { isDirty, newDraft } from './entry-form.ts';
import type { EntryPane } from './entry-pane.ts';
import type { IndexView } from './index-view.ts';
import {
  type Criteria,
  type Draft,
  NO_CRITERIA,
  type PanelState,
  type Route,
  restoreState,
} from './state.ts';

const INDEX: Route = { view: 'index' };
const WIDE = 700;
const PREVIEW_WIDTH = 480;
const SAVE_PAUSE = 150;
const CHANGE_PAUSE = 60;

/** The memory browser: owns the panel's state, its routes and the connection to the host. */
export class MemoryApp extends LitElement {
  static override properties = {
    init: { state: true },
    panel: { state: true },
    version: { state: true },
    width: { state: true },
    dismissed: { state: true },
    leaving: { state: true },
  };
  declare init: InitMessage | undefined;
  declare panel: PanelState;
  declare version: number;
  declare width: number;
  declare dismissed: ReadonlySet<string>;
  /** What to do once the person has decided about unsaved changes. */
  declare leaving: (() => void) | undefined;
  readonly #host = new Host(
    (event) => this.#hear(event),
    () => t('The extension did not answer. Try again.'),
  );
  readonly #actions = new MemoryActions(this.#host, {
    toast: (toast) => this.#toasts?.show(toast),
    changed: () => this.#changed(),
  });
  readonly #resize = new ResizeObserver(() => {
    this.width = this.clientWidth;
  });
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  #restored = false;

  static override styles = appStyles;

  constructor() {
    super();
    this.init = undefined;
    this.panel = restoreState(this.#host.state);
    this.version = 0;
    this.width = 0;
    this.dismissed = new Set();
    this.leaving = undefined;
    this.addEventListener('keydown', this.#key);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
    window.addEventListener('pagehide', this.#save);
    this.#host.post({ type: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    window.removeEventListener('pagehide', this.#save);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('panel')) {
      const before = changed.get('panel');
      clearTimeout(this.#saveTimer);
      // A hidden panel's document goes at once and says nothing more: what was typed may not wait.
      if (before?.draft !== this.panel.draft || before?.route !== this.panel.route) this.#save();
      else this.#saveTimer = setTimeout(this.#save, SAVE_PAUSE);
    }
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
    if (init.folder === null) {
      return emptyState({
        title: t('No folder is open.'),
        text: t('Memory belongs to a folder. Open one to see what is remembered about it.'),
      });
    }
    const { route } = this.panel;
    const wide = init.place === 'editor' && this.width >= WIDE;
    return html`
      ${notices(init, this.dismissed, this.#dismiss)}
      ${this.leaving === undefined ? nothing : unsavedGuard(this.#stay, this.#discard)}
      <div class="panes ${wide ? 'wide' : ''}">
        ${this.#list(init, wide)}
        ${
          route.view !== 'index'
            ? this.#pane(init, route)
            : wide
              ? html`<div class="nothing muted">${t('Select an entry to read it.')}</div>`
              : nothing
        }
      </div>
    `;
  }

  #list(init: InitMessage, wide: boolean): TemplateResult {
    const { panel } = this;
    return html`<lode-index
      ?hidden=${!wide && panel.route.view !== 'index'}
      .host=${this.#host} .actions=${this.#actions} .criteria=${panel.criteria} .version=${this.version}
      .filtersOpen=${panel.filtersOpen} .previews=${panel.previews ?? this.width >= PREVIEW_WIDTH}
      .canWrite=${init.trusted} .canOpenAside=${init.place === 'sidebar'}
      .current=${wide && 'id' in panel.route ? panel.route.id : ''}
      @lode-criteria=${({ detail }: CustomEvent<Partial<Criteria>>) => this.#update({ criteria: { ...this.panel.criteria, ...detail }, scroll: 0 })}
      @lode-panel=${() => this.#update({ filtersOpen: !this.panel.filtersOpen })}
      @lode-previews=${({ detail }: CustomEvent<boolean>) => this.#update({ previews: detail })}
      @lode-scroll=${({ detail }: CustomEvent<{ offset: number }>) => this.#update({ scroll: detail.offset })}
      @lode-open=${({ detail }: CustomEvent<{ id: string; key: boolean }>) => this.#openFromList(detail.id, detail.key || !wide)}
      @lode-add=${() => this.#leave(() => this.#go({ view: 'add' }))}
      @lode-aside=${() => this.#host.post({ type: 'openInEditor' })}
      @lode-say=${({ detail }: CustomEvent<string>) => this.#toasts?.say(detail)}
    ></lode-index>`;
  }

  #pane(init: InitMessage, route: Exclude<Route, { view: 'index' }>): TemplateResult {
    return html`<lode-entry
      .host=${this.#host} .actions=${this.#actions} .route=${route} .draft=${this.panel.draft}
      .version=${this.version} .canWrite=${init.trusted} .canOpenAside=${init.place === 'sidebar'}
      @lode-go=${({ detail }: CustomEvent<Route>) => this.#leave(() => this.#go(detail))}
      @lode-back=${this.#leaveBack} @lode-cancel=${this.#leaveBack}
      @lode-leave=${() => this.#back()}
      @lode-tag=${({ detail }: CustomEvent<string>) => this.#showIndex({ ...NO_CRITERIA, tags: [detail] })}
      @lode-draft=${({ detail }: CustomEvent<Draft>) => this.#update({ draft: detail })}
      @lode-saved=${({ detail }: CustomEvent<string | undefined>) => this.#saved(detail)}
    ></lode-entry>`;
  }

  #hear(event: HostEvent): void {
    if (event.type === 'changed') this.#changed();
    else if (event.type === 'notices') this.init = this.init && { ...this.init, notices: event.notices };
    else if (event.type === 'show') this.#show(event.show);
    else {
      setLanguage(event.strings, event.locale);
      document.documentElement.lang = event.locale;
      if (this.init !== undefined) {
        // Another folder's entries mean nothing here.
        if (this.init.folder !== event.folder) this.#leave(() => this.#update({ route: INDEX, back: [] }));
        this.#changed();
      }
      this.init = event;
      if (event.show !== null) this.#show(event.show);
    }
  }

  #show(show: ShowRequest): void {
    this.#leave(() => {
      if (show.view === 'entry') this.#go({ view: 'entry', id: show.id });
      else if (show.view === 'index') this.#showIndex({ ...NO_CRITERIA, query: show.query ?? '' });
      else {
        this.#update({ draft: newDraft(show) });
        this.#go({ view: 'add' });
      }
    });
  }

  #showIndex(criteria: Criteria): void {
    this.#update({ criteria, route: INDEX, back: [], scroll: 0 });
    void this.updateComplete.then(() => this.#index?.focusSearch());
  }

  #openFromList(id: string, focus: boolean): void {
    this.#leave(() => {
      this.#update({ route: INDEX, back: [] });
      this.#go({ view: 'entry', id }, focus);
    });
  }

  #go(route: Route, focus = true): void {
    if (JSON.stringify(route) !== JSON.stringify(this.panel.route)) {
      this.#update({ route, back: [...this.panel.back, this.panel.route].slice(-50) });
    }
    if (focus && route.view === 'entry') void this.#focusSoon();
  }

  #back(): void {
    const route = this.panel.back.at(-1) ?? INDEX;
    this.#update({ route, back: this.panel.back.slice(0, -1) });
    void this.#focusSoon();
  }

  /** Focuses what the route shows, once it is rendered. */
  async #focusSoon(): Promise<void> {
    await this.updateComplete;
    if (this.panel.route.view === 'index') this.#index?.focusList();
    else this.#paneElement?.focusHeading();
  }

  #saved(id: string | undefined): void {
    const adding = this.panel.route.view === 'add';
    this.#update({ draft: null });
    if (adding && id !== undefined) {
      this.#update({ route: { view: 'entry', id } });
      void this.#focusSoon();
    } else this.#back();
  }

  /** Does something that ends the open form, after asking when there is something to lose. */
  #leave(then: () => void): void {
    const { route, draft } = this.panel;
    const editing = route.view === 'edit' || route.view === 'add';
    if (editing && isDirty(draft)) this.leaving = then;
    else {
      if (draft !== null) this.#update({ draft: null });
      then();
    }
  }

  readonly #leaveBack = (): void => this.#leave(() => this.#back());

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
      this.#leaveBack();
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
    }, CHANGE_PAUSE);
  }

  #update(change: Partial<PanelState>): void {
    this.panel = { ...this.panel, ...change };
  }

  readonly #save = (): void => {
    this.#host.state = this.panel;
  };

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
