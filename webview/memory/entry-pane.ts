import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { EntryDetail } from '../../src/protocol.ts';
import { errorText, type Host, isAbort } from '../kit/host.ts';
import { icons } from '../kit/icons.ts';
import { handled, isDelete, isPlain, isTyping } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { emptyState, errorState, loadingState, stateStyles } from '../kit/states.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { visibleLine } from '../kit/text.ts';
import type { MemoryActions } from './actions.ts';
import type { EntryForm } from './entry-form.ts';
import { entryStyles, entryView } from './entry-view.ts';
import { labelStyles } from './label-styles.ts';
import type { Draft, Route } from './state.ts';

/**
 * One entry, read or edited, or the form for a new one. Fires `lode-go` with a route, `lode-back`,
 * `lode-leave` (back, its entry being gone), `lode-tag` with a tag to filter by, and passes on the form's events.
 */
export class EntryPane extends LitElement {
  static override properties = {
    host: { attribute: false },
    actions: { attribute: false },
    route: { attribute: false },
    draft: { attribute: false },
    canWrite: { type: Boolean },
    canOpenAside: { type: Boolean },
    version: { type: Number },
    entry: { state: true },
    error: { state: true },
    gone: { state: true },
  };
  declare host: Host;
  declare actions: MemoryActions;
  declare route: Exclude<Route, { view: 'index' }>;
  declare draft: Draft | null;
  declare canWrite: boolean;
  declare canOpenAside: boolean;
  declare version: number;
  declare entry: EntryDetail | undefined;
  declare error: string;
  /** It was deleted for good. */
  declare gone: boolean;
  #reading: AbortController | undefined;
  #wantsFocus = false;

  static override styles = [
    baseStyles,
    bannerStyles,
    stateStyles,
    labelStyles,
    entryStyles,
    css`
      :host { display: flex; flex-direction: column; min-height: 0; height: 100%; }
      header { display: flex; align-items: flex-start; gap: 4px; padding: 6px 12px 4px 6px; }
      h1 { flex: 1; min-width: 0; margin: 0; padding: 2px 0; font-size: 14px; line-height: 20px; font-weight: 600; overflow-wrap: anywhere; user-select: text; }
      h1:focus-visible { outline: none; }
      .scroll { flex: 1; min-height: 0; overflow-y: auto; display: flex; flex-direction: column; gap: 10px; padding: 0 14px 48px; }
      .scroll > * { flex: none; max-width: 760px; }
    `,
  ];

  constructor() {
    super();
    this.draft = null;
    this.canWrite = false;
    this.canOpenAside = false;
    this.version = 0;
    this.entry = undefined;
    this.error = '';
    this.gone = false;
    this.addEventListener('keydown', this.#key);
  }

  /** Moves focus to the heading, now or once the entry is there. */
  focusHeading(): void {
    const heading = this.renderRoot.querySelector<HTMLElement>('h1');
    this.#wantsFocus = heading === null || this.entry === undefined;
    if (!this.#wantsFocus) heading?.focus();
  }

  /** Moves focus into the open form. */
  focusForm(): void {
    this.renderRoot.querySelector<EntryForm>('lode-form')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('route') && !changed.has('version')) return;
    const id = this.#id;
    if (id !== this.entry?.id) {
      this.entry = undefined;
      this.gone = false;
    }
    if (id !== undefined) void this.#read(id);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('route') && changed.get('route') !== undefined) {
      this.renderRoot.querySelector('.scroll')?.scrollTo(0, 0);
    }
    if (this.#wantsFocus && this.entry !== undefined) this.focusHeading();
  }

  protected override render() {
    const { route, entry } = this;
    const title =
      route.view === 'add' ? t('Add a memory') : entry === undefined ? '' : visibleLine(entry.key);
    return html`
      <header>
        <button class="icon-button" aria-label=${t('Back')} title=${t('Back')} @click=${() => this.#fire('lode-back')}>${icons.back}</button>
        <h1 tabindex="-1"><bdi>${title}</bdi></h1>
        ${
          this.canOpenAside && route.view === 'entry'
            ? html`<button class="icon-button" aria-label=${t('Open in editor')} title=${t('Open in editor')}
                @click=${() => this.host.post({ type: 'openInEditor', id: route.id })}>${icons.openAside}</button>`
            : nothing
        }
      </header>
      <div class="scroll" @lode-follow=${({ detail }: CustomEvent<string>) => this.#go({ view: 'entry', id: detail })}>${this.#content()}</div>
    `;
  }

  #content(): TemplateResult {
    const { route, entry } = this;
    if (route.view === 'add') return this.#form();
    if (this.error !== '') {
      return errorState(t('This entry could not be read.'), this.error, () => void this.#read(route.id));
    }
    // Whoever is typing keeps what they typed; saving it will say that the entry is gone.
    if (this.gone && route.view !== 'edit') {
      return emptyState({
        title: t('This memory is not there any more.'),
        text: t('It was deleted for good, here or in another window.'),
        action: { label: t('Back to the list'), run: () => this.#fire('lode-leave') },
      });
    }
    if (entry === undefined) return loadingState();
    if (route.view === 'edit' && this.canWrite) return this.#form(entry);
    return entryView(entry, {
      actions: this.actions,
      canWrite: this.canWrite,
      edit: this.#edit,
      follow: (id) => this.#go({ view: 'entry', id }),
      openFile: (file) => this.host.post({ type: 'openFile', file }),
      filterByTag: (tag) => this.#fire('lode-tag', tag),
      erase: async () => {
        if (await this.actions.erase(entry)) this.#fire('lode-leave');
      },
    });
  }

  #form(entry?: EntryDetail): TemplateResult {
    const draft = this.draft?.id === (entry?.id ?? '') ? this.draft : null;
    return html`<lode-form
      .entry=${entry} .draft=${draft} .actions=${this.actions}
      @lode-draft=${this.#relay} @lode-saved=${this.#relay} @lode-cancel=${this.#relay}
    ></lode-form>`;
  }

  get #id(): string | undefined {
    return this.route.view === 'add' ? undefined : this.route.id;
  }

  async #read(id: string): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    try {
      const entry = await this.host.invoke<EntryDetail | null>(
        'memory_open',
        { id },
        { signal: reading.signal },
      );
      if (this.#id !== id) return;
      this.error = '';
      this.gone = entry === null;
      if (entry !== null) this.entry = entry;
    } catch (error) {
      if (!isAbort(error) && this.#id === id) this.error = errorText(error);
    }
  }

  readonly #edit = (): void => {
    if (this.entry !== undefined) this.#go({ view: 'edit', id: this.entry.id });
  };

  readonly #key = (event: KeyboardEvent): void => {
    const { entry, route } = this;
    if (event.defaultPrevented || isTyping(event) || !(isPlain(event) || isDelete(event))) return;
    if (event.key === 'Escape') {
      handled(event);
      this.#fire('lode-back');
    }
    if (entry === undefined || route.view !== 'entry' || !this.canWrite) return;
    if (event.key === 'e') {
      handled(event);
      this.#edit();
    } else if (event.key === 'p') {
      handled(event);
      void this.actions.pin([entry], !entry.pinned);
    } else if (isDelete(event) && entry.status === 'active') {
      handled(event);
      void this.actions.forget([entry]);
    }
  };

  readonly #relay = (event: CustomEvent<unknown>): void => this.#fire(event.type, event.detail);

  #go(route: Route): void {
    this.#fire('lode-go', route);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
