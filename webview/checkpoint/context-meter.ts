import { css, html, LitElement, nothing, svg, type TemplateResult } from 'lit';
import type { ContextLine } from '../../src/planProtocol.ts';
import { count, percent } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';

/** From this part on there is something to know; below it a full meter is nothing to worry about. */
const HIGH = 0.75;

/** How full the model's window is, and what happens when it is. Fires `lode-compact` and `lode-managed-off`. */
export class ContextMeter extends LitElement {
  static override properties = {
    context: { attribute: false },
    managed: { type: Boolean },
    canWrite: { type: Boolean },
  };
  /** Null: no model has counted. */
  declare context: ContextLine | null;
  declare managed: boolean;
  declare canWrite: boolean;

  static override styles = [
    baseStyles,
    css`
      :host { padding: 4px 12px 10px; }
      .head { display: flex; align-items: baseline; gap: 8px; }
      h2 { margin: 0; flex: 1; outline: none; font-size: 11px; font-weight: 600; color: var(--vscode-descriptionForeground); }
      .figure, p { font-variant-numeric: tabular-nums; }
      .meter { position: relative; margin: 4px 0 6px; max-width: 720px; height: 8px; border: 1px solid var(--vscode-contrastBorder, transparent); border-radius: 4px; }
      svg { display: block; width: 100%; height: 100%; border-radius: 3px; }
      .track { fill: var(--vscode-foreground); opacity: 0.14; }
      .used { fill: var(--vscode-progressBar-background, var(--vscode-charts-blue)); }
      .high .used { fill: var(--vscode-charts-yellow, var(--vscode-editorWarning-foreground)); }
      .next { stroke: var(--vscode-foreground); stroke-width: 2; vector-effect: non-scaling-stroke; }
      :host-context(.vscode-high-contrast) .track, :host-context(.vscode-high-contrast-light) .track { opacity: 0; }
      :host-context(.vscode-high-contrast) .used, :host-context(.vscode-high-contrast-light) .used { fill: var(--vscode-foreground); opacity: 0.75; }
      p + p { margin-top: 4px; }
      .small { font-size: 11px; }
      .managed { display: flex; flex-wrap: wrap; gap: 2px 12px; margin-top: 8px; }
      .managed:first-child { margin-top: 0; }
      .act { margin-top: 6px; }
    `,
  ];

  constructor() {
    super();
    this.context = null;
    this.managed = false;
    this.canWrite = false;
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('h2, button')?.focus();
  }

  protected override render() {
    return html`${this.context === null ? nothing : this.#meter(this.context)}${this.managed ? this.#managed() : nothing}`;
  }

  #meter(context: ContextLine): TemplateResult {
    const { used, window, compactions, canCompact } = context;
    return html`
      <div class="head"><h2 id="name" tabindex="-1">${t('Context')}</h2>
        ${window === null ? nothing : html`<span class="figure">${percent(partOf(used, window))}</span>`}</div>
      ${window === null ? nothing : bar(context, window)}
      <p>${usedText(context)}</p>
      <p class="muted small">${strategyText(context)}${
        compactions === 0
          ? nothing
          : html` ${compactions === 1 ? t('Summarized once so far.') : t('Summarized {0} times so far.', count(compactions))}`
      }</p>
      ${
        canCompact && this.canWrite
          ? html`<p class="act"><button class="link" title=${t('The model summarizes what is behind the last messages. The transcript keeps everything.')}
            @click=${() => this.#fire('lode-compact')}>${t('Compact Now')}</button></p>`
          : nothing
      }`;
  }

  #managed(): TemplateResult {
    return html`<p class="managed"><span>${t('The managed model is on (experimental).')}</span>
      <button class="link" @click=${() => this.#fire('lode-managed-off')}>${t('Turn Off')}</button></p>`;
  }

  #fire(type: string): void {
    this.dispatchEvent(new CustomEvent(type));
  }
}

function bar({ used, next, ...rest }: ContextLine, window: number): TemplateResult {
  const part = partOf(used, window);
  const mark = next === null || next >= window ? undefined : (next / window) * 100;
  return html`<div class="meter ${part >= HIGH ? 'high' : ''}" role="meter" aria-labelledby="name"
    aria-valuemin="0" aria-valuemax=${window} aria-valuenow=${Math.min(used, window)}
    aria-valuetext=${`${usedText({ used, next, ...rest })}. ${strategyText({ used, next, ...rest })}`}>
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="8"></rect>
      <rect class="used" width=${part * 100} height="8"></rect>
      ${mark === undefined ? nothing : svg`<line class="next" x1=${mark} x2=${mark} y1="0" y2="8"></line>`}
    </svg></div>`;
}

/** Of a window, 0 to 1. */
function partOf(used: number, window: number): number {
  return window <= 0 ? 1 : Math.min(1, Math.max(0, used / window));
}

function usedText({ used, window }: ContextLine): string {
  return window === null
    ? t('{0} tokens in use. How many fit is not known.', count(used))
    : t('{0} of {1} tokens', count(used), count(window));
}

/** What happens when it gets full. */
function strategyText({ used, window, next, strategy }: ContextLine): string {
  if (strategy === 'folding') return t('The agent folds parts that are finished as it fills up.');
  if (strategy === 'off' || next === null) {
    return window !== null && partOf(used, window) >= HIGH
      ? t('Compaction is off: once the window is full, requests fail. Compact now, or begin a new chat.')
      : t('Compaction is off.');
  }
  return used >= next
    ? t('With the next request the earlier conversation is summarized.')
    : t('Above {0} the earlier conversation is summarized.', count(next));
}
