import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { FoldLine } from '../../src/planProtocol.ts';
import { compact, count } from '../kit/format.ts';
import { errorText } from '../kit/host.ts';
import { icons } from '../kit/icons.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import { listStyles } from './list-styles.ts';

const TOPIC = 300;

/** The original of a part, or why it cannot be shown; undefined while it is read. */
interface Original {
  readonly text?: string;
  readonly failure?: string;
}

/**
 * Parts of the conversation that the agent has folded, newest first. Fires `lode-unfold` with the names of those that
 * are unfolded, and `lode-reopen` with the name of a part once the person confirmed it.
 */
export class Folds extends LitElement {
  static override properties = {
    folds: { attribute: false },
    session: {},
    unfolded: { attribute: false },
    canWrite: { type: Boolean },
    busy: { type: Boolean },
    readOriginal: { attribute: false },
    originals: { state: true },
    asking: { state: true },
  };
  declare folds: readonly FoldLine[];
  /** Id of the session that they are of. */
  declare session: string;
  declare unfolded: readonly string[];
  declare canWrite: boolean;
  declare busy: boolean;
  declare readOriginal: (block: string) => Promise<string>;
  /** By `idOf`: those that are shown, or on their way. */
  declare originals: ReadonlyMap<string, Original>;
  /** `idOf` the part that may be reopened. */
  declare asking: string;

  static override styles = [
    baseStyles,
    bannerStyles,
    listStyles,
    css`
      .banner { margin-top: 8px; }
      .banner .buttons { gap: 6px; margin-top: 6px; }
      .original { max-height: 320px; overflow-y: auto; font-family: var(--vscode-editor-font-family, monospace); font-size: 12px; }
    `,
  ];

  constructor() {
    super();
    this.folds = [];
    this.session = '';
    this.unfolded = [];
    this.canWrite = false;
    this.busy = false;
    this.readOriginal = async () => '';
    this.originals = new Map();
    this.asking = '';
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session') && changed.get('session') !== undefined) {
      this.originals = new Map();
      this.asking = '';
    }
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('asking') && this.asking !== '')
      this.renderRoot.querySelector<HTMLElement>('.keep')?.focus();
  }

  protected override render() {
    return html`<h2>${t('Folded parts')}</h2>
      <ul>${repeat(
        this.folds.toReversed(),
        ({ block }) => block,
        (fold) => this.#line(fold),
      )}</ul>`;
  }

  #line(fold: FoldLine): TemplateResult {
    const { block, topic, tokens, tier, active } = fold;
    const open = this.unfolded.includes(block);
    const id = `more-${block}`;
    return html`<li class=${active ? '' : 'quiet'}>
      <button class="head" aria-expanded=${open} aria-controls=${open ? id : nothing} @click=${() => this.#toggle(block, !open)}>
        <span class="sign">${open ? icons.open : icons.closed}</span>
        <bdi class="name grow">${visibleLine(clip(topic.trim() === '' ? block : topic, TOPIC))}</bdi>
        ${active ? nothing : html`<span class="badge muted">${t('Not in use')}</span>`}
        ${tier > 1 ? html`<span class="badge muted">${t('Tier {0}', tier)}</span>` : nothing}
        <span class="aside muted"><span aria-hidden="true" title=${tokensText(tokens)}>${compact(tokens)}</span><span class="visually-hidden">${tokensText(tokens)}</span></span>
      </button>
      ${open ? html`<div class="more" id=${id}>${this.#more(fold)}</div>` : nothing}
    </li>`;
  }

  #more(fold: FoldLine): TemplateResult {
    const { block, summary, messages, tokens, active } = fold;
    const original = this.originals.get(idOf(fold));
    const facts = [
      block,
      messages === 1 ? t('1 message') : t('{0} messages', count(messages)),
      tokensText(tokens),
    ].join(' · ');
    return html`<p class="facts muted">${facts}</p>
      ${active ? nothing : html`<p class="muted">${t('It was reopened, or folded again together with others.')}</p>`}
      <lode-block .text=${summary} .limit=${4_000}></lode-block>
      ${original === undefined ? nothing : this.#original(original)}
      ${this.asking === idOf(fold) && active ? this.#question(fold) : this.#buttons(fold, original)}`;
  }

  #original({ text, failure }: Original): TemplateResult {
    if (failure !== undefined)
      return html`<div class="banner error" role="alert"><span class="grow">${visible(failure)}</span></div>`;
    if (text === undefined) return html`<p class="muted" role="status">${t('Loading')}</p>`;
    // It scrolls, so it must be reached by keyboard.
    return html`<div class="original" tabindex="0" role="region" aria-label=${t('Original')}><lode-block .text=${text}></lode-block></div>`;
  }

  #buttons(fold: FoldLine, original: Original | undefined): TemplateResult {
    return html`<div class="buttons">
      <button class="link" aria-expanded=${original !== undefined} @click=${() => void this.#show(fold)}>${
        original === undefined ? t('Show original') : t('Hide original')
      }</button>
      ${
        this.canWrite && fold.active
          ? html`<button class="link reopen" @click=${() => this.#ask(fold)}>${t('Reopen…')}</button>`
          : nothing
      }</div>`;
  }

  #question(fold: FoldLine): TemplateResult {
    return html`<div class="banner warning" role="alertdialog" aria-label=${t('Reopen it')} @keydown=${this.#key}>
      <div class="grow"><p>${t('Reopen this part? From its next request on the agent sees it in full again, which takes up about {0} tokens. It cannot be closed from here; the agent may fold it once more.', count(fold.tokens))}</p>
        <div class="buttons">
          <vscode-button class="keep" @click=${this.#keep}>${t('Keep it folded')}</vscode-button>
          <vscode-button appearance="secondary" ?disabled=${this.busy} @click=${() => this.#reopen(fold)}>${t('Reopen it')}</vscode-button>
        </div></div></div>`;
  }

  async #show(fold: FoldLine): Promise<void> {
    const id = idOf(fold);
    const { session } = this;
    if (this.originals.has(id)) return this.#put(id, undefined);
    this.#put(id, {});
    const read = await this.readOriginal(fold.block).then(
      (text): Original => ({ text }),
      (error: unknown): Original => ({ failure: errorText(error) }),
    );
    if (session === this.session && this.originals.has(id)) this.#put(id, read);
  }

  #put(id: string, original: Original | undefined): void {
    const rest = [...this.originals].filter(([each]) => each !== id);
    this.originals = new Map(original === undefined ? rest : [...rest, [id, original]]);
  }

  #ask(fold: FoldLine): void {
    this.asking = idOf(fold);
  }

  readonly #keep = async (): Promise<void> => {
    const block = this.folds.find((fold) => idOf(fold) === this.asking)?.block;
    this.asking = '';
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(`#more-${block} .reopen`)?.focus();
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    handled(event);
    void this.#keep();
  };

  #reopen({ block }: FoldLine): void {
    this.asking = '';
    this.renderRoot.querySelector<HTMLElement>(`.head[aria-controls="more-${block}"]`)?.focus();
    this.#fire('lode-reopen', block);
  }

  #toggle(block: string, open: boolean): void {
    const rest = this.unfolded.filter((each) => each !== block);
    this.#fire('lode-unfold', open ? [...rest, block] : rest);
  }

  #fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Tells a part from one that had its name before the conversation went back. */
function idOf({ block, tier, topic, tokens }: FoldLine): string {
  return JSON.stringify([block, tier, topic, tokens]);
}

function tokensText(tokens: number): string {
  return tokens === 1 ? t('1 token') : t('{0} tokens', count(tokens));
}
