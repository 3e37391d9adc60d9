import { html, nothing, type TemplateResult } from 'lit';
import type { InitMessage, SealView } from '../../src/protocol.ts';
import { icons } from './icons.ts';
import { t } from './l10n.ts';
import { emptyState } from './states.ts';
import { visible } from './text.ts';

/** The whole page while what is kept cannot be read; undefined when it can. */
export function lockedPage({ seal }: InitMessage, enterKey: () => void): TemplateResult | undefined {
  if (seal?.locked == null) return undefined;
  const { key, locked } = seal;
  const title = t('This folder’s memory is locked');
  if (key === '')
    return emptyState({
      title,
      text: t(
        'It is encrypted, and the file that names its key, sealing.json, cannot be read. Put the file back, or restore the store from a backup.',
      ),
    });
  return emptyState({
    title,
    text: locked.otherGiven
      ? t(
          'It is encrypted, and its key is not on this computer. LODELINE_KEY is set to another one. Nothing is lost: with the right key everything can be read again.',
        )
      : t(
          'It is encrypted, and its key is not on this computer. Nothing is lost: with the key everything can be read again.',
        ),
    action: { label: t('Enter Key…'), run: enterKey },
    hint: t(
      'The key {0} is looked for in the variable LODELINE_KEY and in the file {1}. Once the file is there, this page opens by itself.',
      key,
      visible(locked.file),
    ),
  });
}

/** One quiet line that says that everything is encrypted. */
export function sealLine(seal: SealView | null): TemplateResult | typeof nothing {
  if (seal === null || seal.locked !== null) return nothing;
  const { key, state } = seal;
  const about =
    state === 'sealed'
      ? t('Everything Lodeline keeps of this folder is encrypted with the key {0}.', key)
      : nothing;
  return html`<div class="seal muted" role="status" title=${about}>${icons.lock}<span>${stateText(state)}</span></div>`;
}

function stateText(state: SealView['state']): string {
  if (state === 'sealing') return t('Being encrypted…');
  return state === 'opening' ? t('Being decrypted…') : t('Encrypted');
}
