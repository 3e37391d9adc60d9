import { css, html, nothing, type TemplateResult } from 'lit';
import type { BatchView, TaskView } from '../../src/subagentProtocol.ts';
import { compact, count, dateTime, duration } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import { isOpenTask } from './outcome.ts';

type Finding = TaskView['findings'][number];

const LINE = 300;
const PREVIEW = 800;
const FINDINGS = 100;

/** What a pane can ask of the editor. */
export interface TaskCommands {
  copy(text: string): void;
  openFile(file: string): void;
  openOutput(): void;
}

/** Who did it, and what it took. */
export function facts(
  { agent, isolated, background }: BatchView,
  { started, ended, progress }: TaskView,
  now: number,
): TemplateResult {
  const parts = [
    visibleLine(clip(agent, LINE)),
    isolated ? t('in its own worktree') : t('in your folder'),
    background ? t('in the background') : '',
    started === null ? '' : duration((ended ?? now) - started),
    progress.tools === 0
      ? ''
      : progress.tools === 1
        ? t('1 tool call')
        : t('{0} tool calls', count(progress.tools)),
    progress.tokens === 0 ? '' : t('{0} tokens', compact(progress.tokens)),
  ];
  return html`<p class="small muted" title=${started === null ? nothing : dateTime(started)}>${parts.filter(Boolean).join(' · ')}</p>`;
}

/** What a running task does now and did last. */
export function doing(task: TaskView): TemplateResult | typeof nothing {
  const { current, recent, lines } = task.progress;
  if (!isOpenTask(task) || (current === undefined && recent.length === 0 && lines.length === 0))
    return nothing;
  return html`<section><h2>${t('Now')}</h2>
    ${current === undefined ? nothing : html`<p class="tool"><b>${visibleLine(clip(current.tool, LINE))}</b> <bdi>${visibleLine(clip(current.args, LINE))}</bdi></p>`}
    ${recent.map(({ tool, args }) => html`<p class="tool muted ellipsis">${visibleLine(clip(tool, LINE))} <bdi>${visibleLine(clip(args, LINE))}</bdi></p>`)}
    ${lines.length === 0 ? nothing : html`<div class="said muted">${[...lines].reverse().map((line) => html`<p>${visible(clip(line, LINE))}</p>`)}</div>`}
  </section>`;
}

/** What the task handed over, by its first characters. */
export function handedOver(
  { preview }: TaskView,
  { openOutput }: TaskCommands,
): TemplateResult | typeof nothing {
  if (preview === '') return nothing;
  return html`<section><h2>${t('Handed over')}</h2><lode-block class="output" .text=${preview} .limit=${PREVIEW}></lode-block>
    <button class="link" @click=${openOutput}>${t('Open output')}</button></section>`;
}

/** What a reviewing task found, worst first as it was told. */
export function findingsView(
  { findings }: TaskView,
  { copy, openFile }: TaskCommands,
): TemplateResult | typeof nothing {
  if (findings.length === 0) return nothing;
  const more = findings.length - FINDINGS;
  return html`<section><h2>${t('Findings ({0})', count(findings.length))}</h2>
    <ul class="findings">${findings.slice(0, FINDINGS).map(
      (
        finding,
      ) => html`<li><div class="finding"><span class="priority ${finding.priority}">${finding.priority}</span>
        <bdi class="grow">${visibleLine(clip(finding.title, LINE))}</bdi></div>
        <div class="where">${
          finding.file === ''
            ? nothing
            : html`<button class="link" @click=${() => openFile(placeOf(finding))}><bdi>${visibleLine(placeOf(finding))}</bdi></button>`
        }
        ${finding.body === '' ? nothing : html`<lode-block class="muted" .text=${finding.body} .limit=${LINE}></lode-block>`}</div></li>`,
    )}</ul>
    ${more > 0 ? html`<p class="muted">${t('{0} more; copy them to read them all.', count(more))}</p>` : nothing}
    <button class="link" @click=${() => copy(findingsText(findings))}>${t('Copy findings')}</button></section>`;
}

function placeOf({ file, lineStart }: Finding): string {
  return lineStart > 0 ? `${file}:${lineStart}` : file;
}

function findingsText(findings: readonly Finding[]): string {
  return findings
    .map((finding) =>
      [`${finding.priority} ${finding.title}`, placeOf(finding), finding.body].filter(Boolean).join('\n'),
    )
    .join('\n\n');
}

/** What became of the work, and where it is kept. */
export function landingView({ landing }: TaskView, { copy }: TaskCommands): TemplateResult | typeof nothing {
  if (landing === null) return nothing;
  const { state, reason, recovery, patch, parts = [] } = landing;
  const texts: Record<typeof state, string> = {
    waiting: t('Waiting for your review. Nothing of it is in your folder yet.'),
    applied: t('Its changes are in your folder.'),
    no_changes: t('It changed no files.'),
    recoverable: t('Its changes are not in your folder.'),
    discarded: t('Its work was discarded.'),
    reverted: t('Its changes were taken out of your folder again.'),
  };
  const some: Partial<typeof texts> = {
    waiting: t('Waiting for your review. A part of it is in your folder.'),
    recoverable: t('A part of its changes is in your folder, the rest is not.'),
    discarded: t('Its work was discarded. What was applied before is in your folder.'),
  };
  const text = (parts.length > 0 ? some[state] : undefined) ?? texts[state];
  const kept =
    state === 'waiting' || state === 'applied' || state === 'no_changes' ? undefined : (recovery ?? patch);
  const kind = state === 'recoverable' ? 'banner warning' : state === 'waiting' ? 'banner' : '';
  return html`<div class="landing ${kind}"><div class="grow"><p>${text}</p>
    ${reason === undefined || state === 'waiting' ? nothing : html`<lode-block .text=${phraseText(reason)} .limit=${PREVIEW}></lode-block>`}
    ${
      kept === undefined
        ? nothing
        : html`<p class="kept">${t('Kept as')} <code><bdi>${visibleLine(kept)}</bdi></code><button class="icon-button" aria-label=${t('Copy the name')} title=${t('Copy the name')} @click=${() => copy(kept)}>${icons.copy}</button></p>`
    }</div></div>`;
}

export const taskStyles = css`
  .small { font-size: 11px; font-variant-numeric: tabular-nums; }
  section { border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); margin-top: 10px; padding: 8px 12px 0; }
  h2, summary { margin: 0 0 4px; font-size: 11px; font-weight: 600; color: var(--vscode-descriptionForeground); }
  summary { cursor: pointer; }
  section > button.link { display: inline-block; margin-top: 6px; }
  .tool { overflow-wrap: anywhere; }
  .said { margin-top: 6px; padding-inline-start: 8px; border-inline-start: 2px solid var(--vscode-textBlockQuote-border, var(--vscode-panel-border, currentColor)); overflow-wrap: anywhere; }
  .landing { margin: 8px 12px 0; }
  .landing lode-block { margin-top: 4px; }
  .kept { margin-top: 4px; }
  .kept button.icon-button { vertical-align: middle; height: 18px; }
  .kept code { font-family: var(--vscode-editor-font-family, monospace); font-size: 12px; overflow-wrap: anywhere; user-select: text; }
  .kept .icon { width: 14px; height: 14px; }
  .findings { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 8px; }
  .finding { display: flex; align-items: flex-start; gap: 6px; overflow-wrap: anywhere; }
  .where { padding-inline-start: 34px; font-size: 12px; }
  .priority { flex: none; width: 28px; text-align: center; border: 1px solid currentColor; border-radius: 3px; font-size: 10px; line-height: 14px; margin-top: 1px; color: var(--vscode-descriptionForeground); }
  .priority.P0 { color: var(--vscode-errorForeground, var(--vscode-charts-red)); font-weight: 700; }
  .priority.P1 { color: var(--vscode-charts-yellow, currentColor); font-weight: 600; }
`;
