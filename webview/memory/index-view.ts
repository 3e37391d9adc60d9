import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { BrowsePage, EntryRow } from '../../src/protocol.ts';
import { count } from '../kit/format.ts';
import type { Host } from '../kit/host.ts';
import { handled, isDelete, isPlain } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { errorState, loadingState, stateStyles } from '../kit/states.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { type ListRows, listStyles, type SelectGesture, type VirtualList } from '../kit/virtual-list.ts';
import type { MemoryActions, Named } from './actions.ts';
import { emptyIndex } from './empty-index.ts';
import { entryLine, entryName, LINE_HEIGHT, lineStyles, PREVIEW_LINE_HEIGHT } from './entry-line.ts';
import type { FilterBar } from './filter-bar.ts';
import { labelStyles } from './label-styles.ts';
import { RowSource } from './row-source.ts';
import { selectionStyles } from './selection-bar.ts';
import { browseInput, type Criteria, NO_CRITERIA } from './state.ts';

const DEBOUNCE = 120;
/** As many as one call of `memory_tag` takes. */
const MAX_SELECTED = 500;

/**
 * The list of entries with its search field. Fires `lode-open` {id, key}, `lode-criteria`, `lode-scroll`
 * {offset}, `lode-say` with what screen readers should hear, and passes on the filter bar's own events.
 */
export class IndexView extends LitElement {
  static override properties = {
    host: { attribute: false },
    actions: { attribute: false },
    criteria: { attribute: false },
    filtersOpen: { type: Boolean },
    previews: { type: Boolean },
    canWrite: { type: Boolean },
    canOpenAside: { type: Boolean },
    archive: { type: Boolean },
    current: {},
    version: { type: Number },
    selected: { state: true },
  };
  declare host: Host;
  declare actions: MemoryActions;
  declare criteria: Criteria;
  declare filtersOpen: boolean;
  declare previews: boolean;
  declare canWrite: boolean;
  declare canOpenAside: boolean;
  /** Shows what was archived, and nothing else. */
  declare archive: boolean;
  declare current: string;
  /** Grows when memory changed. */
  declare version: number;
  declare selected: ReadonlyMap<string, Named>;
  readonly #source = new RowSource(() => this.#arrived());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #announce = false;

  static override styles = [
    baseStyles,
    bannerStyles,
    stateStyles,
    listStyles,
    labelStyles,
    lineStyles,
    selectionStyles,
    css`
      :host { display: flex; flex-direction: column; min-height: 0; height: 100%; container: list / inline-size; }
      .status { padding: 0 10px 4px; font-size: 11px; min-height: 20px; }
      lode-list { flex: 1; min-height: 0; }
      .body { flex: 1; min-height: 0; overflow: auto; }
      .banner { margin: 0 8px 4px; }
    `,
  ];

  constructor() {
    super();
    this.criteria = NO_CRITERIA;
    this.filtersOpen = false;
    this.previews = false;
    this.canWrite = false;
    this.canOpenAside = false;
    this.archive = false;
    this.current = '';
    this.version = 0;
    this.selected = new Map();
    this.addEventListener('keydown', this.#key);
  }

  focusSearch(): void {
    this.renderRoot.querySelector<FilterBar>('lode-filters')?.focusSearch();
  }

  /** Focuses the list, or the search field when there is none. */
  focusList(): void {
    if (this.#list === null) this.focusSearch();
    else this.#list.focus();
  }

  async restoreScroll(offset: number): Promise<void> {
    await this.updateComplete;
    this.#scroll = offset;
    this.#list?.restoreScroll(offset);
  }
  #scroll = 0;

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('criteria');
    if (changed.has('criteria')) {
      const typing =
        before !== undefined && before.query !== this.criteria.query && this.criteria.query !== '';
      clearTimeout(this.#timer);
      if (typing) this.#timer = setTimeout(() => this.#search(), DEBOUNCE);
      else this.#search();
      if (before !== undefined) {
        this.#scroll = 0;
        this.#announce = true;
        // What is selected must be in view, or Delete would take what nobody sees.
        this.#clearSelection();
      }
    } else if (changed.has('version')) this.#source.refresh();
  }

  protected override updated(): void {
    if (this.#scroll > 0 && this.#list !== null) {
      this.#list.restoreScroll(this.#scroll);
      this.#scroll = 0;
    }
  }

  protected override render() {
    return html`
      <lode-filters
        .criteria=${this.criteria} .open=${this.filtersOpen} .previews=${this.previews}
        .canAdd=${this.canWrite && !this.archive} .canOpenAside=${this.canOpenAside} .archive=${this.archive}
        @lode-list=${() => this.focusList()} @lode-criteria=${this.#relay} @lode-panel=${this.#relay}
        @lode-previews=${this.#relay} @lode-add=${this.#relay} @lode-aside=${this.#relay}
      ></lode-filters>
      ${this.selected.size > 0 ? this.#selectionBar() : this.#status()}
      ${this.#body()}
    `;
  }

  #status(): TemplateResult {
    const { total } = this.#source;
    const text =
      total === undefined || total === 0 ? '' : total === 1 ? t('1 entry') : t('{0} entries', count(total));
    return html`<div class="status muted">${text}</div>`;
  }

  #selectionBar(): TemplateResult {
    return html`<lode-selection
      .entries=${[...this.selected.values()]} .actions=${this.actions} .canWrite=${this.canWrite}
      .status=${this.criteria.status} .host=${this.host}
      @lode-clear=${() => {
        this.#clearSelection();
        this.focusList();
      }}
    ></lode-selection>`;
  }

  #body(): TemplateResult {
    const { total, error } = this.#source;
    if (error !== undefined && !total) {
      return html`<div class="body">${errorState(t('Memory could not be read.'), error, () => this.#source.refresh())}</div>`;
    }
    if (total === undefined) return html`<div class="body">${loadingState()}</div>`;
    if (total === 0) return html`<div class="body">${this.#empty()}</div>`;
    const banner =
      error === undefined
        ? nothing
        : html`<div class="banner error" role="alert"><span class="grow">${error}</span>
            <button class="link" @click=${() => this.#source.refresh()}>${t('Retry')}</button></div>`;
    return html`${banner}<lode-list
        class=${this.selected.size > 0 ? 'selecting' : ''} aria-label=${this.archive ? t('Archived entries') : t('Memory entries')}
        .rows=${this.#rows(total)} .rowHeight=${this.previews ? PREVIEW_LINE_HEIGHT : LINE_HEIGHT}
        .selected=${this.selected} .current=${this.current} .commands=${this.archive ? ARCHIVE_COMMANDS : COMMANDS}
        @lode-range=${({ detail }: CustomEvent<{ first: number; last: number }>) => this.#source.want(detail.first, detail.last)}
        @lode-open=${this.#open} @lode-select=${this.#select} @lode-scroll=${this.#relay}
      ></lode-list>`;
  }

  #empty(): TemplateResult {
    const { criteria, archive, canWrite } = this;
    return emptyIndex(criteria, archive, {
      clear: () => {
        const { sort, descending } = criteria;
        this.#fire('lode-criteria', { ...NO_CRITERIA, sort, descending });
      },
      add: canWrite ? () => this.#fire('lode-add') : undefined,
    });
  }

  #rows(total: number): ListRows {
    const source = this.#source;
    return {
      count: total,
      id: (index) => source.row(index)?.id,
      indexOf: (id) => source.indexOf(id),
      word: (index) => source.row(index)?.key ?? '',
      name: (index) => entryName(source.row(index)),
      render: (index) => {
        const row = source.row(index);
        return entryLine(row, row !== undefined && this.selected.has(row.id), this.previews);
      },
    };
  }

  #search(): void {
    clearTimeout(this.#timer);
    const input = browseInput(this.criteria);
    this.#list?.restoreScroll(0);
    this.#source.search((offset, limit, signal) =>
      this.host.invoke<BrowsePage>('memory_browse', { ...input, offset, limit }, { signal }),
    );
  }

  #arrived(): void {
    const { total } = this.#source;
    this.requestUpdate();
    // Only the answer to a search is news; a count after one's own doing would cut off what that one says.
    if (!this.#announce || total === undefined) return;
    this.#announce = false;
    this.#fire('lode-say', total === 0 ? t('Nothing matches.') : entryCount(total));
  }

  get #list(): VirtualList | null {
    return this.renderRoot.querySelector<VirtualList>('lode-list');
  }

  get #activeRow(): EntryRow | undefined {
    return this.#source.row(this.#list?.active ?? -1);
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.composedPath()[0] !== this.#list || !(isPlain(event) || isDelete(event))) return;
    const row = this.#activeRow;
    const targets: readonly EntryRow[] | readonly Named[] =
      this.selected.size > 0 ? [...this.selected.values()] : row ? [row] : [];
    if (event.key === 'Escape' && this.selected.size > 0) {
      handled(event);
      this.#clearSelection();
    } else if (event.key === 'p' && this.canWrite && targets.length > 0) {
      handled(event);
      void this.actions.pin(targets, this.selected.size > 0 || row?.pinned !== true);
    } else if (
      event.key === 'r' &&
      this.canWrite &&
      targets.length > 0 &&
      this.criteria.status === 'archived'
    ) {
      handled(event);
      this.#clearSelection();
      void this.actions.restore(targets);
    } else if (isDelete(event) && this.canWrite && targets.length > 0 && this.criteria.status === 'active') {
      handled(event);
      this.#clearSelection();
      void this.actions.forget(targets);
    }
  };

  readonly #open = ({ detail }: CustomEvent<{ index: number; key: boolean }>): void => {
    const row = this.#source.row(detail.index);
    if (row === undefined) return;
    if (!detail.key) this.#clearSelection();
    this.#fire('lode-open', { id: row.id, key: detail.key });
  };

  readonly #select = async ({ detail }: CustomEvent<SelectGesture>): Promise<void> => {
    const from = Math.min(detail.from, detail.to);
    const to = Math.min(Math.max(detail.from, detail.to), from + MAX_SELECTED - 1);
    const rows = await this.#source.range(from, to);
    if (rows === undefined) return;
    const selected = new Map(detail.kind === 'toggle' ? this.selected : []);
    for (const { id, key } of rows) {
      if (detail.kind === 'toggle' && selected.has(id)) selected.delete(id);
      else selected.set(id, { id, key });
    }
    this.selected = selected;
    this.#fire('lode-say', t('{0} selected', count(selected.size)));
  };

  readonly #clearSelection = (): void => {
    if (this.selected.size > 0) this.selected = new Map();
  };

  readonly #relay = (event: CustomEvent<unknown>): void => this.#fire(event.type, event.detail);

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function entryCount(total: number): string {
  return total === 1 ? t('1 entry') : t('{0} entries', count(total));
}

const COMMANDS: ReadonlySet<string> = new Set(['p', '/']);
const ARCHIVE_COMMANDS: ReadonlySet<string> = new Set([...COMMANDS, 'r']);
