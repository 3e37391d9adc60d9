import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { count } from '../kit/format.ts';
import type { Host } from '../kit/host.ts';
import { handled, isPlain } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import type { MemoryActions } from './actions.ts';

/** The views that can be switched to, in their order. */
export const TABS = ['entries', 'graph', 'health', 'drafts', 'archive'] as const;
export type Tab = (typeof TABS)[number];

/** What is shown: a tab, or the conflicts, which health leads to. */
export type View = Tab | 'conflicts';

/** What keeps something over hiding the panel: the views, and the line that tells of the backend. */
export type Keeping = View | 'backend';

/** How many things of a view wait for the person; nothing is shown for none. */
export type Counts = Readonly<Partial<Record<Tab, number>>>;

/** What every part of the panel beside the list of entries works with. */
export interface ViewParts {
  readonly host: Host;
  readonly actions: MemoryActions;
  /** Grows when memory changed. */
  readonly version: number;
  readonly canWrite: boolean;
  /** Id of the entry that is shown beside the view; empty for none. */
  readonly current: string;
  /** What it last kept, over hiding and reloading the panel; anything, since another version may have. */
  readonly kept: unknown;
  keep(state: unknown): void;
  /** Shows an entry; `focus` moves to it. */
  open(id: string, focus: boolean): void;
  go(view: View): void;
  /** Tells screen readers. */
  say(text: string): void;
  /** What waits here was looked at again. */
  counted(tab: Tab, size: number): void;
}

/** The view itself. The list of entries is the panel's own. */
export function viewOf(view: Exclude<View, 'entries'>, parts: ViewParts): TemplateResult {
  switch (view) {
    case 'graph':
      return html`<memory-graph class="view" .parts=${parts}></memory-graph>`;
    case 'health':
      return html`<lode-health class="view" .parts=${parts}></lode-health>`;
    case 'conflicts':
      return html`<lode-conflicts class="view" .parts=${parts}></lode-conflicts>`;
    case 'drafts':
      return html`<lode-drafts class="view" .parts=${parts}></lode-drafts>`;
    case 'archive':
      return html`<lode-archive class="view" .parts=${parts}></lode-archive>`;
  }
}

/** The switch between the views: one tab stop, arrow keys within. Fires `lode-view` with the tab. */
export class ViewTabs extends LitElement {
  static override properties = { view: {}, counts: { attribute: false } };
  declare view: View;
  declare counts: Counts;

  static override styles = [
    baseStyles,
    css`
      :host { flex: none; border-bottom: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
      .tabs { display: flex; padding: 0 4px; overflow: hidden; }
      button {
        all: unset; box-sizing: border-box; display: inline-flex; align-items: center; gap: 4px; min-width: 0; padding: 6px 6px 5px;
        font-size: 12px; line-height: 18px; white-space: nowrap; cursor: pointer; color: var(--vscode-descriptionForeground);
        border-bottom: 2px solid transparent;
      }
      button:hover { color: var(--vscode-foreground); }
      button[aria-selected='true'] { color: var(--vscode-foreground); border-bottom-color: var(--vscode-focusBorder); }
      button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -2px; }
      .badge {
        min-width: 16px; padding: 0 4px; border-radius: 8px; font-size: 10px; line-height: 16px; text-align: center;
        background: var(--vscode-badge-background); color: var(--vscode-badge-foreground);
        outline: 1px solid var(--vscode-contrastBorder, transparent); outline-offset: -1px;
      }
      @media (max-width: 330px) { button { padding-inline: 5px; gap: 3px; } }
    `,
  ];

  constructor() {
    super();
    this.view = 'entries';
    this.counts = {};
  }

  /** Moves focus to the tab that is shown. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
  }

  protected override render() {
    const shown = tabOf(this.view);
    return html`<div class="tabs" role="tablist" aria-label=${t('Views of memory')} @keydown=${this.#key}>${TABS.map(
      (tab) => {
        const waiting = this.counts[tab] ?? 0;
        const label = waiting === 0 ? tabName(tab) : t('{0}, {1} to look at', tabName(tab), count(waiting));
        return html`<button role="tab" data-tab=${tab} aria-label=${label} aria-selected=${tab === shown} tabindex=${tab === shown ? 0 : -1}
            @click=${() => this.#choose(tab)}>${tabName(tab)}${
              waiting === 0
                ? nothing
                : html`<span class="badge">${waiting > 99 ? '99+' : count(waiting)}</span>`
            }</button>`;
      },
    )}</div>`;
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (!isPlain(event)) return;
    const at = TABS.indexOf(tabOf(this.view));
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    const tab = next === undefined ? undefined : TABS.at(next % TABS.length);
    if (tab === undefined) return;
    handled(event);
    this.#choose(tab);
    this.renderRoot.querySelector<HTMLElement>(`[data-tab=${tab}]`)?.focus();
  };

  #choose(tab: Tab): void {
    this.dispatchEvent(new CustomEvent('lode-view', { detail: tab }));
  }
}

/** The tab under which a view is. */
function tabOf(view: View): Tab {
  return view === 'conflicts' ? 'health' : view;
}

/** A view in the person's language. */
export function viewName(view: View): string {
  return view === 'conflicts' ? t('Conflicts') : tabName(view);
}

/** A tab in the person's language. */
function tabName(tab: Tab): string {
  const names: Record<Tab, string> = {
    entries: t('Entries'),
    graph: t('Graph'),
    health: t('Health'),
    drafts: t('Drafts'),
    archive: t('Archive'),
  };
  return names[tab];
}
