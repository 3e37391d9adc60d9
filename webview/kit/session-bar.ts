import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import type { SessionRow } from '../../src/planProtocol.ts';
import { dateTime } from './format.ts';
import { icons } from './icons.ts';
import { t } from './l10n.ts';
import type { SelectOption } from './select.ts';
import { baseStyles } from './styles.ts';
import { clip, visibleLine } from './text.ts';

const TITLE = 80;

/**
 * Which session is shown, and a choice when there is more than one. Fires `lode-session` with an id, or '', and
 * `lode-resume` to go on with the one that is shown.
 */
export class SessionBar extends LitElement {
  static override properties = {
    session: { attribute: false },
    sessions: { attribute: false },
    chosen: {},
    canResume: { type: Boolean },
    options: { state: true },
  };
  declare session: SessionRow | null;
  declare sessions: readonly SessionRow[];
  /** Empty: the most recently active one that has something to show. */
  declare chosen: string;
  /** Whether chats can be opened here. */
  declare canResume: boolean;
  declare options: readonly SelectOption[];

  static override styles = [
    baseStyles,
    css`
      :host { display: flex; align-items: center; gap: 6px; min-width: 0; }
      lode-select { flex: 1; min-width: 0; max-width: 480px; }
      .live { flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--vscode-charts-green, currentColor); }
    `,
  ];

  constructor() {
    super();
    this.session = null;
    this.sessions = [];
    this.chosen = '';
    this.canResume = false;
    this.options = [];
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Other options make another dropdown: not while the person is in it.
    if (
      !this.matches(':focus-within') &&
      (changed.has('sessions') || changed.has('session') || changed.has('chosen'))
    )
      this.#offer();
  }

  protected override render() {
    const { session } = this;
    if (session === null) return nothing;
    const name = sessionName(session);
    return html`
      ${session.live ? html`<span class="live" role="img" aria-label=${t('An agent works on it now.')} title=${t('An agent works on it now.')}></span>` : nothing}
      ${
        this.sessions.length > 1
          ? html`<lode-select .label=${t('Session')} .options=${this.options} .value=${this.chosen}
            @lode-change=${this.#choose} @focusout=${this.#left}></lode-select>`
          : html`<bdi class="ellipsis muted" title=${name}>${name}</bdi>`
      }${
        session.live || !this.canResume
          ? nothing
          : html`<button class="icon-button" aria-label=${t('Resume in a chat')} title=${t('Resume in a chat')} @click=${this.#resume}>${icons.resume}</button>`
      }`;
  }

  #offer(): void {
    // The latest is the latest with something to show, which is known while it is shown.
    const latest = this.chosen === '' ? this.session : null;
    this.options = [
      { value: '', label: latest === null ? t('Latest') : t('Latest: {0}', sessionName(latest)) },
      ...this.sessions.map((row) => ({
        value: row.id,
        label: row.live ? `${sessionName(row)} · ${t('live')}` : sessionName(row),
      })),
    ];
  }

  readonly #choose = ({ detail }: CustomEvent<string>): void => {
    this.dispatchEvent(new CustomEvent('lode-session', { detail }));
  };

  readonly #resume = (): void => {
    this.dispatchEvent(new CustomEvent('lode-resume'));
  };

  readonly #left = (): void => {
    setTimeout(() => this.#offer());
  };
}

/** Two chats of one agent that nothing was said in yet are told apart by when they were last active. */
function sessionName({ title, source, lastActive }: SessionRow): string {
  return [title, source, title === '' ? dateTime(lastActive) : '']
    .filter((part) => part !== '')
    .map((part) => visibleLine(clip(part, TITLE)))
    .join(' · ');
}
