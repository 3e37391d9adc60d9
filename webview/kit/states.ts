import { css, html, nothing, type TemplateResult } from 'lit';
import { t } from './l10n.ts';

export interface EmptyState {
  readonly title: string;
  readonly text?: string | undefined;
  /** One next step. */
  readonly action?: { readonly label: string; run(): void } | undefined;
  readonly hint?: string | undefined;
}

/** Why there is nothing to see, and what to do about it. */
export function emptyState({ title, text, action, hint }: EmptyState): TemplateResult {
  return html`<div class="state">
    <h2>${title}</h2>
    ${text === undefined ? nothing : html`<p>${text}</p>`}
    ${action === undefined ? nothing : html`<vscode-button @click=${action.run}>${action.label}</vscode-button>`}
    ${hint === undefined ? nothing : html`<p class="muted">${hint}</p>`}
  </div>`;
}

/** A failure with its reason and another try. */
export function errorState(title: string, reason: string, retry: () => void): TemplateResult {
  return html`<div class="state" role="alert">
    <h2>${title}</h2>
    <p class="reason">${reason}</p>
    <vscode-button @click=${retry}>${t('Retry')}</vscode-button>
  </div>`;
}

/** Shows after 150 ms only: most waits are over by then and a flash would only disturb. */
export function loadingState(): TemplateResult {
  return html`<div class="state loading" aria-busy="true">
    <vscode-progress-ring aria-label=${t('Loading')}></vscode-progress-ring><span class="still">${t('Loading')}</span>
  </div>`;
}

export const stateStyles = css`
  .state { display: flex; flex-direction: column; align-items: flex-start; gap: 10px; padding: 12px 16px; max-width: 480px; }
  .state h2 { margin: 0; font-size: 13px; font-weight: 600; }
  .state p { line-height: 1.45; overflow-wrap: anywhere; }
  .state.loading { align-items: center; max-width: none; padding-top: 32px; opacity: 0; animation: appear 0s 150ms forwards; }
  .state.loading .still, :host-context(.vscode-reduce-motion) .state.loading vscode-progress-ring { display: none; }
  :host-context(.vscode-reduce-motion) .state.loading .still { display: inline; }
  @keyframes appear { to { opacity: 1; } }
`;
