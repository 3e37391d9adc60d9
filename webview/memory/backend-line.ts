import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { BackendView } from '../../src/backendProtocol.ts';
import type { PanelMessage } from '../../src/protocol.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';
import {
  backlog,
  bankScope,
  headline,
  isAiling,
  queueLines,
  reasonText,
  serverText,
} from './backend-texts.ts';
import { MemoryView, viewStyles } from './memory-view.ts';
import type { ViewParts } from './views.ts';

/** While something waits, how long until it is looked at again. Milliseconds. */
const PAUSE = 5_000;

type BackendMessage = Extract<PanelMessage, { type: 'memoryBackend' }>;
type Model = BackendView['mentalModels'][number];

/** At the foot of the panel: where memories are kept, what has not arrived there, and what can be done about it. */
export class BackendLine extends MemoryView<BackendView> {
  static override properties = {
    ...MemoryView.properties,
    // They come anew with each scroll of the list; most of that is nothing to this line.
    parts: { attribute: false, hasChanged: isOther },
    open: { state: true },
    models: { state: true },
  };
  declare open: boolean;
  /** Ids of the mental models whose text is shown. */
  declare models: ReadonlySet<string>;
  #again: ReturnType<typeof setTimeout> | undefined;
  #said = '';

  static override styles = [
    ...viewStyles,
    css`
      :host { display: flex; flex: none; height: auto; max-height: 50%; border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
      .line { display: flex; align-items: center; gap: 8px; min-height: 28px; padding: 0 12px 0 8px; font-size: 11px; line-height: 16px; }
      .fold { all: unset; box-sizing: border-box; display: flex; align-items: center; gap: 4px; flex: 1; min-width: 0; min-height: 28px; cursor: pointer; border-radius: 2px; }
      .fold:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
      .plain { flex: 1; min-width: 0; padding-inline-start: 4px; }
      .what { min-width: 0; padding: 4px 0; overflow-wrap: anywhere; }
      .sign { flex: none; color: var(--vscode-editorWarning-foreground, var(--vscode-foreground)); }
      .backlog { font-variant-numeric: tabular-nums; white-space: nowrap; }
      section { flex: none; }
      .more { min-height: 0; overflow: hidden auto; padding: 2px 12px 12px; font-size: 12px; line-height: 17px; }
      dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 12px; margin: 0; }
      dt { color: var(--vscode-descriptionForeground); }
      dd { margin: 0; overflow-wrap: anywhere; }
      dd ul { margin: 0; padding: 0; list-style: none; }
      dd li + li { margin-top: 2px; }
      .reason { white-space: pre-wrap; user-select: text; }
      .model { all: unset; display: flex; align-items: flex-start; gap: 2px; cursor: pointer; border-radius: 2px; }
      .model:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
      .empty { padding-inline-start: 15px; }
      .model .icon { margin: 0 0 0 -3px; }
      lode-text { display: block; margin: 2px 0 6px 15px; }
      .buttons { gap: 4px 16px; margin-top: 12px; }
      @container list (max-width: 340px) {
        dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
        dd { margin-bottom: 6px; }
      }
      :host-context(.vscode-high-contrast) .fold:hover, :host-context(.vscode-high-contrast-light) .fold:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; }
    `,
  ];

  constructor() {
    super();
    this.open = false;
    this.models = new Set();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#again);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated) this.open = this.parts.kept === true;
    super.willUpdate(changed);
    if (changed.has('data') && this.data !== undefined) this.#read(this.data);
  }

  protected read(signal: AbortSignal): Promise<BackendView> {
    return this.parts.host.invoke<BackendView>('backend_status', {}, { signal });
  }

  protected failure(): string {
    return t('Where memories are kept could not be read.');
  }

  protected override render(): TemplateResult {
    const { data, error } = this;
    if (data !== undefined) return this.content(data);
    if (error === '') return html``;
    return html`<div class="line"><span class="plain" role="alert">${this.failure()} ${error}</span>
      <button class="link" @click=${() => void this.refresh()}>${t('Retry')}</button></div>`;
  }

  protected content(view: BackendView): TemplateResult {
    const ailing = isAiling(view);
    const waits = backlog(view);
    const what = html`${ailing ? html`<span class="sign">${icons.conflict}</span>` : nothing}<span class="what"
      ><bdi>${headline(view)}</bdi>${waits === '' ? nothing : html` · <span class="backlog">${waits}</span>`}</span>`;
    return html`<section class=${ailing ? 'ailing' : 'muted'} aria-label=${t('Where memories are kept')}>
      <div class="line">${
        view.kind === 'hindsight'
          ? html`<button class="fold" aria-expanded=${this.open} aria-controls=${this.open ? 'more' : nothing} @click=${this.#toggle}>
              ${this.open ? icons.open : icons.closed}${what}</button>`
          : html`<span class="plain">${what}</span>`
      }${this.#offer(view)}</div>
    </section>
    ${this.open && view.kind === 'hindsight' ? this.#details(view) : nothing}`;
  }

  /** The one thing to do about it now. */
  #offer(view: BackendView): TemplateResult | typeof nothing {
    if (!this.parts.canWrite) return nothing;
    if (view.kind === 'local')
      return this.#button(t('Use a Server…'), () => this.#command('chooseMemoryBackend', 'hindsight'));
    if (view.kind === 'off') return this.#button(t('Turn On…'), () => this.#command('chooseMemoryBackend'));
    return view.queue.waiting + view.queue.refused > 0 ? this.#button(t('Retry Now'), this.#retry) : nothing;
  }

  #details(view: BackendView): TemplateResult {
    const { server, banks, mentalModels } = view;
    const why = reasonText(server?.error);
    const lines = queueLines(view, why);
    return html`<div class="more" id="more">
      <dl>
        ${
          server === null
            ? nothing
            : html`<dt>${t('Server')}</dt><dd>${server.url === '' ? nothing : html`<div><bdi>${visibleLine(server.url)}</bdi></div>`}
                ${serverText(view) === '' ? nothing : html`<div class="muted">${serverText(view)}</div>`}
                ${why === '' ? nothing : html`<div class="reason">${why}</div>`}</dd>`
        }
        ${
          lines.length === 0
            ? nothing
            : html`<dt>${t('Queue')}</dt><dd>${lines.map((line) => html`<div>${line}</div>`)}</dd>`
        }
        ${
          banks.length === 0
            ? nothing
            : html`<dt>${banks.length === 1 ? t('Bank') : t('Banks')}</dt><dd><ul>${banks.map(
                (bank) =>
                  html`<li><bdi>${visibleLine(bank.id)}</bdi> <span class="muted">${bankScope(bank)}</span></li>`,
              )}</ul></dd>`
        }
        ${
          mentalModels.length === 0
            ? nothing
            : html`<dt>${t('Mental models')}</dt><dd><ul>${mentalModels.map((model, at) => this.#model(model, at))}</ul></dd>`
        }
      </dl>
      ${this.parts.canWrite ? this.#acts() : nothing}
    </div>`;
  }

  #model({ id, name, ours, text = '' }: Model, at: number): TemplateResult {
    const said = html`<bdi>${visibleLine(name)}</bdi>${ours ? nothing : html` <span class="muted">${t('not made by Lodeline')}</span>`}`;
    if (text.trim() === '')
      return html`<li class="empty">${said} <span class="muted">${t('no text yet')}</span></li>`;
    const shown = this.models.has(id);
    return html`<li>
      <button class="model" aria-expanded=${shown} aria-controls=${shown ? `model-${at}` : nothing} @click=${() => this.#showModel(id, !shown)}>
        ${shown ? icons.open : icons.closed}<span>${said}</span></button>
      ${shown ? html`<lode-text id=${`model-${at}`} .text=${text}></lode-text>` : nothing}</li>`;
  }

  #acts(): TemplateResult {
    return html`<div class="buttons" role="group" aria-label=${t('What can be done')}>
      ${this.#button(t('Copy Memories to the Server…'), () => this.#command('copyToServer'))}
      ${this.#button(t('Copy Memories to This Folder…'), () => this.#command('copyToFolder'))}
      ${this.#button(t('Set the Token…'), () => this.#command('setHindsightToken'))}
      ${this.#button(t('Change the Backend…'), () => this.#command('chooseMemoryBackend'))}
    </div>`;
  }

  #button(label: string, run: () => unknown): TemplateResult {
    return html`<button class="link" ?disabled=${this.busy} @click=${run}>${label}</button>`;
  }

  #command(command: BackendMessage['command'], backend?: 'hindsight'): void {
    this.parts.host.post({ type: 'memoryBackend', command, ...(backend !== undefined && { backend }) });
  }

  /** Says what changed for the better or the worse, and looks again while something is on its way. */
  #read(view: BackendView): void {
    const now = isAiling(view) ? headline(view) : '';
    if (now !== this.#said) this.parts.say(now === '' ? t('The memory server answers again.') : now);
    this.#said = now;
    clearTimeout(this.#again);
    if (view.queue.waiting > 0) this.#again = setTimeout(() => void this.refresh(), PAUSE);
  }

  readonly #toggle = (): void => {
    this.open = !this.open;
    this.parts.keep(this.open);
  };

  #showModel(id: string, shown: boolean): void {
    this.models = new Set(shown ? [...this.models, id] : [...this.models].filter((each) => each !== id));
  }

  readonly #retry = (): Promise<void> =>
    this.once(async () => {
      try {
        await this.parts.host.invoke('backend_retry', {}, { timeout: 0 });
        await this.refresh();
        const left = this.data === undefined ? '' : backlog(this.data);
        this.parts.say(left === '' ? t('Everything has arrived.') : left);
      } catch (error) {
        this.parts.actions.fail(error instanceof Error ? error.message : String(error));
      }
    });
}

function isOther(now: ViewParts, before: ViewParts | undefined): boolean {
  return now.version !== before?.version || now.canWrite !== before.canWrite;
}
