import { css } from 'lit';

/** The colours and the motion of signs, in a tree as well as above what it leads to. */
export const glyphStyles = css`
  .glyph { color: var(--vscode-descriptionForeground); }
  .running > .glyph { color: var(--vscode-charts-blue, var(--vscode-focusBorder)); }
  .running > .glyph .icon { animation: turn 1.4s linear infinite; }
  :is(.done, .applied) > .glyph { color: var(--vscode-charts-green, currentColor); }
  .failed > .glyph { color: var(--vscode-errorForeground, var(--vscode-charts-red)); }
  :is(.waiting, .recoverable, .interrupted) > .glyph { color: var(--vscode-charts-yellow, currentColor); }
  @keyframes turn { to { transform: rotate(1turn); } }
  :host-context(.vscode-reduce-motion) .running > .glyph .icon { animation: none; }
  @media (prefers-reduced-motion: reduce) { .running > .glyph .icon { animation: none; } }
`;

/** The lines of a tree. */
export const rowStyles = css`
  .row { position: absolute; inset: 0 0 auto 0; display: flex; gap: 4px; padding: 3px 12px 3px 8px; cursor: pointer; overflow: hidden; contain: strict; }
  .row:hover { --over: var(--vscode-list-hoverBackground); background: var(--over); color: var(--vscode-list-hoverForeground, inherit); }
  .row:is(.active, .current) { --over: var(--vscode-list-inactiveSelectionBackground); background: var(--over); color: var(--vscode-list-inactiveSelectionForeground, inherit); }
  .tree:focus .row.active {
    --over: var(--vscode-list-activeSelectionBackground); background: var(--over); color: var(--vscode-list-activeSelectionForeground, inherit);
    outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder)); outline-offset: -1px;
  }
  .tree:focus .row.active :is(.muted, .glyph, .outcome, .icon-button) { color: inherit; }
  .sign { flex: none; display: flex; align-items: center; height: 18px; width: 18px; }
  .texts { flex: 1; min-width: 0; }
  .first { display: flex; align-items: baseline; gap: 6px; min-width: 0; }
  .name { flex: 0 1 auto; min-width: 0; }
  /* Room for what comes over the end of the line. */
  .row:hover:has(.tools) .first { padding-inline-end: 22px; }
  .small { font-size: 11px; line-height: 18px; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .second { display: flex; gap: 8px; }
  bdi.second { display: block; }
  .when { min-width: 4em; text-align: end; }
  .outcome, .spent { flex: none; }
  .outcome { color: var(--vscode-descriptionForeground); }
  :is(.waiting, .recoverable, .failed) .outcome { color: inherit; }
  .tools { display: none; position: absolute; inset-block-start: 1px; inset-inline-end: 6px; border-radius: 4px;
    background: linear-gradient(var(--over, transparent), var(--over, transparent)), var(--lode-back); }
  .row:hover > .tools { display: flex; }
  .tools button.icon-button { height: 22px; min-width: 22px; color: var(--vscode-icon-foreground, var(--vscode-foreground)); }
  :host-context(.vscode-high-contrast) .row:is(:hover, .active, .current), :host-context(.vscode-high-contrast-light) .row:is(:hover, .active, .current) {
    outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px;
  }
  :host-context(.vscode-high-contrast) .tree:focus .row.active, :host-context(.vscode-high-contrast-light) .tree:focus .row.active { outline-style: solid; }
`;
