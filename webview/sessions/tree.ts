import { type CSSResultGroup, css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { SessionLine } from '../../src/sessionProtocol.ts';
import { age, dateTime, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { levelBadge, levelStyles } from '../kit/level.ts';
import { type RowContext, RowTree } from '../kit/tree.ts';
import { conflictBadge, conflictStyles } from './conflicts.ts';
import { factsOf, sessionName, standingIcon, standingName, standingOf } from './describe.ts';
import { buildRows, type Listing, rowName, type SessionRow } from './rows.ts';

/** How a session was opened. */
export interface Opening {
  readonly session: string;
  readonly key: boolean;
}

/** Deeper than this nothing is indented any more: at 300 pixels there would be no room for a name. */
const DEEPEST = 6;
const INDENT = 14;

/** Sessions, children below the one that spawned them. Fires `lode-open` (Opening) and `lode-fold` {id, open}. */
export class SessionsTree extends RowTree<SessionRow> {
  static override properties: PropertyDeclarations = {
    ...RowTree.properties,
    sessions: { attribute: false },
    listing: { attribute: false },
  };
  declare sessions: readonly SessionLine[];
  /** The same object while nothing about it changes. */
  declare listing: Listing;

  static override styles: CSSResultGroup = [
    RowTree.styles,
    levelStyles,
    conflictStyles,
    css`
      .row { padding-inline-start: calc(4px + var(--indent, 0px)); }
      .ended > .glyph { color: var(--vscode-descriptionForeground); }
      .broken > .glyph { color: var(--vscode-charts-yellow, currentColor); }
      .first .name { flex: 1; }
      .archived .name { font-style: italic; }
      .second { display: flex; align-items: center; gap: 6px; min-width: 0; }
      button.sign { all: unset; cursor: pointer; }
    `,
  ];

  constructor() {
    super();
    this.sessions = [];
    this.listing = { query: '', archived: false, open: {} };
  }

  protected override get label(): string {
    return t('Sessions');
  }

  protected override changesRows(changed: ReadonlyMap<PropertyKey, unknown>): boolean {
    return changed.has('sessions') || changed.has('listing');
  }

  protected override buildRows(): readonly SessionRow[] {
    return buildRows(this.sessions, this.listing);
  }

  protected override line(
    row: SessionRow,
    { id, active, current, hasMenu, now }: RowContext,
  ): TemplateResult {
    const { session, depth, open } = row;
    const standing = standingOf(session);
    const state = { active, current, archived: session.archived };
    const classes = ['row', standing, ...Object.entries(state).flatMap(([name, is]) => (is ? [name] : []))];
    const facts = factsOf({ ...session, level: 'PUBLIC' }).join(' · ');
    const name = sessionName(session);
    const indent = (Math.min(depth, DEEPEST) - 1) * INDENT;
    return html`<div
      id=${id} class=${classes.join(' ')} data-key=${row.key} role="treeitem"
      aria-level=${depth} aria-setsize=${row.size} aria-posinset=${row.position}
      aria-expanded=${open ?? nothing} aria-selected=${active} aria-current=${current ? 'true' : nothing}
      aria-label=${rowName(row)} .style=${`height:${row.height}px;transform:translateY(${row.top}px);--indent:${indent}px`}
    ><span class="sign" data-act=${open === undefined ? nothing : 'fold'}>${open === undefined ? nothing : open ? icons.open : icons.closed}</span>
      <span class="sign glyph" title=${standingName(standing)}>${standingIcon(standing)}</span>
      <div class="texts">
        <div class="first"><bdi class="name ellipsis" title=${name}>${name}</bdi>${
          session.updated === null
            ? nothing
            : html`<span class="small muted when" title=${dateTime(session.updated)}><span aria-hidden="true">${shortAge(session.updated, now)}</span><span class="visually-hidden">${age(session.updated, now)}</span></span>`
        }</div>
        <div class="second">${conflictBadge(session)}${levelBadge(session)}<bdi class="small muted ellipsis" title=${facts}>${facts}</bdi></div>
      </div>${
        hasMenu
          ? html`<span class="tools"><button class="icon-button" tabindex="-1" data-act="menu" aria-label=${t('Actions')} title=${t('Actions')}>${icons.more}</button></span>`
          : nothing
      }</div>`;
  }

  protected override word({ session }: SessionRow): string {
    return sessionName(session);
  }

  protected override enter({ session }: SessionRow, key: boolean): void {
    this.fire('lode-open', { session: session.key, key } satisfies Opening);
  }

  protected override fold({ key }: SessionRow, open: boolean): void {
    this.fire('lode-fold', { id: key, open });
  }
}
