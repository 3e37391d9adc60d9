import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { HistoryPage } from '../../src/sessionProtocol.ts';
import { errorText } from '../kit/host.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { emptyState, errorState, loadingState, stateStyles } from '../kit/states.ts';
import { baseStyles } from '../kit/styles.ts';
import { visible } from '../kit/text.ts';
import { messageStyles, messageView } from './message.ts';

/** Which part of a history is wanted: the latest, those before a record, or back to a record. */
export interface Wanted {
  readonly before?: number;
  readonly reach?: string;
  readonly limit?: number;
}

/** As many as the host gives at once. */
const MOST = 500;
/** What has come meanwhile must not push out what is shown. */
const MORE = 20;
const NEAR = 40;

/**
 * What was said in a session, the latest at the end. It is read when it is shown, and again when `stamp` changes.
 * Fires `lode-from` with the key of a session that sent a message.
 */
export class History extends LitElement {
  static override properties = {
    load: { attribute: false },
    stamp: {},
    mark: {},
    now: { type: Number },
    isWhole: { type: Boolean },
    page: { state: true },
    failure: { state: true },
    loading: { state: true },
  };
  declare load: (wanted: Wanted) => Promise<HistoryPage>;
  declare stamp: string;
  /** The record to jump to; empty: the end. */
  declare mark: string;
  declare now: number;
  /** All that is said in it is seen here. */
  declare isWhole: boolean;
  declare page: HistoryPage | undefined;
  declare failure: string;
  declare loading: boolean;
  /** Distance from the end that has to stay while messages come in above. */
  #keep: number | undefined;
  #jump = true;
  #reading = 0;

  static override styles = [
    baseStyles,
    stateStyles,
    messageStyles,
    css`
      :host { display: block; min-height: 0; overflow: hidden auto; overflow-anchor: none; }
      .older { padding: 6px 12px; }
      .note { padding: 0 12px 6px; font-size: 11px; }
    `,
  ];

  constructor() {
    super();
    this.stamp = '';
    this.mark = '';
    this.now = Date.now();
    this.isWhole = true;
    this.page = undefined;
    this.failure = '';
    this.loading = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('mark') || changed.has('load')) this.#jump = true;
    if (changed.has('load') || changed.has('stamp') || changed.has('mark')) void this.#read();
  }

  protected override render(): TemplateResult {
    const { page, failure } = this;
    if (page === undefined)
      return failure === ''
        ? loadingState()
        : errorState(t('The history could not be read.'), visible(failure), () => void this.#read());
    if (page.unreadable !== undefined)
      return emptyState({
        title: t('This session cannot be read here.'),
        text: visible(phraseText(page.unreadable)),
      });
    if (page.messages.length === 0)
      return emptyState({
        title: t('Nothing was said here yet.'),
        ...(this.isWhole ? {} : { text: t('Of this agent only what it does with Lodeline is seen here.') }),
      });
    const context = {
      now: this.now,
      openSession: (key: string) => this.dispatchEvent(new CustomEvent('lode-from', { detail: key })),
    };
    return html`${
      page.older === null
        ? nothing
        : html`<div class="older"><button class="link" ?disabled=${this.loading} @click=${this.#older}>${t('Show older messages')}</button></div>`
    }
      ${page.truncated ? html`<p class="note muted">${t('Long texts are cut here; the transcript has all of them.')}</p>` : nothing}
      ${failure === '' ? nothing : html`<p class="note" role="alert">${visible(failure)}</p>`}
      <div role="log" aria-label=${t('History')} aria-live="off">${repeat(
        page.messages,
        ({ uuid }) => uuid,
        (message) => messageView(message, { ...context, marked: message.uuid === this.mark }),
      )}</div>`;
  }

  /** How high the messages are is known once their texts are rendered. */
  protected override async getUpdateComplete(): Promise<boolean> {
    const isDone = await super.getUpdateComplete();
    const blocks = [...this.renderRoot.querySelectorAll<LitElement>('lode-block')];
    await Promise.all(blocks.map((block) => block.updateComplete));
    return isDone;
  }

  protected override updated(): void {
    void this.updateComplete.then(() => this.#scrollTo());
  }

  #scrollTo(): void {
    if (this.page === undefined || this.clientHeight === 0) return;
    if (this.#jump) {
      const marked = this.mark === '' ? null : this.#marked;
      if (this.mark !== '' && marked === null) return;
      this.#jump = false;
      if (marked === null) this.scrollTop = this.scrollHeight;
      else {
        marked.scrollIntoView({ block: 'center' });
        marked.focus({ preventScroll: true });
      }
    } else if (this.#keep !== undefined) this.scrollTop = this.scrollHeight - this.#keep;
    this.#keep = undefined;
  }

  get #marked(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.message.marked');
  }

  /** Reads the latest, as many as are shown already. */
  async #read(): Promise<void> {
    const reading = ++this.#reading;
    const { page, mark } = this;
    try {
      const shown = page?.messages.length ?? 0;
      const isNear = mark === '' || page?.messages.some(({ uuid }) => uuid === mark) === true;
      const next = await this.load({
        ...(isNear ? {} : { reach: mark }),
        ...(shown === 0 ? {} : { limit: Math.min(shown + MORE, MOST) }),
      });
      if (reading !== this.#reading) return;
      const fromEnd = this.scrollHeight - this.scrollTop;
      // Who reads the end goes on reading it; who reads further up stays there.
      if (page !== undefined && !this.#jump) {
        const isAtEnd = fromEnd - this.clientHeight < NEAR;
        const top = this.scrollTop;
        this.page = next;
        await this.updateComplete;
        this.scrollTop = isAtEnd ? this.scrollHeight : top;
      } else this.page = next;
      this.failure = '';
    } catch (error) {
      if (reading === this.#reading) this.failure = errorText(error);
    }
  }

  readonly #older = async (): Promise<void> => {
    const { page } = this;
    if (page === undefined || page.older === null || this.loading) return;
    const reading = ++this.#reading;
    this.loading = true;
    try {
      const before = await this.load({ before: page.older });
      if (reading !== this.#reading) return;
      this.#keep = this.scrollHeight - this.scrollTop;
      const known = new Set(page.messages.map(({ uuid }) => uuid));
      const added = before.messages.filter(({ uuid }) => !known.has(uuid));
      this.page = {
        ...before,
        messages: [...added, ...page.messages],
        truncated: page.truncated || before.truncated,
      };
      this.failure = '';
      await this.updateComplete;
      // The button that was pressed may be gone.
      this.renderRoot.querySelector<HTMLElement>('.message')?.focus({ preventScroll: true });
    } catch (error) {
      if (reading === this.#reading) this.failure = errorText(error);
    } finally {
      this.loading = false;
    }
  };
}
