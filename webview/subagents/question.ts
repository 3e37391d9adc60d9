import { css, html, nothing, type TemplateResult } from 'lit';
import type { BatchView, LeftView, TaskView } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { clip, visibleLine } from '../kit/text.ts';
import { countsView, filesText, letterView, totalOf } from './file-labels.ts';
import type { AskedAct } from './offers.ts';
import { isOpenTask, taskName } from './outcome.ts';

/** What the person is asked about. Without a task it is the whole batch. */
export interface Asked {
  readonly act: AskedAct;
  readonly batch: BatchView;
  readonly task: TaskView | undefined;
}

/** Work that was left behind, with what it changes. */
export interface AskedLeft {
  readonly act: 'apply' | 'discard';
  readonly left: LeftView;
  readonly files: TaskView['files'];
}

const FILES = 6;
const NAME = 80;

interface Words {
  readonly text: string;
  readonly stay: string;
  readonly go: string;
}

/** Asks before something changes, and shows what would. The safe answer has the focus first. */
export function question({ act, batch, task }: Asked, no: () => void, yes: () => void): TemplateResult {
  const name = visibleLine(clip(task === undefined ? batch.agent : taskName(task), NAME));
  const open = task === undefined ? batch.tasks.filter(isOpenTask).length : undefined;
  const shown = task === undefined || act === 'cancel' ? nothing : preview(task.files, task.changed);
  return ask(words(act, name, open), act === 'apply', shown, no, yes);
}

/** The same for work that was left behind. */
export function leftQuestion(
  { act, left, files }: AskedLeft,
  no: () => void,
  yes: () => void,
): TemplateResult {
  const name = visibleLine(clip(left.task, NAME));
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + file[of], 0);
  const changed = { files: files.length, added: sum('added'), removed: sum('removed') };
  const texts: Words =
    act === 'apply'
      ? words('apply', name, undefined)
      : {
          text: t('Throw away what “{0}” left behind? Your folder stays as it is.', name),
          stay: t('Keep it'),
          go: t('Discard'),
        };
  return ask(texts, act === 'apply', preview(files, changed), no, yes);
}

function ask(
  { text, stay, go }: Words,
  isSafe: boolean,
  shown: TemplateResult | typeof nothing,
  no: () => void,
  yes: () => void,
): TemplateResult {
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    handled(event);
    no();
  };
  return html`<div class="banner question ${isSafe ? '' : 'warning'}" role="alertdialog" aria-label=${go} aria-describedby="asked" @keydown=${key}>
    <div class="grow"><p id="asked">${text}</p>
      ${shown}
      <div class="buttons">
        ${isSafe ? nothing : html`<vscode-button class="stay" @click=${no}>${stay}</vscode-button>`}
        <vscode-button class=${isSafe ? 'stay' : ''} appearance=${isSafe ? 'primary' : 'secondary'} @click=${yes}>${go}</vscode-button>
        ${isSafe ? html`<vscode-button appearance="secondary" @click=${no}>${stay}</vscode-button>` : nothing}
      </div></div></div>`;
}

function words(act: AskedAct, name: string, tasks: number | undefined): Words {
  switch (act) {
    case 'apply':
      return {
        text: t(
          'Apply the changes of “{0}” to your folder? Your own changes stay; what conflicts is not applied.',
          name,
        ),
        stay: t('Not now'),
        go: t('Apply'),
      };
    case 'discard':
      return {
        text: t(
          'Discard the work of “{0}”? Your folder stays as it is, and the work can still be recovered.',
          name,
        ),
        stay: t('Keep it'),
        go: t('Discard'),
      };
    case 'revert':
      return {
        text: t(
          'Take the changes of “{0}” out of your folder again? What you changed since then stays.',
          name,
        ),
        stay: t('Keep it'),
        go: t('Revert'),
      };
    case 'cancel':
      return {
        text: cancelText(name, tasks),
        stay: t('Let it run'),
        go: tasks === undefined ? t('Cancel task') : t('Cancel all'),
      };
  }
}

function cancelText(name: string, tasks: number | undefined): string {
  if (tasks === undefined)
    return t('Cancel “{0}”? It stops where it is; what it has done so far is kept.', name);
  if (tasks === 1)
    return t('Cancel the open task of “{0}”? It stops where it is; what it has done so far is kept.', name);
  return t(
    'Cancel the {1} open tasks of “{0}”? They stop where they are; what they have done so far is kept.',
    name,
    tasks,
  );
}

function preview(files: TaskView['files'], changed: TaskView['changed']): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  const more = changed.files - Math.min(files.length, FILES);
  return html`<div class="total">${filesText(changed)} ${countsView(totalOf(changed))}</div>
    <ul>${files
      .slice(0, FILES)
      .map(
        (file) =>
          html`<li>${letterView(file.status)}<bdi class="grow ellipsis" title=${visibleLine(file.path)}>${visibleLine(file.path)}</bdi>${countsView(file)}</li>`,
      )}${more > 0 ? html`<li class="muted">${more === 1 ? t('1 more file') : t('{0} more files', count(more))}</li>` : nothing}</ul>`;
}

export const questionStyles = css`
  .banner.question { max-height: 60vh; }
  .question .buttons { gap: 6px; margin-top: 8px; }
  .question .total { margin-top: 6px; display: flex; gap: 8px; align-items: baseline; }
  .question ul { list-style: none; margin: 2px 0 0; padding: 0; }
  .question li { display: flex; align-items: center; gap: 4px; min-width: 0; font-size: 12px; }
`;
