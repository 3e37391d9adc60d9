import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { FileConflict, SessionLine } from '../../src/sessionProtocol.ts';
import { count } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { moveBetweenRows } from '../kit/rows.ts';
import { sectionStyles } from '../kit/section-styles.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visibleLine } from '../kit/text.ts';

const SHOWN = 300;
/** Files that a tooltip names. */
const NAMED = 8;

/** A file and who works on it, on one line. */
function conflictText(conflict: FileConflict): string {
  return `${visibleLine(clip(conflict.file, SHOWN))} ↔ ${whoOf(conflict)}`;
}

/** Several of one name, such as windows on one branch, are counted. */
function whoOf({ sessions }: FileConflict): string {
  const times = new Map<string, number>();
  for (const each of sessions) times.set(each, (times.get(each) ?? 0) + 1);
  return [...times]
    .map(([name, many]) => `${visibleLine(clip(name, SHOWN))}${many === 1 ? '' : ` ×${count(many)}`}`)
    .join(', ');
}

/** What a screen reader says of a session that others stand in the way of; empty when nobody does. */
export function conflictsName({ conflicts = [] }: Pick<SessionLine, 'conflicts'>): string {
  if (conflicts.length === 0) return '';
  return conflicts.length === 1
    ? t('1 file that others work on, too')
    : t('{0} files that others work on, too', count(conflicts.length));
}

/** In a session's row: how many of its files others work on, which, and who. */
export function conflictBadge(session: Pick<SessionLine, 'conflicts'>): TemplateResult | typeof nothing {
  const { conflicts = [] } = session;
  if (conflicts.length === 0) return nothing;
  const lines = conflicts.slice(0, NAMED).map(conflictText);
  if (conflicts.length > NAMED) lines.push('…');
  return html`<span class="conflict badge" title=${[conflictsName(session), ...lines].join('\n')}>${icons.conflict}<span aria-hidden="true">${count(conflicts.length)}</span></span>`;
}

/** In a session's pane: its files that others work on, and who. */
export function conflictLines(session: Pick<SessionLine, 'conflicts'>): TemplateResult | typeof nothing {
  const { conflicts = [] } = session;
  if (conflicts.length === 0) return nothing;
  return html`<ul class="conflicts" aria-label=${conflictsName(session)}>${conflicts
    .slice(0, NAMED)
    .map(
      (conflict) =>
        html`<li><span class="conflict">${icons.conflict}</span> <bdi>${conflictText(conflict)}</bdi></li>`,
    )}${conflicts.length > NAMED ? html`<li class="muted">${t('and {0} more', count(conflicts.length - NAMED))}</li>` : nothing}</ul>`;
}

/** Its sign says it, and its colour says it again; in high contrast the badge has an edge in its place. */
export const conflictStyles = css`
  .conflict { flex: none; display: inline-flex; align-items: center; gap: 2px; font-size: 11px; line-height: 15px; font-variant-numeric: tabular-nums; color: var(--vscode-editorWarning-foreground, var(--vscode-charts-yellow, currentColor)); }
  ul.conflicts { flex: none; list-style: none; margin: 0 12px 6px; padding: 0; max-height: 80px; overflow: hidden auto; font-size: 11px; line-height: 16px; overflow-wrap: anywhere; }
  .conflict .icon { width: 13px; height: 13px; }
  li > .conflict { vertical-align: -3px; }
  :host-context(.vscode-high-contrast) .conflict, :host-context(.vscode-high-contrast-light) .conflict { color: inherit; }
  :host-context(.vscode-high-contrast) .badge, :host-context(.vscode-high-contrast-light) .badge { padding: 0 3px; border: 1px solid var(--vscode-contrastBorder, currentColor); border-radius: 3px; }
`;

/**
 * Files on which several sessions work, windows among them, which have no row. Fires `lode-file` with a file that is to
 * be opened, and `lode-fold` with whether it is open now.
 */
export class Conflicts extends LitElement {
  static override properties = {
    conflicts: { attribute: false },
    open: { type: Boolean },
  };
  declare conflicts: readonly FileConflict[];
  declare open: boolean;

  static override styles = [
    baseStyles,
    sectionStyles,
    conflictStyles,
    css`
      :host { max-height: 30%; }
      :host([hidden]) { display: none; }
      ul { list-style: none; margin: 0; padding: 0 0 8px; }
      .file { all: unset; box-sizing: border-box; display: flex; gap: 4px; width: 100%; padding: 3px 12px 3px 8px; cursor: pointer; }
      .file:hover { background: var(--vscode-list-hoverBackground); }
      .file:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
      .sign { flex: none; display: flex; align-items: center; height: 18px; width: 18px; }
      .texts { flex: 1; min-width: 0; }
      .texts > bdi { display: block; }
      .who { font-size: 12px; overflow-wrap: anywhere; }
      :host-context(.vscode-high-contrast) .file:hover, :host-context(.vscode-high-contrast-light) .file:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; background: none; }
    `,
  ];

  constructor() {
    super();
    this.conflicts = [];
    this.open = true;
  }

  protected override render() {
    const { conflicts, open } = this;
    this.hidden = conflicts.length === 0;
    if (conflicts.length === 0) return nothing;
    const name = t('Worked on by several');
    return html`<section aria-label=${name}><h2><button class="fold" aria-expanded=${open} @click=${this.#fold}>
        ${open ? icons.open : icons.closed}<span class="grow">${name}</span><span class="conflict">${icons.conflict}</span><span class="small muted">${count(conflicts.length)}</span></button></h2>
      ${open ? html`<ul @keydown=${this.#key}>${conflicts.map((conflict, at) => this.#line(conflict, at))}</ul>` : nothing}</section>`;
  }

  #line(conflict: FileConflict, at: number): TemplateResult {
    const { file } = conflict;
    const name = visibleLine(clip(file, SHOWN));
    const who = whoOf(conflict);
    const open = () => this.dispatchEvent(new CustomEvent('lode-file', { detail: file }));
    return html`<li><button class="file" data-row=${file} tabindex=${at === 0 ? 0 : -1} title=${t('Open the file')} @click=${open}
        aria-label=${t('{0}, worked on by {1}', name, who)}><span class="sign conflict">${icons.conflict}</span>
      <span class="texts"><bdi class="ellipsis">${name}</bdi><bdi class="who muted">${who}</bdi></span></button></li>`;
  }

  readonly #key = (event: KeyboardEvent): void => moveBetweenRows(event, this.renderRoot);

  readonly #fold = (): void => {
    this.dispatchEvent(new CustomEvent('lode-fold', { detail: !this.open }));
  };
}
