import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { errorText, isAbort } from '../kit/host.ts';
import { errorState, loadingState, stateStyles } from '../kit/states.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { labelStyles } from './label-styles.ts';
import { Pace } from './pace.ts';
import type { ViewParts } from './views.ts';

/** A view that reads what it shows from the host, again whenever memory changed. */
export abstract class MemoryView<Data> extends LitElement {
  static override properties = {
    parts: { attribute: false },
    data: { state: true },
    error: { state: true },
    busy: { state: true },
  };
  declare parts: ViewParts;
  /** What was read last; it stays shown while newer is on its way. */
  declare data: Data | undefined;
  declare error: string;
  /** A change is under way: nothing else can be started. */
  declare busy: boolean;
  #reading: AbortController | undefined;
  #version = -1;
  readonly #pace = new Pace(() => this.refresh());

  constructor() {
    super();
    this.data = undefined;
    this.error = '';
    this.busy = false;
  }

  /** Reads what is shown. */
  protected abstract read(signal: AbortSignal): Promise<Data>;
  protected abstract content(data: Data): TemplateResult;
  /** Says what could not be read. */
  protected abstract failure(): string;

  /** Moves focus into the view: to its heading. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('h1')?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pace.stop();
    this.#reading?.abort();
  }

  protected override willUpdate(_changed: PropertyValues<this>): void {
    if (this.parts.version === this.#version) return;
    this.#version = this.parts.version;
    this.#pace.want();
  }

  protected override render(): TemplateResult {
    const { data, error } = this;
    if (error !== '' && data === undefined)
      return html`<div class="scroll">${errorState(this.failure(), error, () => void this.refresh())}</div>`;
    if (data === undefined) return html`<div class="scroll">${loadingState()}</div>`;
    return this.content(data);
  }

  /** Reads again. */
  async refresh(): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    try {
      const data = await this.read(reading.signal);
      if (reading.signal.aborted) return;
      this.data = data;
      this.error = '';
    } catch (error) {
      if (!isAbort(error) && !reading.signal.aborted) this.error = errorText(error);
    }
  }

  /** Runs a change unless one is under way. */
  protected async once(change: () => Promise<unknown>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await change();
    } finally {
      this.busy = false;
    }
  }
}

/** A bar on top, groups of rows below it. */
export const viewStyles = [
  baseStyles,
  bannerStyles,
  stateStyles,
  labelStyles,
  css`
    :host {
      display: flex; flex-direction: column; min-height: 0; height: 100%; container: list / inline-size;
      --button-padding-vertical: 2px; --button-padding-horizontal: 8px;
    }
    header { flex: none; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; padding: 8px 12px; }
    h1 { flex: 1 0 auto; max-width: 100%; margin: 0; font-size: 13px; line-height: 24px; font-weight: 600; }
    h1:focus-visible { outline: none; }
    .scroll { flex: 1; min-height: 0; overflow: hidden auto; padding-bottom: 48px; }
    .group { padding: 4px 0 8px; border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
    .group > .title { display: flex; align-items: center; gap: 8px; padding: 4px 12px; }
    h2 { flex: 1; min-width: 0; margin: 0; font-size: 12px; line-height: 20px; font-weight: 600; }
    .state h2 { flex: none; }
    .number { font-weight: 400; color: var(--vscode-descriptionForeground); margin-inline-start: 4px; }
    .rows { margin: 0; padding: 0; list-style: none; }
    .item { display: flex; align-items: flex-start; gap: 8px; padding: 4px 12px; outline-offset: -1px; }
    .item:hover { background: var(--vscode-list-hoverBackground); }
    .item .grow > * { overflow-wrap: anywhere; }
    .small { font-size: 11px; line-height: 16px; }
    button.action {
      all: unset; flex: none; padding: 0 6px; border-radius: 3px; cursor: pointer; font-size: 12px; line-height: 20px; color: var(--vscode-textLink-foreground);
    }
    button.action:hover { background: var(--vscode-toolbar-hoverBackground); }
    button.action:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
    button[disabled] { opacity: .5; cursor: default; }
    .preview { margin: 4px 12px 8px; padding: 8px; border: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); border-radius: 4px; }
    .preview ul { margin: 6px 0; padding: 0; list-style: none; max-height: 220px; overflow-y: auto; }
    .preview li { padding: 1px 0; overflow-wrap: anywhere; }
    .buttons { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
    .actions { flex: none; display: flex; gap: 2px; }
    .more { padding: 2px 12px; }
  `,
];
