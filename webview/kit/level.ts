import { css, html, nothing, type TemplateResult } from 'lit';
import { LEVELS, type Level } from '../../src/policy/level.ts';
import { t } from './l10n.ts';

/** For lists that are too narrow for a word. */
const SHORT: Record<Level, string> = {
  PUBLIC: '',
  INTERNAL: 'INT',
  CONFIDENTIAL: 'CONF',
  RESTRICTED: 'RESTR',
};

/** A level in words, when it is more than public. A list named `list` that is narrow shows the short ones. */
export function levelBadge({ level }: { readonly level: Level }): TemplateResult | typeof nothing {
  if (level === 'PUBLIC') return nothing;
  return html`<span class="level ${level.toLowerCase()}" title=${t('Classification: {0}', level)}><span class="short" aria-hidden="true">${SHORT[level] ?? level}</span><span class="long">${level}</span></span>`;
}

/** Narrows a control's value to a level. */
export function asLevel(value: unknown): Level | '' {
  return LEVELS.find((level) => level === value) ?? '';
}

/** The word says it; its edge says it again in colour, and is as visible as the text in high contrast. */
export const levelStyles = css`
  .level {
    flex: none; padding: 0 4px; border: 1px solid var(--vscode-contrastBorder, var(--level)); border-inline-start: 3px solid var(--level);
    border-radius: 3px; font-size: 10px; line-height: 13px; letter-spacing: 0.02em; white-space: nowrap;
  }
  .level.internal { --level: var(--vscode-charts-blue, currentColor); }
  /* The orange of charts is almost transparent in the editor's own themes. */
  .level.confidential { --level: var(--vscode-charts-yellow, currentColor); }
  .level.restricted { --level: var(--vscode-charts-red, currentColor); }
  .level .short { display: none; }
  @container list (max-width: 420px) {
    .level .short { display: inline; }
    .level .long { display: none; }
  }
`;
