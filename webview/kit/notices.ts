import { html, nothing, type TemplateResult } from 'lit';
import type { InitMessage } from '../../src/protocol.ts';
import { icons } from './icons.ts';
import { t } from './l10n.ts';
import { sealLine } from './seal.ts';
import { visible } from './text.ts';

/** What the person must know above everything else; all but the lack of trust can be dismissed. */
export function notices(
  init: InitMessage,
  dismissed: ReadonlySet<string>,
  dismiss: (notice: string) => void,
): TemplateResult {
  return html`
    ${sealLine(init.seal)}
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
