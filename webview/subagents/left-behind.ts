import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { LeftView } from '../../src/subagentProtocol.ts';
import { age, count, dateTime, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { sectionStyles } from '../kit/section-styles.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';

const SHOWN = 200;

/** What a person wants with work that was left behind. */
export interface LeftAct {
  readonly act: 'open' | 'apply' | 'discard' | 'copy';
  readonly left: LeftView;
}

/**
 * Work of subagents that no batch knows of any more. Fires `lode-left` (LeftAct), and `lode-fold` with whether it is
 * open now.
 */
export class LeftBehind extends LitElement {
  static override properties = {
    left: { attribute: false },
    open: { type: Boolean },
    canWrite: { type: Boolean },
    busy: { attribute: false },
    now: { type: Number },
  };
  declare left: readonly LeftView[];
  declare open: boolean;
  declare canWrite: boolean;
  /** Id of the one to which something is being done. */
  declare busy: string;
  declare now: number;

  static override styles = [
    baseStyles,
    sectionStyles,
    css`
      .why { padding: 0 12px 4px 28px; font-size: 11px; line-height: 16px; }
      ul { list-style: none; margin: 0; padding: 0 0 8px; }
      li { padding: 4px 12px 4px 8px; display: flex; gap: 4px; }
      .sign { flex: none; display: flex; align-items: center; height: 18px; width: 16px; color: var(--vscode-descriptionForeground); }
      .texts { flex: 1; min-width: 0; }
      .first { display: flex; align-items: baseline; gap: 6px; }
      .name { flex: 0 1 auto; min-width: 0; }
      .place { display: block; font-size: 11px; }
      .acts { display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 12px; margin-top: 1px; }
      button.link[disabled] { opacity: .5; cursor: default; }
      .closed { font-size: 12px; overflow-wrap: anywhere; }
    `,
  ];

  constructor() {
    super();
    this.left = [];
    this.open = false;
    this.canWrite = false;
    this.busy = '';
    this.now = Date.now();
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('.fold')?.focus();
  }

  protected override render() {
    const { left, open } = this;
    if (left.length === 0) return nothing;
    return html`<section aria-label=${t('Left behind')}><h2><button class="fold" aria-expanded=${open} @click=${this.#fold}>
        ${open ? icons.open : icons.closed}<span class="grow">${t('Left behind')}</span><span class="small muted">${count(left.length)}</span></button></h2>
      ${
        open
          ? html`<p class="why muted">${t('Work that did not land, of tasks that are gone from the list.')}</p>
            <ul>${left.map((one) => this.#one(one))}</ul>`
          : nothing
      }</section>`;
  }

  #one(left: LeftView): TemplateResult {
    const { task, kind, session, time, place, canRead } = left;
    const kinds = { kept: t('kept work'), branch: t('branch'), worktree: t('worktree') };
    const signs = { kept: icons.file, branch: icons.branch, worktree: icons.folder };
    const name = visibleLine(clip(task, SHOWN));
    const of = visibleLine(clip(session?.title || session?.source || '', SHOWN));
    const facts = [kinds[kind], of].filter(Boolean).join(' · ');
    return html`<li><span class="sign">${signs[kind]}</span><div class="texts">
      <div class="first"><bdi class="name ellipsis" title=${visible(clip(task, SHOWN))}>${name}</bdi><bdi class="small muted grow ellipsis">${facts}</bdi>
        ${time === null ? nothing : html`<span class="small muted" title=${dateTime(time)}><span aria-hidden="true">${shortAge(time, this.now)}</span><span class="visually-hidden">${age(time, this.now)}</span></span>`}</div>
      <bdi class="place muted ellipsis" title=${visible(place)}>${visibleLine(shortPlace(place))}</bdi>
      ${
        canRead
          ? html`<div class="acts">${this.#act(left, 'open', t('Open changes'))}${
              this.canWrite
                ? html`${this.#act(left, 'apply', t('Apply'))}${this.#act(left, 'discard', t('Discard'))}`
                : nothing
            }</div>`
          : html`<p class="closed">${t('Nothing is known of this folder. Look at it, then remove it by hand.')}</p>
            <div class="acts">${this.#act(left, 'copy', t('Copy the name'))}</div>`
      }</div></li>`;
  }

  #act(left: LeftView, act: LeftAct['act'], name: string): TemplateResult {
    const fire = () =>
      this.dispatchEvent(new CustomEvent('lode-left', { detail: { act, left } satisfies LeftAct }));
    return html`<button class="link" ?disabled=${this.busy === left.id} aria-label=${`${name}: ${visibleLine(clip(left.task, SHOWN))}`} @click=${fire}>${name}</button>`;
  }

  readonly #fold = (): void => {
    this.dispatchEvent(new CustomEvent('lode-fold', { detail: !this.open }));
  };
}

/** A reference without what all of its kind begin with, a folder by its last names. */
function shortPlace(place: string): string {
  const ref = /^refs\/(?:heads\/)?(.+)$/s.exec(place)?.[1];
  return ref ?? place.split(/[\\/]/).slice(-2).join('/');
}
