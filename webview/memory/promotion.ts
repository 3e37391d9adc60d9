import { html, nothing, type TemplateResult } from 'lit';
import type { Phrase } from '../../src/protocol.ts';
import { count, percent } from '../kit/format.ts';
import { handled } from '../kit/keys.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';

interface Candidate {
  readonly id: string | null;
  readonly key: string;
  readonly confidence: number;
}

/** What `memory_promote` would do. */
export interface Promotion {
  readonly promoted: readonly Candidate[];
  readonly waiting: readonly (Candidate & { readonly phrase: Phrase })[];
}

const SHOWN = 20;

/** Which drafts the rules would accept, and why the others wait. */
export function promotionPreview(
  { promoted, waiting }: Promotion,
  busy: boolean,
  { apply, cancel }: { apply(): void; cancel(): void },
): TemplateResult {
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    handled(event);
    cancel();
  };
  return html`<div class="preview" role="group" aria-label=${t('Preview promotion')} tabindex="-1" @keydown=${key}>
    <p>${
      promoted.length === 0
        ? t('None would be accepted by the rules: enough confidence, new, and of the last week.')
        : promoted.length === 1
          ? t('1 draft would be accepted:')
          : t('{0} drafts would be accepted:', count(promoted.length))
    }</p>
    <ul>
      ${promoted.map((draft) => html`<li class="small"><bdi>${visibleLine(draft.key)}</bdi> <span class="muted">${percent(draft.confidence)}</span></li>`)}
      ${waiting.length === 0 ? nothing : html`<li class="small muted">${t('These wait:')}</li>`}
      ${waiting.slice(0, SHOWN).map((draft) => html`<li class="small muted"><bdi>${visibleLine(draft.key)}</bdi>: <bdi>${visibleLine(phraseText(draft.phrase))}</bdi></li>`)}
      ${waiting.length > SHOWN ? html`<li class="small muted">${t('{0} more', count(waiting.length - SHOWN))}</li>` : nothing}
    </ul>
    <div class="buttons">
      ${promoted.length === 0 ? nothing : html`<vscode-button ?disabled=${busy} @click=${apply}>${t('Accept {0}', count(promoted.length))}</vscode-button>`}
      <vscode-button appearance="secondary" @click=${cancel}>${t('Cancel')}</vscode-button>
    </div>
  </div>`;
}
