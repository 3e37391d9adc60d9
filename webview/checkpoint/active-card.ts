import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CheckpointView } from '../../src/planProtocol.ts';
import { age, dateTime } from '../kit/format.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import type { ReportEditor } from './report-editor.ts';
import { sinceText } from './since.ts';

export type Active = NonNullable<CheckpointView['active']>;

const TICK = 15_000;

/**
 * The checkpoint that is open, and the two ways to end it. Fires `lode-write` (open the editor), and
 * `lode-drop` when the person confirmed cancelling; passes on what the editor fires.
 */
export class ActiveCard extends LitElement {
  static override properties = {
    active: { attribute: false },
    canWrite: { type: Boolean },
    writing: { type: Boolean },
    draft: {},
    busy: { type: Boolean },
    failure: {},
    asking: { state: true },
  };
  declare active: Active;
  declare canWrite: boolean;
  declare writing: boolean;
  declare draft: string;
  declare busy: boolean;
  declare failure: string;
  /** Whether to cancel the checkpoint. */
  declare asking: boolean;
  #timer: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    baseStyles,
    bannerStyles,
    css`
      :host { padding: 4px 12px 12px; }
      .label { font-size: 11px; }
      h1 { margin: 0; font-size: 14px; line-height: 20px; font-weight: 600; outline: none; }
      .since { margin-top: 4px; font-variant-numeric: tabular-nums; }
      .actions { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 12px; }
      .banner { margin: 10px 0 0; max-width: 720px; }
      .banner .buttons { gap: 6px; margin-top: 6px; }
      lode-report { margin-top: 12px; max-width: 720px; }
    `,
  ];

  constructor() {
    super();
    this.canWrite = false;
    this.writing = false;
    this.draft = '';
    this.busy = false;
    this.failure = '';
    this.asking = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.requestUpdate(), TICK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override focus(): void {
    const editor = this.renderRoot.querySelector<ReportEditor>('lode-report');
    (
      editor ??
      this.renderRoot.querySelector<HTMLElement>('.actions vscode-button') ??
      this.#heading
    )?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('active');
    // The question was about another one.
    if (before !== undefined && before.startedAt !== this.active.startedAt) this.asking = false;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('asking') && this.asking) this.renderRoot.querySelector<HTMLElement>('.keep')?.focus();
  }

  protected override render() {
    const { goal, startedAt, since, pending } = this.active;
    return html`
      <div class="label muted">${t('Checkpoint')}</div>
      <h1 tabindex="-1"><lode-block .text=${goal} .limit=${600}></lode-block></h1>
      <p class="muted since" title=${dateTime(startedAt)}>${t('Set {0}', age(startedAt))}</p>
      <p class="since">${t('Since then: {0}', sinceText(since))}</p>
      ${pending ? html`<div class="banner" role="status">${t('A rewind is on its way. It takes effect when the agent’s turn ends.')}</div>` : nothing}
      ${this.canWrite ? this.#ways(pending) : nothing}`;
  }

  #ways(pending: boolean): TemplateResult {
    if (this.asking) return this.#question();
    if (this.writing && !pending) {
      return html`<lode-report .text=${this.draft} .since=${this.active.since} .busy=${this.busy} .failure=${this.failure}
        @lode-draft=${this.#relay} @lode-rewind=${this.#relay} @lode-cancel=${this.#relay}></lode-report>`;
    }
    return html`<div class="actions">
      ${
        pending
          ? nothing
          : html`<vscode-button @click=${() => this.#fire('lode-write')}>${
              this.draft.trim() === '' ? t('Rewind with a report…') : t('Go on with the report…')
            }</vscode-button>`
      }
      <vscode-button appearance="secondary" ?disabled=${this.busy} @click=${this.#ask}>${t('Cancel checkpoint')}</vscode-button>
    </div>`;
  }

  #question(): TemplateResult {
    return html`<div class="banner warning" role="alertdialog" aria-label=${t('Cancel checkpoint')} @keydown=${this.#key}>
      <div class="grow"><p>${t('Cancel this checkpoint? The conversation goes on as it is and keeps everything, but it can no longer be rewound to this point.')}</p>
        <div class="buttons">
          <vscode-button class="keep" @click=${this.#keep}>${t('Keep it')}</vscode-button>
          <vscode-button appearance="secondary" ?disabled=${this.busy} @click=${this.#drop}>${t('Cancel checkpoint')}</vscode-button>
        </div></div></div>`;
  }

  get #heading(): HTMLElement | null {
    return this.renderRoot.querySelector('h1');
  }

  readonly #ask = (): void => {
    this.asking = true;
  };

  readonly #keep = async (): Promise<void> => {
    this.asking = false;
    await this.updateComplete;
    this.focus();
  };

  readonly #drop = (): void => {
    this.asking = false;
    this.#fire('lode-drop');
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    handled(event);
    void this.#keep();
  };

  readonly #relay = (event: CustomEvent<unknown>): void => this.#fire(event.type, event.detail);

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
