import { html, nothing, type TemplateResult } from 'lit';
import type { InitMessage } from '../../src/protocol.ts';
import { icons } from '../kit/icons.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { visible } from '../kit/text.ts';

/** What the person must know above everything else; all but the lack of trust can be dismissed. */
export function notices(
  init: InitMessage,
  dismissed: ReadonlySet<string>,
  dismiss: (notice: string) => void,
): TemplateResult {
  return html`
    ${init.trusted ? nothing : html`<div class="banner">${t('Read only, because this folder is not trusted.')}</div>`}
    ${init.notices
      .filter((notice) => !dismissed.has(notice))
      .map(
        (
          notice,
        ) => html`<div class="banner warning" role="status"><span class="grow">${visible(notice)}</span>
          <button class="icon-button" aria-label=${t('Dismiss')} title=${t('Dismiss')} @click=${() => dismiss(notice)}>${icons.close}</button></div>`,
      )}`;
}

/** Asks whether unsaved changes may go. */
export function unsavedGuard(stay: () => void, discard: () => void): TemplateResult {
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    handled(event);
    stay();
  };
  return html`<div class="banner warning guard" role="alertdialog" aria-label=${t('Unsaved changes')} @keydown=${key}>
    <div class="grow"><p>${t('Discard what you have changed?')}</p>
      <div class="buttons">
        <vscode-button @click=${stay}>${t('Keep editing')}</vscode-button>
        <vscode-button appearance="secondary" @click=${discard}>${t('Discard')}</vscode-button>
      </div></div></div>`;
}
