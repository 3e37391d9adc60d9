import { css } from 'lit';

/** A section at the foot of a list that opens and closes under its heading. */
export const sectionStyles = css`
  :host { flex: none; border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); max-height: 45%; overflow: hidden auto; }
  h2 { margin: 0; font: inherit; }
  .fold { all: unset; box-sizing: border-box; display: flex; align-items: center; gap: 4px; width: 100%; min-height: 26px; padding: 0 12px 0 8px; cursor: pointer; font-weight: 600; font-size: 11px; }
  .fold:hover { background: var(--vscode-list-hoverBackground); }
  .fold:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
  .small { font-size: 11px; font-variant-numeric: tabular-nums; white-space: nowrap; }
  :host-context(.vscode-high-contrast) .fold:hover, :host-context(.vscode-high-contrast-light) .fold:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; background: none; }
`;
