import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { count } from '../kit/format.ts';
import { errorText } from '../kit/host.ts';
import { t } from '../kit/l10n.ts';
import { type FixAnswer, plannedLines, touchedIds } from './fixes.ts';
import type { IndexView } from './index-view.ts';
import { PREVIEW_WIDTH } from './layout.ts';
import { viewStyles } from './memory-view.ts';
import { type Criteria, NO_CRITERIA } from './state.ts';
import type { ViewParts } from './views.ts';

/** What was archived, and what archiving would take out of recall next. */
export class ArchiveView extends LitElement {
  static override properties = {
    parts: { attribute: false },
    criteria: { state: true },
    filtersOpen: { state: true },
    plan: { state: true },
    busy: { state: true },
  };
  declare parts: ViewParts;
  declare criteria: Criteria;
  declare filtersOpen: boolean;
  /** What archiving would do, a line for each entry. */
  declare plan: readonly string[] | undefined;
  declare busy: boolean;

  static override styles = [
    ...viewStyles,
    css`
      lode-index { flex: 1; min-height: 0; }
      header { padding-bottom: 0; }
    `,
  ];

  constructor() {
    super();
    this.criteria = ARCHIVED;
    this.filtersOpen = false;
    this.plan = undefined;
    this.busy = false;
  }

  override focus(): void {
    this.renderRoot.querySelector<IndexView>('lode-index')?.focusList();
  }

  protected override willUpdate(_changed: PropertyValues<this>): void {
    if (this.hasUpdated) return;
    const { kept } = this.parts;
    const query = typeof kept === 'object' && kept !== null && 'query' in kept ? kept.query : '';
    this.criteria = { ...ARCHIVED, query: typeof query === 'string' ? query : '' };
  }

  protected override render() {
    const { parts, plan } = this;
    return html`<header>
        <h1 tabindex="-1">${t('Archive')}</h1>
        ${
          parts.canWrite
            ? html`<vscode-button appearance="secondary" ?disabled=${this.busy} aria-expanded=${plan !== undefined} @click=${this.#look}>${t('Archive old entries…')}</vscode-button>`
            : nothing
        }
      </header>
      ${plan === undefined ? nothing : this.#preview(plan)}
      <lode-index archive .host=${parts.host} .actions=${parts.actions} .criteria=${this.criteria} .version=${parts.version}
        .filtersOpen=${this.filtersOpen} .previews=${this.clientWidth >= PREVIEW_WIDTH} .canWrite=${parts.canWrite} .current=${parts.current}
        @lode-criteria=${({ detail }: CustomEvent<Partial<Criteria>>) => this.#search(detail)}
        @lode-panel=${() => {
          this.filtersOpen = !this.filtersOpen;
        }}
        @lode-open=${({ detail }: CustomEvent<{ id: string; key: boolean }>) => parts.open(detail.id, detail.key)}
        @lode-say=${({ detail }: CustomEvent<string>) => parts.say(detail)}></lode-index>`;
  }

  #preview(lines: readonly string[]) {
    return html`<div class="preview" role="group" aria-label=${t('What would be archived')} tabindex="-1" @keydown=${(
      event: KeyboardEvent,
    ) => {
      if (event.key === 'Escape') this.#cancel(event);
    }}>
      <p>${
        lines.length === 0
          ? t(
              'Nothing is old enough: entries unchanged for 30 days and expired ones are archived, never pinned ones or the newest.',
            )
          : lines.length === 1
            ? t('1 entry would be taken out of recall. It can be restored.')
            : t('{0} entries would be taken out of recall. Each can be restored.', count(lines.length))
      }</p>
      <ul>${lines.map((line) => html`<li class="small"><bdi>${line}</bdi></li>`)}</ul>
      <div class="buttons">
        ${lines.length === 0 ? nothing : html`<vscode-button ?disabled=${this.busy} @click=${this.#archive}>${t('Archive {0}', count(lines.length))}</vscode-button>`}
        <vscode-button appearance="secondary" @click=${this.#cancel}>${t('Cancel')}</vscode-button>
      </div>
    </div>`;
  }

  readonly #look = async (): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    try {
      this.plan = plannedLines(await this.parts.host.invoke<FixAnswer>('memory_archive', { dryRun: true }));
      await this.updateComplete;
      this.renderRoot.querySelector<HTMLElement>('.preview')?.focus();
    } catch (error) {
      this.parts.actions.fail(errorText(error));
    } finally {
      this.busy = false;
    }
  };

  readonly #archive = async (): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    this.plan = undefined;
    await this.parts.actions.change(async (invoke, touched) => {
      const ids = touchedIds(await invoke<FixAnswer>('memory_archive', {}));
      touched(ids);
      return ids.length === 1 ? t('Archived 1 entry.') : t('Archived {0} entries.', count(ids.length));
    });
    this.busy = false;
    this.focus();
  };

  readonly #cancel = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    this.plan = undefined;
    this.renderRoot.querySelector<HTMLElement>('header vscode-button')?.focus();
  };

  #search(change: Partial<Criteria>): void {
    this.criteria = { ...this.criteria, ...change, status: 'archived' };
    this.parts.keep({ query: this.criteria.query });
  }
}

const ARCHIVED: Criteria = { ...NO_CRITERIA, status: 'archived' };
