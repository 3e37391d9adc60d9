import { html, type TemplateResult } from 'lit';
import type { InitMessage } from '../../src/protocol.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { lockedPage } from '../kit/seal.ts';
import { emptyState } from '../kit/states.ts';

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

/** The page where there is no memory to show; undefined when there is. */
export function insteadOfMemory(init: InitMessage, enterKey: () => void): TemplateResult | undefined {
  if (init.folder !== null) return lockedPage(init, enterKey);
  return emptyState({
    title: t('No folder is open.'),
    text: t('Memory belongs to a folder. Open one to see what is remembered about it.'),
  });
}
