import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { BatchView, FileDiff, TaskView } from '../../src/subagentProtocol.ts';
import { icons } from '../kit/icons.ts';
import { handled, isGoBack, isPlain } from '../kit/keys.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { emptyState, stateStyles } from '../kit/states.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { clip, visibleLine } from '../kit/text.ts';
import { glyphStyles } from '../kit/tree-styles.ts';
import { countsText, countsView, fileStyles, filesText, totalOf } from './file-labels.ts';
import type { FileList, PartAct } from './files.ts';
import { actName } from './menu-items.ts';
import { type Act, actsOf } from './offers.ts';
import { outcomeIcon, outcomeOf, outcomeText, taskName } from './outcome.ts';
import type { Parts } from './parts.ts';
import {
  doing,
  facts,
  findingsView,
  handedOver,
  landingView,
  type TaskCommands,
  taskStyles,
} from './task-view.ts';

const NAME = 300;

/** What a pane's buttons ask for. */
export interface PaneCommands extends TaskCommands {
  act(act: Act): void;
  /** Applies a file of its work or a hunk of one, or takes it back. */
  part(act: PartAct): void;
  openChanges(path?: string): void;
  openWorktree(): void;
}

/**
 * One task: what it did, what it handed over and what it changed. Fires `lode-back`, `lode-scroll` with an offset,
 * and passes on what the files fire.
 */
export class TaskPane extends LitElement {
  static override properties = {
    batch: { attribute: false },
    task: { attribute: false },
    commands: { attribute: false },
    load: { attribute: false },
    canWrite: { type: Boolean },
    beside: { type: Boolean, reflect: true },
    busy: { type: Boolean },
    refused: { attribute: false },
    file: {},
    wrap: { type: Boolean },
    now: { type: Number },
  };
  /** Undefined: it is not there any more. */
  declare batch: BatchView | undefined;
  declare task: TaskView | undefined;
  declare commands: PaneCommands;
  declare load: (path: string) => Promise<FileDiff>;
  declare canWrite: boolean;
  /** It stands beside the tree, which needs no way back. */
  declare beside: boolean;
  declare busy: boolean;
  /** Why parts of its work could not be applied. */
  declare refused: ReadonlyMap<string, string>;
  declare file: string | null;
  declare wrap: boolean;
  declare now: number;
  #restore = 0;

  static override styles = [
    baseStyles,
    bannerStyles,
    stateStyles,
    glyphStyles,
    fileStyles,
    taskStyles,
    css`
      :host { display: flex; flex-direction: column; min-height: 0; height: 100%; }
      :host([beside]) .top { padding-inline-start: 12px; }
      .top { flex: none; display: flex; align-items: center; gap: 4px; min-height: 36px; padding: 4px 12px 4px 8px; }
      .top .glyph { flex: none; }
      h1 { margin: 0; font-size: 13px; line-height: 18px; font-weight: 600; outline-offset: 2px; border-radius: 2px; min-width: 0; }
      .outcome { flex: none; font-size: 11px; color: var(--vscode-descriptionForeground); }
      .body { flex: 1; min-height: 0; overflow: hidden auto; padding-bottom: 48px; position: relative; }
      .head { padding: 0 12px; display: flex; flex-direction: column; gap: 2px; overflow-wrap: anywhere; }
      .banner { margin: 8px 12px 0; }
      .actions { display: flex; flex-wrap: wrap; gap: 6px; padding: 8px 12px 0; --button-padding-horizontal: 8px; --button-padding-vertical: 2px; }
      section.files { padding-inline: 0; }
      section.files h2 { padding: 0 12px; display: flex; gap: 8px; align-items: baseline; }
      .state { padding-inline: 12px; }
    `,
  ];

  constructor() {
    super();
    this.batch = undefined;
    this.task = undefined;
    this.canWrite = false;
    this.beside = false;
    this.busy = false;
    this.refused = new Map();
    this.file = null;
    this.wrap = true;
    this.now = Date.now();
    this.addEventListener('keydown', this.#key);
  }

  focusHeading(): void {
    this.renderRoot.querySelector<HTMLElement>('h1')?.focus();
  }

  /** Scrolls to an offset as soon as what is shown is that high. */
  restoreScroll(offset: number): void {
    this.#restore = offset;
    this.requestUpdate();
  }

  protected override updated(): void {
    this.#scrollBack();
  }

  protected override render() {
    const { batch, task } = this;
    const back = this.beside
      ? nothing
      : html`<button class="icon-button back" aria-label=${t('Back to the list')} title=${t('Back to the list')} @click=${this.#back}>${icons.back}</button>`;
    if (batch === undefined || task === undefined) {
      return html`<div class="top">${back}<h1 tabindex="-1">${t('Subagents')}</h1></div>
        ${emptyState({ title: t('This task is not there any more.'), text: t('Its batch was cleared away. What landed or was kept is where it was.') })}`;
    }
    const outcome = outcomeOf(task);
    const name = visibleLine(clip(taskName(task), NAME));
    return html`<div class="top ${outcome}">${back}<span class="glyph">${outcomeIcon(outcome)}</span>
        <h1 tabindex="-1" class="ellipsis grow" title=${name}><bdi>${name}</bdi></h1><span class="outcome">${outcomeText(task)}</span></div>
      <div class="body" @scroll=${this.#scrolled}>
        <div class="head">${task.description === '' ? nothing : html`<bdi>${visibleLine(clip(task.description, NAME))}</bdi>`}${facts(batch, task, this.now)}</div>
        ${errorView(task)}${warningView(task)}
        ${landingView(task, this.commands)}
        ${this.#actions(batch, task)}
        ${doing(task)}${handedOver(task, this.commands)}${findingsView(task, this.commands)}
        ${this.#files(batch, task)}
        ${task.assignment === '' ? nothing : html`<section><details><summary>${t('Assignment')}</summary><lode-block .text=${task.assignment} .limit=${4_000}></lode-block></details></section>`}
      </div>`;
  }

  #actions(batch: BatchView, task: TaskView): TemplateResult | typeof nothing {
    const acts = this.canWrite ? [...actsOf(batch, task)] : [];
    const { act, openChanges, openWorktree } = this.commands;
    if (acts.length === 0 && task.files.length === 0 && !task.worktree) return nothing;
    return html`<div class="actions" role="toolbar" aria-label=${t('Actions')}>${acts.map(
      (each) =>
        html`<vscode-button appearance=${each === 'apply' ? 'primary' : 'secondary'} ?disabled=${this.busy} @click=${() => act(each)}>${actName(each)}</vscode-button>`,
    )}
      ${task.files.length === 0 ? nothing : html`<vscode-button appearance="secondary" @click=${() => openChanges()}>${t('Open changes')}</vscode-button>`}
      ${task.worktree ? html`<vscode-button appearance="secondary" @click=${openWorktree}>${t('Open worktree')}</vscode-button>` : nothing}</div>`;
  }

  #files(batch: BatchView, task: TaskView): TemplateResult | typeof nothing {
    const { files, changed, ended, landing } = task;
    if (files.length === 0) return nothing;
    const { canWrite, refused } = this;
    const canApply = canWrite && actsOf(batch, task).has('apply');
    const parts: Parts = { canApply, canRevert: canWrite, landing: landing ?? {}, refused };
    const total = totalOf(changed);
    return html`<section class="files"><h2 aria-label=${`${filesText(changed)}, ${countsText(total)}`}>${filesText(changed)} ${countsView(total)}</h2>
      <lode-files .files=${files} .file=${this.file} .wrap=${this.wrap} .load=${this.load} .stamp=${`${ended} ${landing?.state}`} @lode-loaded=${this.#scrollBack} .parts=${parts} .busy=${this.busy}
        @lode-part=${({ detail }: CustomEvent<PartAct>) => this.commands.part(detail)}
        @lode-file=${this.#relay} @lode-wrap=${this.#relay}
        @lode-editor=${({ detail }: CustomEvent<string>) => this.commands.openChanges(detail)}></lode-files></section>`;
  }

  readonly #scrollBack = (): void => {
    if (this.#restore === 0) return;
    // Buttons take their size with the next frame: whoever scrolls before is moved by what they grow.
    requestAnimationFrame(() => {
      const body = this.renderRoot.querySelector('.body');
      if (this.#restore === 0 || body === null || body.scrollHeight - body.clientHeight < this.#restore)
        return;
      body.scrollTop = this.#restore;
      this.#restore = 0;
    });
  };

  readonly #scrolled = (event: Event): void => {
    this.#fire('lode-scroll', (event.currentTarget as Element).scrollTop);
  };

  readonly #key = (event: KeyboardEvent): void => {
    const files = this.renderRoot.querySelector<FileList>('lode-files');
    const arrow = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey ? event.key : '';
    const letter = isPlain(event) && !event.shiftKey ? event.key : '';
    if (letter === 'a' && files?.applyFocused() !== true) return;
    if (isGoBack(event)) this.#back();
    else if (letter === 'Escape') {
      if (files?.leaveDiff() !== true) this.#back();
    } else if (letter === 'n' || arrow === 'ArrowDown') files?.step(1);
    else if (letter === 'p' || arrow === 'ArrowUp') files?.step(-1);
    else if (letter !== 'a') return;
    handled(event);
  };

  readonly #back = (): void => this.#fire('lode-back');

  readonly #relay = (event: CustomEvent<unknown>): void => this.#fire(event.type, event.detail);

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** What went wrong, unless that is why its work did not land, which is told with where the work is. */
function errorView({ error, landing }: TaskView): TemplateResult | typeof nothing {
  if (error === null) return nothing;
  const text = phraseText(error);
  if (landing?.reason !== undefined && phraseText(landing.reason) === text) return nothing;
  return html`<div class="banner error" role="note"><lode-block class="grow" .text=${text} .limit=${2_000}></lode-block></div>`;
}

function warningView({ warning }: TaskView): TemplateResult | typeof nothing {
  if (warning === null) return nothing;
  return html`<div class="banner warning" role="note"><lode-block class="grow" .text=${phraseText(warning)} .limit=${2_000}></lode-block></div>`;
}
