import { css } from 'lit';

/** A list under a heading whose lines unfold. */
export const listStyles = css`
  :host { padding-bottom: 12px; }
  h2 { margin: 0; padding: 10px 12px 4px; font-size: 11px; font-weight: 600; color: var(--vscode-descriptionForeground); border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
  ul { list-style: none; margin: 0; padding: 0; }
  .head {
    all: unset; box-sizing: border-box; display: flex; align-items: flex-start; gap: 4px; width: 100%; padding: 3px 12px 3px 8px; cursor: pointer;
  }
  .head:hover { background: var(--vscode-list-hoverBackground); }
  .head:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
  :host-context(.vscode-high-contrast) .head:hover, :host-context(.vscode-high-contrast-light) .head:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; }
  .sign { flex: none; display: flex; align-items: center; height: 18px; }
  .name { overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .aside { flex: none; font-size: 11px; white-space: nowrap; font-variant-numeric: tabular-nums; }
  .quiet .name { color: var(--vscode-descriptionForeground); }
  .badge { flex: none; padding: 0 5px; border-radius: 3px; font-size: 11px; line-height: 16px; margin-top: 1px; border: 1px solid var(--vscode-contrastBorder, var(--vscode-badge-background)); }
  .more { padding: 2px 12px 10px 28px; }
  .facts { font-size: 11px; }
  .buttons { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 6px; }
  lode-block { margin-top: 6px; padding-inline-start: 8px; border-inline-start: 2px solid var(--vscode-textBlockQuote-border, var(--vscode-panel-border, var(--vscode-widget-border, currentColor))); line-height: 1.5; }
`;
