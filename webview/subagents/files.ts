import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { FileDiff, TaskView } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { errorText } from '../kit/host.ts';
import { icons } from '../kit/icons.ts';
import { handled, isPlain } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { visible, visibleLine } from '../kit/text.ts';
import type { Part } from './actions.ts';
import type { DiffView } from './diff.ts';
import { countsText, countsView, fileStyles, letterView, statusName } from './file-labels.ts';
import { fileApplied, NO_PARTS, type Parts, partAct, refusalOf } from './parts.ts';

type ChangedFile = TaskView['files'][number];

const SHOWN = 200;

/** What is to be done with a file of the work, or a hunk of it. */
export interface PartAct extends Part {
  readonly act: 'apply' | 'revert';
}

/**
 * The files a task changed; one of them shows its changes. Fires `lode-file` with a path or null, `lode-wrap` with
 * a choice, `lode-editor` with a path for the editor's own view, `lode-part` (PartAct) to have a file or a hunk of it
 * applied or taken back, and `lode-loaded` when changes were read.
 */
export class FileList extends LitElement {
  static override properties = {
    files: { attribute: false },
    file: {},
    wrap: { type: Boolean },
    load: { attribute: false },
    stamp: {},
    parts: { attribute: false },
    busy: { type: Boolean },
    diff: { state: true },
    failure: { state: true },
    all: { state: true },
  };
  declare files: readonly ChangedFile[];
  /** Path of the file whose changes are shown. */
  declare file: string | null;
  declare wrap: boolean;
  /** Reads a file's changes; another function for another task. */
  declare load: (path: string) => Promise<FileDiff>;
  /** Another one: the changes may be others. */
  declare stamp: string;
  /** What was applied of them by itself. */
  declare parts: Parts;
  declare busy: boolean;
  declare diff: FileDiff | undefined;
  declare failure: string;
  declare all: boolean;
  #reading = 0;
  /** Which change to go to once it is there. */
  #goTo: 'first' | 'last' | undefined;

  static override styles = [
    baseStyles,
    fileStyles,
    css`
      .file {
        all: unset; box-sizing: border-box; display: flex; align-items: center; gap: 4px; flex: 1; min-width: 0; min-height: 24px; padding: 2px 12px 2px 8px; cursor: pointer;
      }
      .entry { display: flex; align-items: center; background: var(--lode-back); }
      .entry.open { position: sticky; top: 0; z-index: 1; }
      .entry .icon-button { margin-inline-end: 6px; }
      .entry:has(.icon-button) .file { padding-inline-end: 4px; }
      .done { flex: none; display: inline-flex; align-items: center; gap: 2px; font-size: 11px; color: var(--vscode-charts-green, inherit); }
      .done .icon { width: 14px; height: 14px; }
      .refused { padding: 2px 12px 4px 26px; color: var(--vscode-errorForeground, inherit); overflow-wrap: anywhere; }
      .entry:hover { background: linear-gradient(var(--vscode-list-hoverBackground), var(--vscode-list-hoverBackground)), var(--lode-back); }
      .file:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
      .path { display: flex; min-width: 0; flex: 1; gap: 6px; }
      .base { flex: 0 1 auto; }
      .dir { flex: 1 1 0; font-size: 11px; }
      .tools { display: flex; align-items: center; gap: 2px; padding: 0 8px 2px; flex-wrap: wrap; }
      .tools .icon { width: 14px; height: 14px; }
      .tools button.link { font-size: 12px; padding: 3px 4px; }
      .note { padding: 4px 12px 8px; }
      :host-context(.vscode-high-contrast) .entry:hover, :host-context(.vscode-high-contrast-light) .entry:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; }
    `,
  ];

  constructor() {
    super();
    this.files = [];
    this.file = null;
    this.wrap = true;
    this.stamp = '';
    this.parts = NO_PARTS;
    this.busy = false;
    this.diff = undefined;
    this.failure = '';
    this.all = false;
    this.addEventListener('keydown', this.#key);
  }

  /** Goes to the next or the previous change, over the files. */
  step(by: 1 | -1): void {
    const { files, file } = this;
    const goTo = by > 0 ? 'first' : 'last';
    const at = files.findIndex(({ path }) => path === file);
    if (at >= 0 && this.diff === undefined && this.failure === '') {
      this.#goTo = goTo;
      return;
    }
    const next = (this.#diff?.at ?? -1) + by;
    const part = next < 0 ? undefined : this.#hunks[next];
    const other = files[at < 0 ? 0 : at + by];
    if (part !== undefined) show(part);
    else if (other !== undefined) {
      this.#goTo = goTo;
      this.#choose(other.path);
    }
  }

  /** Puts the focus on the file whose change has it; answers false when none has. */
  leaveDiff(): boolean {
    if (this.renderRoot.querySelector('lode-diff:focus-within, .tools :focus') === null) return false;
    this.#button(this.file)?.focus();
    return true;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const of = (files: readonly ChangedFile[]) =>
      JSON.stringify(files.find(({ path }) => path === this.file) ?? null);
    const other = changed.has('file') || changed.has('load');
    const before = changed.get('files');
    if (other) {
      this.diff = undefined;
      this.failure = '';
    }
    const changedFile = before !== undefined && of(before) !== of(this.files);
    if (other || changedFile || changed.has('stamp')) void this.#read();
    if (this.file !== null && this.files.findIndex(({ path }) => path === this.file) >= SHOWN)
      this.all = true;
  }

  protected override updated(changed: PropertyValues<this>): void {
    // What had the focus may be gone with the changes of the other file.
    if (changed.has('file') && this.#goTo !== undefined) this.#button(this.file)?.focus();
    if (!changed.has('diff') || this.diff === undefined) return;
    void this.#diff?.updateComplete.then(() => {
      this.dispatchEvent(new CustomEvent('lode-loaded'));
      const part = this.#goTo === undefined ? undefined : this.#hunks.at(this.#goTo === 'first' ? 0 : -1);
      this.#goTo = undefined;
      if (part !== undefined) show(part);
    });
  }

  protected override render() {
    const { files } = this;
    const shown = this.all ? files : files.slice(0, SHOWN);
    return html`${shown.map((file) => this.#file(file))}${
      shown.length === files.length
        ? nothing
        : html`<p class="note"><button class="link" @click=${this.#showAll}>${t('Show all {0} files', count(files.length))}</button></p>`
    }`;
  }

  #file(file: ChangedFile): TemplateResult {
    const { path } = file;
    const open = path === this.file;
    const cut = path.lastIndexOf('/') + 1;
    const applied = fileApplied(this.parts, path);
    const said = { none: '', some: t('partly applied'), all: t('applied') }[applied];
    const name = [visibleLine(path), statusName(file.status), countsText(file), said]
      .filter(Boolean)
      .join(', ');
    const refusal = refusalOf(this.parts, path);
    return html`<div class="entry ${open ? 'open' : ''}"><button class="file" data-path=${path} aria-expanded=${open} aria-label=${name} title=${visible(path)}
        @click=${() => this.#choose(open ? null : path)}>
        ${open ? icons.open : icons.closed}${letterView(file.status)}
        <span class="path"><bdi class="base ellipsis">${visibleLine(path.slice(cut))}</bdi><bdi class="dir muted ellipsis">${visibleLine(path.slice(0, Math.max(0, cut - 1)))}</bdi></span>
        ${applied === 'none' ? nothing : html`<span class="done" title=${said}>${applied === 'all' ? icons.completed : icons.review}</span>`}${countsView(file)}</button>${this.#part(path)}</div>
      ${refusal === undefined ? nothing : html`<p class="refused" role="alert">${t('Not applied: {0}', refusal)}</p>`}
      ${open ? this.#changes(path) : nothing}`;
  }

  #part(path: string): TemplateResult | typeof nothing {
    const act = partAct(this.parts, path);
    if (act === undefined) return nothing;
    const name = visibleLine(path);
    const label = act === 'apply' ? t('Apply {0}', name) : t('Take {0} back', name);
    const hint = act === 'apply' ? t('Apply this file (A)') : t('Take this file back');
    return html`<button class="icon-button" aria-label=${label} title=${hint} ?disabled=${this.busy} @click=${() => this.#choosePart(path)}>${act === 'apply' ? icons.check : icons.undo}</button>`;
  }

  #choosePart(path: string, hunk?: number): void {
    const act = partAct(this.parts, path, hunk);
    if (act === undefined || this.busy) return;
    if (hunk === undefined) this.#button(path)?.focus();
    this.#fire('lode-part', { act, path, hunk } satisfies PartAct);
  }

  /** Applies the hunk or the file that has the focus; answers false when neither has, or nothing can be done. */
  applyFocused(): boolean {
    if (this.#diff?.chooseFocused() === true) return true;
    const path = this.#buttons.find((button) => button.matches(':focus'))?.dataset.path;
    if (path === undefined || partAct(this.parts, path) !== 'apply') return false;
    this.#choosePart(path);
    return true;
  }

  #changes(path: string): TemplateResult {
    const tools = html`<div class="tools">
      <button class="icon-button" aria-label=${t('Previous change')} title=${`${t('Previous change')} (Alt+↑)`} @click=${() => this.step(-1)}>${icons.up}</button>
      <button class="icon-button" aria-label=${t('Next change')} title=${`${t('Next change')} (Alt+↓)`} @click=${() => this.step(1)}>${icons.down}</button>
      <button class="icon-button" aria-label=${t('Wrap long lines')} title=${t('Wrap long lines')} aria-pressed=${this.wrap} @click=${() => this.#fire('lode-wrap', !this.wrap)}>${icons.wrap}</button>
      <span class="grow"></span><button class="link" @click=${() => this.#fire('lode-editor', path)}>${t('Open in the editor')}</button></div>`;
    if (this.failure !== '') {
      return html`<p class="note" role="alert">${visible(this.failure)} <button class="link" @click=${() => void this.#read()}>${t('Retry')}</button></p>`;
    }
    if (this.diff === undefined) return html`<p class="note muted" aria-busy="true">${t('Loading')}</p>`;
    return html`${this.diff.binary ? nothing : tools}<lode-diff .diff=${this.diff} .wrap=${this.wrap} .busy=${this.busy}
      .parts=${this.files.find((file) => file.path === path)?.status === 'modified' ? this.parts : undefined}
      @lode-hunk=${({ detail }: CustomEvent<number>) => this.#choosePart(path, detail)} @lode-editor=${() => this.#fire('lode-editor', path)}></lode-diff>`;
  }

  /** What was read before stays in view until the new answer is there. */
  async #read(): Promise<void> {
    const { file } = this;
    const reading = ++this.#reading;
    if (file === null) return;
    try {
      const diff = await this.load(file);
      if (reading !== this.#reading) return;
      this.failure = '';
      this.diff = diff;
    } catch (error) {
      if (reading !== this.#reading) return;
      this.#goTo = undefined;
      this.failure = errorText(error);
    }
  }

  #choose(path: string | null): void {
    this.#fire('lode-file', path);
  }

  get #hunks(): readonly HTMLElement[] {
    return this.#diff?.hunks ?? [];
  }

  get #diff(): DiffView | null {
    return this.renderRoot.querySelector<DiffView>('lode-diff');
  }

  get #buttons(): readonly HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('.file')];
  }

  #button(path: string | null): HTMLElement | undefined {
    return this.#buttons.find(({ dataset }) => dataset.path === path);
  }

  readonly #key = (event: KeyboardEvent): void => {
    const buttons = this.#buttons;
    const at = buttons.indexOf(event.composedPath()[0] as HTMLElement);
    if (at < 0 || !isPlain(event)) return;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: buttons.length - 1,
    };
    const move = moves[event.key];
    const path = buttons[at]?.dataset.path ?? null;
    const open = path === this.file;
    if (move !== undefined) buttons[move]?.focus();
    else if (event.key === 'ArrowRight' && !open) this.#choose(path);
    else if (event.key === 'ArrowLeft' && open) this.#choose(null);
    else return;
    handled(event);
  };

  readonly #showAll = (): void => {
    this.all = true;
  };

  #fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Focuses a change with its beginning in view. */
function show(part: HTMLElement): void {
  part.focus({ preventScroll: true });
  part.scrollIntoView({ block: 'start', inline: 'nearest' });
}
