import { css, html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../src/subagentProtocol.ts';
import { compact, count, dateTime, duration, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import type { RowContext } from '../kit/tree.ts';
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

export const lineStyles = css`
  .row.task { padding-inline-start: 28px; }
  .row.batch { padding-block: 5px 0; }
  .task .name { max-width: 70%; }
  .batch .name { flex: 1; font-weight: 600; }
  .description { min-width: 0; }
  .row.batch .tools { inset-block-start: 2px; }
`;
