import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { CATEGORIES, STATUSES } from '../../src/memory/entry.ts';
import { LEVELS } from '../../src/policy/level.ts';
import { icons } from '../kit/icons.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { asLevel } from '../kit/level.ts';
import { baseStyles } from '../kit/styles.ts';
import { visibleLine } from '../kit/text.ts';
import { categoryName, sortName, statusName } from './labels.ts';
import { asCategory, asSort, asStatus, type Criteria, countFilters, NO_CRITERIA, SORTS } from './state.ts';

/**
 * Search field, filters and sort. Fires `lode-criteria` with what changed, `lode-panel` when the filters are
 * opened or closed, `lode-previews`, `lode-add`, `lode-aside` and `lode-list` (go to the list).
 */
export class FilterBar extends LitElement {
  static override properties = {
    criteria: { attribute: false },
    open: { type: Boolean },
    previews: { type: Boolean },
    canAdd: { type: Boolean },
    canOpenAside: { type: Boolean },
    archive: { type: Boolean },
  };
  declare criteria: Criteria;
  declare open: boolean;
  declare previews: boolean;
  declare canAdd: boolean;
  declare canOpenAside: boolean;
  /** The status is not the person's to choose. */
  declare archive: boolean;

  static override styles = [
    baseStyles,
    css`
      :host { padding: 8px 8px 4px; }
      .search { display: flex; gap: 2px; align-items: center; }
      .search vscode-text-field { flex: 1; min-width: 0; margin-right: 2px; }
      .count { font-size: 11px; margin-left: 2px; }
      .panel { display: grid; grid-template-columns: repeat(auto-fill, minmax(120px, 1fr)); gap: 6px; margin-top: 6px; align-items: center; }
      .panel .full { grid-column: 1 / -1; }
      .sort { display: flex; gap: 2px; align-items: center; }
      .sort lode-select { flex: 1; min-width: 0; }
      .checks { display: flex; flex-wrap: wrap; gap: 0 16px; }
      .chips { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px; }
      .chip {
        all: unset; display: inline-flex; align-items: center; gap: 2px; max-width: 100%; padding: 0 2px 0 6px; border-radius: 3px; cursor: pointer;
        background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); font-size: 12px; line-height: 18px;
        border: 1px solid var(--vscode-contrastBorder, transparent);
      }
      .chip:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
      .chip .icon { width: 14px; height: 14px; }
    `,
  ];

  constructor() {
    super();
    this.criteria = NO_CRITERIA;
    this.open = false;
    this.previews = false;
    this.canAdd = false;
    this.canOpenAside = false;
    this.archive = false;
  }

  /** The criteria without what the person did not choose. */
  get #chosen(): Criteria {
    return this.archive ? { ...this.criteria, status: 'active' } : this.criteria;
  }

  /** Puts the caret into the search field. */
  focusSearch(): void {
    const field = this.renderRoot.querySelector<HTMLElement>('vscode-text-field');
    field?.focus();
    field?.shadowRoot?.querySelector('input')?.select();
  }

  protected override render() {
    const filters = countFilters(this.#chosen);
    const label = filters === 0 ? t('Filter and sort') : t('Filter and sort ({0} active)', filters);
    return html`
      <div class="search" role="search">
        <vscode-text-field
          placeholder=${t('Search memory')} .value=${this.criteria.query} @input=${this.#query} @keydown=${this.#searchKey}
        ><span slot="start">${icons.search}</span><span class="visually-hidden">${t('Search memory')}</span></vscode-text-field>
        <button class="icon-button" aria-label=${label} title=${label} aria-expanded=${this.open} @click=${() => this.#fire('lode-panel')}>
          ${icons.filter}${filters === 0 ? nothing : html`<span class="count">${filters}</span>`}
        </button>
        ${
          this.canOpenAside
            ? html`<button class="icon-button" aria-label=${t('Open in editor')} title=${t('Open in editor')} @click=${() => this.#fire('lode-aside')}>${icons.openAside}</button>`
            : nothing
        }
        ${
          this.canAdd
            ? html`<button class="icon-button" aria-label=${t('Add a memory')} title=${t('Add a memory')} @click=${() => this.#fire('lode-add')}>${icons.add}</button>`
            : nothing
        }
      </div>
      ${this.open ? this.#panel() : this.#chips()}
    `;
  }

  #panel(): TemplateResult {
    const { criteria } = this;
    const any = { value: '', label: t('All categories') };
    // What is found comes in the order of its relevance, whatever the list was sorted by.
    const searching = criteria.query.trim() !== '';
    const natural = { value: '', label: searching ? t('Relevance') : t('Newest first') };
    const direction = criteria.descending ? t('Descending') : t('Ascending');
    return html`<div class="panel" role="group" aria-label=${t('Filter and sort')}>
      <lode-select
        .label=${t('Category')} .value=${criteria.category}
        .options=${[any, ...CATEGORIES.map((value) => ({ value, label: categoryName(value) }))]}
        @lode-change=${({ detail }: CustomEvent<string>) => this.#set({ category: asCategory(detail) })}
      ></lode-select>
      ${
        this.archive
          ? nothing
          : html`<lode-select
            .label=${t('Status')} .value=${criteria.status}
            .options=${STATUSES.map((value) => ({ value, label: statusName(value) }))}
            @lode-change=${({ detail }: CustomEvent<string>) => this.#set({ status: asStatus(detail) })}
          ></lode-select>`
      }
      <lode-select
        .label=${t('Level')} .value=${criteria.level}
        .options=${[{ value: '', label: t('All levels') }, ...LEVELS.map((value) => ({ value, label: value }))]}
        @lode-change=${({ detail }: CustomEvent<string>) => this.#set({ level: asLevel(detail) })}
      ></lode-select>
      <div class="sort">
        <lode-select
          .label=${t('Sort by')} .value=${searching ? '' : criteria.sort} .disabled=${searching}
          .options=${searching ? [natural] : [natural, ...SORTS.map((value) => ({ value, label: sortName(value) }))]}
          @lode-change=${({ detail }: CustomEvent<string>) => {
            const sort = asSort(detail);
            this.#set({ sort, descending: sort !== 'key' && sort !== 'category' });
          }}
        ></lode-select>
        ${
          searching || criteria.sort === ''
            ? nothing
            : html`<button class="icon-button" aria-label=${direction} title=${direction} @click=${() => this.#set({ descending: !criteria.descending })}>
              ${criteria.descending ? icons.down : icons.up}
            </button>`
        }
      </div>
      <lode-tags
        class="full" .label=${t('Tags, all of them')} .placeholder=${t('Tags, all of them')} .values=${criteria.tags}
        @lode-change=${({ detail }: CustomEvent<readonly string[]>) => this.#set({ tags: detail })}
      ></lode-tags>
      <div class="full checks">
        ${this.#check(t('Unconfirmed only'), criteria.unconfirmed, (unconfirmed) => this.#set({ unconfirmed }))}
        ${this.#check(t('Pinned only'), criteria.pinned, (pinned) => this.#set({ pinned }))}
        ${this.#check(t('Show previews'), this.previews, (previews) => this.#fire('lode-previews', previews))}
      </div>
      ${countFilters(this.#chosen) === 0 ? nothing : html`<div class="full"><button class="link" @click=${this.#clear}>${t('Clear filters')}</button></div>`}
    </div>`;
  }

  /** Filters that are on while their controls are folded away must still be seen. */
  #chips(): TemplateResult | typeof nothing {
    const { category, tags, status, level, unconfirmed, pinned } = this.#chosen;
    if (countFilters(this.#chosen) === 0) return nothing;
    return html`<div class="chips">
      ${category === '' ? nothing : this.#chip(categoryName(category), { category: '' })}
      ${status === 'active' ? nothing : this.#chip(statusName(status), { status: 'active' })}
      ${level === '' ? nothing : this.#chip(level, { level: '' })}
      ${unconfirmed ? this.#chip(t('Unconfirmed'), { unconfirmed: false }) : nothing}
      ${pinned ? this.#chip(t('Pinned'), { pinned: false }) : nothing}
      ${tags.map((tag) => this.#chip(`#${visibleLine(tag)}`, { tags: tags.filter((other) => other !== tag) }))}
    </div>`;
  }

  #chip(text: string, without: Partial<Criteria>): TemplateResult {
    const label = t('Remove filter {0}', text);
    return html`<button class="chip" aria-label=${label} title=${label} @click=${() => this.#set(without)}>
      <bdi class="ellipsis">${text}</bdi>${icons.close}
    </button>`;
  }

  #check(text: string, checked: boolean, set: (checked: boolean) => void): TemplateResult {
    // The control fires "change" for our own assignments too; only a different value is the person's.
    const change = ({ target }: Event) => {
      const now = (target as EventTarget & { checked: boolean }).checked;
      if (now !== checked) set(now);
    };
    return html`<vscode-checkbox .checked=${checked} @change=${change}>${text}</vscode-checkbox>`;
  }

  readonly #query = (event: Event): void => {
    this.#set({ query: (event.target as EventTarget & { value: string }).value });
  };

  readonly #searchKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape' && this.criteria.query !== '') {
      handled(event);
      this.#set({ query: '' });
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      handled(event);
      this.#fire('lode-list');
    }
  };

  readonly #clear = (): void => {
    const { query, sort, descending } = this.criteria;
    this.#set({ ...NO_CRITERIA, query, sort, descending });
  };

  #set(change: Partial<Criteria>): void {
    this.#fire('lode-criteria', change);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
