import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { HistoryPage, SessionLine } from '../../src/sessionProtocol.ts';
import { age, dateTime } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { handled, isGoBack, isPlain, isTyping } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { levelBadge, levelStyles } from '../kit/level.ts';
import type { Menu, MenuItem } from '../kit/menu.ts';
import { emptyState, stateStyles } from '../kit/states.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visibleLine } from '../kit/text.ts';
import { glyphStyles } from '../kit/tree-styles.ts';
import type { SessionCommands } from './acts.ts';
import type { Composer } from './composer.ts';
import { conflictLines, conflictStyles } from './conflicts.ts';
import {
  kindName,
  labelOf,
  sessionName,
  standingIcon,
  standingName,
  standingOf,
  tokensText,
} from './describe.ts';
import type { Wanted } from './history.ts';

/** Characters of a name in the line of facts: the history needs the room. */
const FACT = 80;

/**
 * One session: what it is, what was said in it, and where a message to it is written. Fires `lode-back`, and passes on
 * what the history and the composer fire.
 */
export class SessionPane extends LitElement {
  static override properties = {
    session: { attribute: false },
    load: { attribute: false },
    commands: { attribute: false },
    menu: { attribute: false },
    canWrite: { type: Boolean },
    beside: { type: Boolean, reflect: true },
    busy: { type: Boolean },
    draft: {},
    mark: {},
    now: { type: Number },
  };
  /** Undefined: it is not there any more. */
  declare session: SessionLine | undefined;
  declare load: (wanted: Wanted) => Promise<HistoryPage>;
  declare commands: SessionCommands;
  declare menu: readonly MenuItem[];
  declare canWrite: boolean;
  /** It stands beside the tree, which needs no way back. */
  declare beside: boolean;
  declare busy: boolean;
  declare draft: string;
  declare mark: string;
  declare now: number;

  static override styles = [
    baseStyles,
    stateStyles,
    glyphStyles,
    levelStyles,
    conflictStyles,
    css`
      :host { display: flex; flex-direction: column; min-height: 0; height: 100%; }
      :host([beside]) .top { padding-inline-start: 12px; }
      .top { flex: none; display: flex; align-items: center; gap: 4px; min-height: 36px; padding: 4px 8px; }
      .top .glyph { flex: none; }
      .broken > .glyph { color: var(--vscode-charts-yellow, currentColor); }
      h1 { margin: 0; font-size: 13px; line-height: 18px; font-weight: 600; outline-offset: 2px; border-radius: 2px; min-width: 0; }
      .facts { flex: none; margin: 0 12px 6px; max-height: 64px; overflow: hidden auto; font-size: 11px; line-height: 16px; overflow-wrap: anywhere; }
      .facts .level { display: inline-block; line-height: 12px; vertical-align: 1px; }
      .facts ~ :is(lode-history, .grow) { border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
      lode-history { flex: 1; }
    `,
  ];

  constructor() {
    super();
    this.session = undefined;
    this.menu = [];
    this.canWrite = false;
    this.beside = false;
    this.busy = false;
    this.draft = '';
    this.mark = '';
    this.now = Date.now();
    this.addEventListener('keydown', this.#key);
  }

  focusHeading(): void {
    this.renderRoot.querySelector<HTMLElement>('h1')?.focus();
  }

  focusComposer(): void {
    this.renderRoot.querySelector<Composer>('lode-composer')?.focus();
  }

  protected override render() {
    const { session } = this;
    const back = this.beside
      ? nothing
      : html`<button class="icon-button back" aria-label=${t('Back to the list')} title=${t('Back to the list')} @click=${this.#back}>${icons.back}</button>`;
    if (session === undefined)
      return html`<div class="top">${back}<h1 tabindex="-1">${t('Sessions')}</h1></div>
        ${emptyState({ title: t('This session is not there any more.') })}`;
    const standing = standingOf(session);
    const name = sessionName(session);
    return html`<div class="top ${standing}">${back}<span class="glyph" title=${standingName(standing)}>${standingIcon(standing)}</span>
        <h1 tabindex="-1" class="ellipsis grow" title=${name}><bdi>${name}</bdi></h1>${this.#buttons(session)}</div>
      <p class="facts muted">${this.#facts(session)}</p>${conflictLines(session)}
      ${
        session.id === null
          ? html`<div class="grow">${emptyState({ title: t('There is no history of it here.'), text: t('Of this agent only that it is at work is known.') })}</div>`
          : html`<lode-history .load=${this.load} .stamp=${`${session.updated} ${session.state}`} .mark=${this.mark} .now=${this.now} .isWhole=${session.answers} @lode-from=${this.#relay}></lode-history>`
      }
      ${session.id === null ? nothing : this.#composer(session)}<lode-menu></lode-menu>`;
  }

  #composer(session: SessionLine): TemplateResult {
    return html`<lode-composer .draft=${this.draft} .busy=${this.busy} .closed=${this.#closed(session)}
        .note=${session.answers ? '' : t('Its agent is told with the next call that it makes.')}
        @lode-draft=${this.#relay} @lode-send=${this.#relay}></lode-composer>`;
  }

  #buttons(session: SessionLine): TemplateResult {
    const { canWrite, busy, commands } = this;
    const button = (name: string, icon: TemplateResult, run: () => void) =>
      html`<button class="icon-button" aria-label=${name} title=${name} ?disabled=${busy} @click=${run}>${icon}</button>`;
    return html`${canWrite && session.run !== null ? button(t('Stop the run'), icons.stop, () => commands.stop(session)) : nothing}${
      canWrite && session.canResume
        ? button(t('Resume in a chat'), icons.resume, () => commands.resume(session))
        : nothing
    }<button class="icon-button more" aria-haspopup="menu" aria-label=${t('Actions')} title=${t('Actions')} @click=${this.#openMenu}>${icons.more}</button>`;
  }

  #facts(session: SessionLine): TemplateResult {
    const { kind, model, agentId, updated, sendPolicy, archived, peer = '' } = session;
    const policies = { allow: t('messages allowed'), deny: t('messages denied') };
    const facts = [
      standingName(standingOf(session)),
      kindName(kind),
      peer === '' ? '' : t('through {0}', peer),
      agentId === 'main' ? '' : t('agent {0}', agentId),
      labelOf(session),
      model ?? '',
      tokensText(session),
      sendPolicy === null ? '' : policies[sendPolicy],
      archived ? t('archived') : '',
    ].filter((fact) => fact !== '');
    const shown = facts.map((fact) => visibleLine(clip(fact, FACT)));
    return html`${session.level === 'PUBLIC' ? html`${session.level} · ` : html`${levelBadge(session)} `}${shown.join(' · ')}${
      updated === null ? nothing : html` · <span title=${dateTime(updated)}>${age(updated, this.now)}</span>`
    }`;
  }

  #closed({ maySend }: SessionLine): string {
    if (!this.canWrite) return t('Messages cannot be sent from a folder that is not trusted.');
    return maySend ? '' : t('This session takes no messages. Its menu can allow them.');
  }

  readonly #openMenu = (event: Event): void => {
    const button = event.currentTarget as HTMLElement;
    const menu = this.renderRoot.querySelector<Menu>('lode-menu');
    void menu?.open(t('Actions'), this.menu, button.getBoundingClientRect(), () => button.focus());
  };

  readonly #key = (event: KeyboardEvent): void => {
    const isEscape = event.key === 'Escape' && isPlain(event);
    if (isGoBack(event) || (isEscape && !isTyping(event))) this.#back();
    else if (isEscape) this.focusHeading();
    else if (event.key === 'm' && isPlain(event) && !isTyping(event)) this.focusComposer();
    else return;
    handled(event);
  };

  readonly #back = (): void => this.#fire('lode-back');

  readonly #relay = (event: CustomEvent<unknown>): void => this.#fire(event.type, event.detail);

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
