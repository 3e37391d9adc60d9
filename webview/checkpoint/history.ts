import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { CheckpointView } from '../../src/planProtocol.ts';
import { dateTime, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visibleLine } from '../kit/text.ts';
import { listStyles } from './list-styles.ts';
import { sinceText } from './since.ts';

export type Ended = CheckpointView['history'][number];

/** What a checkpoint was for, and what was found. */
export interface Report {
  readonly goal: string;
  readonly report: string;
}

const GOAL = 300;

/**
 * Checkpoints that have ended, newest first. Fires `lode-unfold` with their starts, `lode-copy` with a report, and
 * `lode-continue` with a Report.
 */
export class History extends LitElement {
  static override properties = {
    history: { attribute: false },
    unfolded: { attribute: false },
    canContinue: { type: Boolean },
  };
  declare history: readonly Ended[];
  declare unfolded: readonly number[];
  /** Whether chats can be opened here. */
  declare canContinue: boolean;

  static override styles = [baseStyles, listStyles];

  constructor() {
    super();
    this.history = [];
    this.unfolded = [];
    this.canContinue = false;
  }

  protected override render() {
    return html`<h2>${t('Earlier checkpoints')}</h2>
      <ul>${repeat(
        this.history,
        // Two may have started in the same millisecond; the place counted from the oldest stays the same.
        ({ startedAt }, index) => `${startedAt} ${this.history.length - index}`,
        (ended, index) => this.#line(ended, index),
      )}</ul>`;
  }

  #line(ended: Ended, index: number): TemplateResult {
    const { goal, startedAt, endedAt, report } = ended;
    const open = this.unfolded.includes(startedAt);
    const id = `more-${index}`;
    return html`<li class=${report === null ? 'quiet' : ''}>
      <button class="head" aria-expanded=${open} aria-controls=${open ? id : nothing} @click=${() => this.#toggle(startedAt, !open)}>
        <span class="sign">${open ? icons.open : icons.closed}</span>
        <bdi class="name grow">${visibleLine(clip(goal, GOAL))}</bdi>
        ${report === null ? html`<span class="badge muted">${t('Cancelled')}</span>` : nothing}
        <span class="aside muted" title=${dateTime(endedAt)}>${shortAge(endedAt)}</span>
      </button>
      ${open ? html`<div class="more" id=${id}>${this.#report(ended)}</div>` : nothing}
    </li>`;
  }

  #report({ goal, startedAt, since, report }: Ended): TemplateResult {
    const facts = `${dateTime(startedAt)} · ${sinceText(since)}`;
    if (report === null) {
      return html`<p class="facts muted">${facts}</p><p class="muted">${t('Cancelled: everything stayed in the conversation.')}</p>`;
    }
    return html`<p class="facts muted">${facts}</p>
      <lode-block .text=${report}></lode-block>
      <div class="buttons">
        <button class="link" @click=${() => this.#fire('lode-copy', report)}>${t('Copy report')}</button>
        ${
          this.canContinue
            ? html`<button class="link" @click=${() => this.#fire('lode-continue', { goal, report } satisfies Report)}>${t('Continue in a new chat')}</button>`
            : nothing
        }
      </div>`;
  }

  #toggle(startedAt: number, open: boolean): void {
    const rest = this.unfolded.filter((each) => each !== startedAt);
    this.#fire('lode-unfold', open ? [...rest, startedAt] : rest);
  }

  #fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
