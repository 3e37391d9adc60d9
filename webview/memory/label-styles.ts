import { css } from 'lit';
import { levelStyles } from '../kit/level.ts';

/** Category, level and mark labels, as they look in the list and above an entry. */
export const labelStyles = css`
  ${levelStyles}
  .category { display: inline-flex; align-items: center; gap: 5px; flex: none; font-size: 11px; white-space: nowrap; }
  .category::before { content: ''; width: 7px; height: 7px; border-radius: 50%; background: var(--category); flex: none; }
  .decision { --category: var(--vscode-charts-blue); }
  .pattern { --category: var(--vscode-charts-purple); }
  .bug { --category: var(--vscode-charts-red); }
  .knowledge { --category: var(--vscode-charts-green); }
  /* The orange of charts is almost transparent in the editor's own themes. */
  .warning { --category: var(--vscode-charts-yellow); }
  .unconfirmed {
    flex: none; padding: 0 4px; border: 1px dashed currentColor; border-radius: 3px; font-size: 10px; line-height: 13px;
    letter-spacing: 0.02em; white-space: nowrap;
  }
  .short { display: none; }
  @container list (max-width: 420px) {
    .short { display: inline; }
    .long { display: none; }
  }
`;
