import { css, html, nothing, type TemplateResult } from 'lit';
import type { HistoryCall, HistoryLine } from '../../src/sessionProtocol.ts';
import { count, dateTime, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import { roleName } from './hits.ts';

const NAME = 200;
const TEXT = 3_000;
const CALL = 2_000;

interface MessageContext {
  readonly now: number;
  /** It is what the person jumped to. */
  readonly marked: boolean;
  openSession(key: string): void;
}

/** One message of a history. What another session said is told apart from what the person and the agent said. */
export function messageView(
  message: HistoryLine,
  { now, marked, openSession }: MessageContext,
): TemplateResult {
  const { uuid, at, role, text, calls, from } = message;
  const classes = ['message', role, from === null ? '' : 'foreign', marked ? 'marked' : ''];
  const who = from === null ? roleName(role) : t('Message from another session');
  return html`<article class=${classes.filter(Boolean).join(' ')} data-uuid=${uuid} tabindex="-1" aria-label=${who}>
    <header>${from === null ? nothing : html`<span class="sign">${icons.send}</span>`}<span class="who">${
      from === null
        ? who
        : html`<span>${t('From')}</span><button class="link" title=${visibleLine(clip(from.name, NAME))} @click=${() => openSession(from.key)}><bdi>${visibleLine(clip(from.name, NAME))}</bdi></button>`
    }</span><span class="small muted" title=${dateTime(at)}>${shortAge(at, now)}</span></header>
    ${text === '' ? nothing : html`<lode-block .text=${text} .limit=${TEXT}></lode-block>`}
    ${calls.length === 0 ? nothing : callsView(calls)}
  </article>`;
}

function callsView(calls: readonly HistoryCall[]): TemplateResult {
  const names = visibleLine(clip([...new Set(calls.map(({ name }) => name))].join(', '), NAME));
  const failed = calls.filter(({ isError }) => isError).length;
  const heading = calls.length === 1 ? t('1 tool call') : t('{0} tool calls', count(calls.length));
  return html`<details><summary><span>${heading}</span> <bdi class="muted">${names}</bdi>${
    failed === 0 ? nothing : html` <span class="wrong">${t('{0} failed', count(failed))}</span>`
  }</summary>${calls.map(
    ({
      name,
      input,
      result,
      isError,
    }) => html`<div class="call"><bdi class="name">${visibleLine(clip(name, NAME))}</bdi>
      ${input === '' ? nothing : html`<pre>${visible(clip(input, CALL))}</pre>`}
      ${result === '' ? nothing : html`<pre class=${isError ? 'wrong' : 'muted'}>${visible(clip(result, CALL))}</pre>`}</div>`,
  )}</details>`;
}

export const messageStyles = css`
  .message { padding: 6px 12px 8px; outline-offset: -1px; }
  .message + .message { border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
  .message.foreign { border-inline-start: 3px solid var(--vscode-charts-purple, var(--vscode-focusBorder)); padding-inline-start: 9px; }
  .message.marked { background: var(--vscode-list-inactiveSelectionBackground); }
  .message header { display: flex; align-items: center; gap: 4px; font-size: 11px; }
  .message .who > span { flex: none; white-space: nowrap; }
  .message .who { flex: 1; display: flex; gap: 4px; min-width: 0; font-weight: 600; }
  .message .who button { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .message.system .who, .message.assistant .who { color: var(--vscode-descriptionForeground); }
  .message .sign .icon { width: 14px; height: 14px; }
  .small { font-size: 11px; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .wrong { color: var(--vscode-errorForeground); }
  details { margin-top: 4px; font-size: 12px; }
  summary { cursor: pointer; overflow-wrap: anywhere; border-radius: 2px; }
  .call { margin: 4px 0 0 12px; min-width: 0; }
  .call .name { font-family: var(--vscode-editor-font-family, monospace); }
  pre { margin: 2px 0; padding: 4px 6px; max-height: 180px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/16px var(--vscode-editor-font-family, monospace); background: var(--vscode-textCodeBlock-background, transparent); user-select: text; }
  :host-context(.vscode-high-contrast) .message.marked, :host-context(.vscode-high-contrast-light) .message.marked { outline: 1px solid var(--vscode-contrastActiveBorder); }
`;
