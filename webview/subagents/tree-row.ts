import { css, html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../src/subagentProtocol.ts';
import { compact, count, dateTime, duration, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import {
  batchOutcome,
  doneCount,
  isOpenTask,
  outcomeIcon,
  outcomeName,
  outcomeOf,
  outcomeText,
  summary,
  taskName,
} from './outcome.ts';
import { type BatchRow, problemOf, type Row, rowName, sessionName, type TaskRow } from './rows.ts';

const SHOWN = 300;

export interface RowContext {
  readonly id: string;
  readonly active: boolean;
  /** Its task is shown beside the tree. */
  readonly current: boolean;
  readonly hasMenu: boolean;
  readonly now: number;
}

/** One line of the tree. What is clicked in it says `data-act`; the tree listens. */
export function treeRow(row: Row, { id, active, current, hasMenu, now }: RowContext): TemplateResult {
  const outcome = row.kind === 'batch' ? batchOutcome(row.batch) : outcomeOf(row.task);
  const classes = ['row', row.kind, outcome, active ? 'active' : '', current ? 'current' : ''];
  return html`<div
    id=${id} class=${classes.filter(Boolean).join(' ')} data-key=${row.key} role="treeitem"
    aria-level=${row.kind === 'batch' ? 1 : 2} aria-setsize=${row.size} aria-posinset=${row.position}
    aria-expanded=${row.kind === 'batch' ? row.open : nothing} aria-selected=${active} aria-current=${current ? 'true' : nothing}
    aria-label=${rowName(row)} .style=${`height:${row.height}px;transform:translateY(${row.top}px)`}
  >${row.kind === 'batch' ? batch(row, now) : task(row, now)}${hasMenu ? menu() : nothing}</div>`;
}

function batch({ batch: each, open }: BatchRow, now: number): TemplateResult {
  const outcome = batchOutcome(each);
  const { agent, started, tasks } = each;
  const line = [summary(each), sessionName(each)].filter(Boolean).join(' · ');
  return html`<span class="sign">${open ? icons.open : icons.closed}</span>
    <span class="sign glyph" title=${outcomeName(outcome)}>${outcomeIcon(outcome)}</span>
    <div class="texts">
      <div class="first"><bdi class="name ellipsis grow">${visibleLine(clip(agent, SHOWN))}</bdi>
        <span class="small muted" title=${t('{0} of {1} done', doneCount(each), tasks.length)}>${count(doneCount(each))}/${count(tasks.length)}</span>
        <span class="small muted when" title=${dateTime(started)}>${shortAge(started, now)}</span></div>
      <bdi class="second small muted ellipsis" title=${line}>${line}</bdi>
    </div>`;
}

function task({ task: each }: TaskRow, now: number): TemplateResult {
  const outcome = outcomeOf(each);
  const { description } = each;
  const name = taskName(each);
  const text = outcomeText(each);
  return html`<span class="sign glyph" title=${text}>${outcomeIcon(outcome)}</span>
    <div class="texts">
      <div class="first" title=${visible(clip(description === '' ? name : `${name}\n${description}`, SHOWN))}>
        <bdi class="name ellipsis">${visibleLine(clip(name, SHOWN))}</bdi>
        <bdi class="description muted ellipsis grow">${visibleLine(clip(description, SHOWN))}</bdi>
        ${isOpenTask(each) || outcome === 'done' ? nothing : html`<span class="small outcome">${text}</span>`}</div>
      ${each.status === 'running' ? progress(each, now) : problem(each)}
    </div>`;
}

function progress({ progress: { current, tokens }, started }: TaskView, now: number): TemplateResult {
  const doing = current === undefined ? '' : visibleLine(clip(`${current.tool} ${current.args}`, SHOWN));
  const spent = [
    tokens === 0 ? '' : t('{0} tokens', compact(tokens)),
    started === null ? '' : duration(now - started),
  ];
  return html`<div class="second small muted"><bdi class="ellipsis grow">${doing === '' ? t('Thinking…') : doing}</bdi>
    <span class="spent">${spent.filter(Boolean).join(' · ')}</span></div>`;
}

function problem(each: TaskView): TemplateResult | typeof nothing {
  const text = problemOf(each);
  return text === '' ? nothing : html`<bdi class="second small muted ellipsis" title=${text}>${text}</bdi>`;
}

function menu(): TemplateResult {
  return html`<span class="tools"><button class="icon-button" tabindex="-1" data-act="menu"
    aria-label=${t('Actions')} title=${t('Actions')}>${icons.more}</button></span>`;
}

/** The colours and the motion of signs, in the tree as well as above a task. */
export const glyphStyles = css`
  .glyph { color: var(--vscode-descriptionForeground); }
  .running > .glyph { color: var(--vscode-charts-blue, var(--vscode-focusBorder)); }
  .running > .glyph .icon { animation: turn 1.4s linear infinite; }
  :is(.done, .applied) > .glyph { color: var(--vscode-charts-green, currentColor); }
  .failed > .glyph { color: var(--vscode-errorForeground, var(--vscode-charts-red)); }
  :is(.waiting, .recoverable, .interrupted) > .glyph { color: var(--vscode-charts-yellow, currentColor); }
  @keyframes turn { to { transform: rotate(1turn); } }
  :host-context(.vscode-reduce-motion) .running > .glyph .icon { animation: none; }
  @media (prefers-reduced-motion: reduce) { .running > .glyph .icon { animation: none; } }
`;

export const rowStyles = css`
  .row { position: absolute; inset: 0 0 auto 0; display: flex; gap: 4px; padding: 3px 12px 3px 8px; cursor: pointer; overflow: hidden; contain: strict; }
  .row.task { padding-inline-start: 28px; }
  .row.batch { padding-block: 5px 0; }
  .row:hover { --over: var(--vscode-list-hoverBackground); background: var(--over); color: var(--vscode-list-hoverForeground, inherit); }
  .row:is(.active, .current) { --over: var(--vscode-list-inactiveSelectionBackground); background: var(--over); color: var(--vscode-list-inactiveSelectionForeground, inherit); }
  .tree:focus .row.active {
    --over: var(--vscode-list-activeSelectionBackground); background: var(--over); color: var(--vscode-list-activeSelectionForeground, inherit);
    outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder)); outline-offset: -1px;
  }
  .tree:focus .row.active :is(.muted, .glyph, .outcome, .icon-button) { color: inherit; }
  .sign { flex: none; display: flex; align-items: center; height: 18px; width: 18px; }
  .texts { flex: 1; min-width: 0; }
  .first { display: flex; align-items: baseline; gap: 6px; min-width: 0; }
  .name { flex: 0 1 auto; min-width: 0; }
  .task .name { max-width: 70%; }
  .batch .name { flex: 1; font-weight: 600; }
  .description { min-width: 0; }
  /* Room for what comes over the end of the line. */
  .row:hover:has(.tools) .first { padding-inline-end: 22px; }
  .small { font-size: 11px; line-height: 18px; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .second { display: flex; gap: 8px; }
  bdi.second { display: block; }
  .when { min-width: 4em; text-align: end; }
  .outcome, .spent { flex: none; }
  .outcome { color: var(--vscode-descriptionForeground); }
  :is(.waiting, .recoverable, .failed) .outcome { color: inherit; }
  .tools { display: none; position: absolute; inset-block-start: 1px; inset-inline-end: 6px; border-radius: 4px;
    background: linear-gradient(var(--over, transparent), var(--over, transparent)), var(--lode-back); }
  .row.batch .tools { inset-block-start: 2px; }
  .row:hover > .tools { display: flex; }
  .tools button.icon-button { height: 22px; min-width: 22px; color: var(--vscode-icon-foreground, var(--vscode-foreground)); }
  :host-context(.vscode-high-contrast) .row:is(:hover, .active, .current), :host-context(.vscode-high-contrast-light) .row:is(:hover, .active, .current) {
    outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px;
  }
  :host-context(.vscode-high-contrast) .tree:focus .row.active, :host-context(.vscode-high-contrast-light) .tree:focus .row.active { outline-style: solid; }
`;
