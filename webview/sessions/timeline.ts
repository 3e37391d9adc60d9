import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { MessageLine } from '../../src/sessionProtocol.ts';
import { age, count, dateTime, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { moveBetweenRows } from '../kit/rows.ts';
import { sectionStyles } from '../kit/section-styles.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';

const SHOWN = 300;

/**
 * What happened to messages between sessions, newest first. Fires `lode-session` with the key of the session that a
 * message went to, and `lode-fold` with whether it is open now.
 */
export class Timeline extends LitElement {
  static override properties = {
    messages: { attribute: false },
    open: { type: Boolean },
    now: { type: Number },
  };
  declare messages: readonly MessageLine[];
  declare open: boolean;
  declare now: number;

  static override styles = [
    baseStyles,
    sectionStyles,
    css`
      ul { list-style: none; margin: 0; padding: 0 0 8px; }
      .message { all: unset; box-sizing: border-box; display: flex; gap: 4px; width: 100%; padding: 3px 12px 3px 8px; cursor: pointer; }
      .message:hover { background: var(--vscode-list-hoverBackground); }
      .message:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
      .sign { flex: none; display: flex; align-items: center; height: 18px; width: 18px; color: var(--vscode-descriptionForeground); }
      .failed .sign { color: var(--vscode-errorForeground, var(--vscode-charts-red)); }
      .waiting .sign { color: var(--vscode-charts-yellow, currentColor); }
      .replied .sign { color: var(--vscode-charts-green, currentColor); }
      .texts { flex: 1; min-width: 0; }
      .first { display: flex; align-items: baseline; gap: 6px; min-width: 0; }
      .way { display: grid; grid-template-columns: fit-content(50%) auto minmax(0, 1fr); gap: 4px; min-width: 0; flex: 1; }
      .text { display: block; font-size: 12px; }
      :host-context(.vscode-high-contrast) .message:hover, :host-context(.vscode-high-contrast-light) .message:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; background: none; }
    `,
  ];

  constructor() {
    super();
    this.messages = [];
    this.open = false;
    this.now = Date.now();
  }

  protected override render() {
    const { messages, open } = this;
    if (messages.length === 0) return nothing;
    const waiting = messages.filter(({ event }) => event === 'waiting').length;
    return html`<section aria-label=${t('Messages')}><h2><button class="fold" aria-expanded=${open} @click=${this.#fold}>
        ${open ? icons.open : icons.closed}<span class="grow">${t('Messages')}</span>${
          waiting === 0
            ? nothing
            : html`<span class="small">${t('{0} waiting', count(waiting))}</span><span class="small muted" aria-hidden="true">·</span>`
        }<span class="small muted">${count(messages.length)}</span></button></h2>
      ${open ? html`<ul @keydown=${this.#key}>${messages.map((message, at) => this.#line(message, at))}</ul>` : nothing}</section>`;
  }

  #line(message: MessageLine, index: number): TemplateResult {
    const { event, at, from, to, text } = message;
    const sender = visibleLine(clip(from?.name ?? t('You'), SHOWN));
    const target = visibleLine(clip(to?.name ?? t('You'), SHOWN));
    const said = visibleLine(clip(text, SHOWN));
    const name = eventName(event);
    const open = () =>
      this.dispatchEvent(new CustomEvent('lode-session', { detail: (to ?? from)?.key ?? '' }));
    return html`<li><button class="message ${event}" data-row=${message.id} tabindex=${index === 0 ? 0 : -1} @click=${open}
        aria-label=${[name, t('from {0} to {1}', sender, target), age(at, this.now), said].filter(Boolean).join(', ')}>
      <span class="sign" title=${name}>${eventIcon(event)}</span>
      <span class="texts"><span class="first"><span class="way"><bdi class="ellipsis">${sender}</bdi><span aria-hidden="true">→</span><bdi class="ellipsis">${target}</bdi></span>
        <span class="small muted">${name}</span><span class="small muted" title=${dateTime(at)}>${shortAge(at, this.now)}</span></span>
        ${said === '' ? nothing : html`<bdi class="text muted ellipsis" title=${visible(clip(text, SHOWN))}>${said}</bdi>`}</span></button></li>`;
  }

  readonly #key = (event: KeyboardEvent): void => moveBetweenRows(event, this.renderRoot);

  readonly #fold = (): void => {
    this.dispatchEvent(new CustomEvent('lode-fold', { detail: !this.open }));
  };
}

function eventName(event: MessageLine['event']): string {
  const names = {
    sent: t('sent'),
    replied: t('replied'),
    announced: t('announced'),
    failed: t('failed'),
    waiting: t('waiting'),
  };
  return names[event];
}

function eventIcon(event: MessageLine['event']): TemplateResult {
  const signs = {
    sent: icons.send,
    replied: icons.reply,
    announced: icons.announce,
    failed: icons.failed,
    waiting: icons.clock,
  };
  return signs[event];
}
