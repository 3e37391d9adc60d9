import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { CheckpointView } from '../../src/planProtocol.ts';
import { t } from '../kit/l10n.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { clip, visibleLine } from '../kit/text.ts';

type Call = CheckpointView['unknowns'][number];
type Looser = CheckpointView['looser'][number];

/** The person's word on a call. */
export interface Acknowledgement {
  readonly id: string;
  readonly finding: 'succeeded' | 'failed' | 'unknown';
}

const NAME = 100;
const QUOTE = 300;

/**
 * What keeps the tools of a session from acting: calls of which nobody knows whether they took effect, and settings that
 * are looser now. Fires `lode-acknowledge` with an Acknowledgement, and `lode-allow` with the keys of settings.
 */
export class OpenQuestions extends LitElement {
  static override properties = {
    unknowns: { attribute: false },
    looser: { attribute: false },
    canWrite: { type: Boolean },
    busy: { type: Boolean },
  };
  declare unknowns: readonly Call[];
  declare looser: readonly Looser[];
  declare canWrite: boolean;
  declare busy: boolean;

  static override styles = [
    baseStyles,
    bannerStyles,
    css`
      :host { padding: 4px 12px 12px; }
      .banner { max-width: 720px; }
      .banner + .banner { margin-top: 8px; }
      h2 { margin: 0; font-size: 13px; font-weight: 600; }
      h2 + p { margin-top: 2px; }
      ul { list-style: none; margin: 0; padding: 0; }
      li { margin-top: 10px; }
      .said { margin-top: 2px; padding-inline-start: 8px; border-inline-start: 2px solid currentColor; opacity: 0.85; }
      .buttons { gap: 6px !important; margin-top: 6px !important; }
      code { font-family: var(--vscode-editor-font-family, monospace); font-size: 12px; overflow-wrap: anywhere; }
    `,
  ];

  constructor() {
    super();
    this.unknowns = [];
    this.looser = [];
    this.canWrite = false;
    this.busy = false;
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('vscode-button')?.focus();
  }

  protected override render() {
    return html`${this.unknowns.length === 0 ? nothing : this.#calls()}${this.looser.length === 0 ? nothing : this.#settings()}`;
  }

  #calls(): TemplateResult {
    return html`<section class="banner warning" aria-labelledby="calls"><div class="grow">
      <h2 id="calls">${t('Left in the middle of a call')}</h2>
      <p>${t('Look whether it took effect, then say so. Until then tools with side effects are refused in this session.')}</p>
      <ul>${repeat(
        this.unknowns,
        ({ id }) => id,
        (call, at) => this.#call(call, at),
      )}</ul></div></section>`;
  }

  #call({ id, name, announced }: Call, at: number): TemplateResult {
    const said = visibleLine(clip(announced, QUOTE)).trim();
    return html`<li>
      <p id=${`call-${at}`}>${t('It is not known whether “{0}” took effect.', visibleLine(clip(name, NAME)))}</p>
      ${said === '' ? nothing : html`<p class="said"><bdi>${said}</bdi></p>`}
      ${
        this.canWrite
          ? html`<div class="buttons" role="group" aria-labelledby=${`call-${at}`}>
            ${this.#answer(id, 'succeeded', t('It succeeded'))}${this.#answer(id, 'failed', t('It did not'))}${this.#answer(
              id,
              'unknown',
              t('Still unknown'),
              t('The agent may go on, and is told that nobody knows.'),
            )}</div>`
          : nothing
      }</li>`;
  }

  #answer(id: string, finding: Acknowledgement['finding'], label: string, title = ''): TemplateResult {
    return html`<vscode-button appearance="secondary" title=${title || nothing} ?disabled=${this.busy}
      @click=${() => this.#fire('lode-acknowledge', { id, finding } satisfies Acknowledgement)}>${label}</vscode-button>`;
  }

  #settings(): TemplateResult {
    const keys = this.looser.map(({ key }) => key);
    return html`<section class="banner" aria-labelledby="settings"><div class="grow">
      <h2 id="settings">${t('Settings are looser now than when it was left')}</h2>
      <p>${t('In this session they count as they were, until you let the new values count.')}</p>
      <ul>${this.looser.map(
        ({ key, counts, says }) =>
          html`<li><code>${visibleLine(key)}</code><br>${visibleLine(clip(counts, QUOTE))} → ${visibleLine(clip(says, QUOTE))}</li>`,
      )}</ul>
      ${
        this.canWrite
          ? html`<div class="buttons"><vscode-button appearance="secondary" ?disabled=${this.busy}
            @click=${() => this.#fire('lode-allow', keys)}>${t('Let the new values count')}</vscode-button></div>`
          : nothing
      }</div></section>`;
  }

  #fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
