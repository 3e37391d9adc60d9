import { css } from 'lit';
import { panelStyles } from '../kit/panel-styles.ts';

export const appStyles = [
  ...panelStyles,
  css`
    :host { --lode-back: var(--vscode-sideBar-background, var(--vscode-editor-background)); }
    /* What lies over other things must have the colour of what is behind the panel. */
    .panes.editor { --lode-back: var(--vscode-editor-background); }
    .panes { flex: 1; min-height: 0; display: flex; }
    .list { flex: 1; min-width: 0; display: flex; flex-direction: column; }
    .list .bar { gap: 2px; padding: 4px 8px 4px 12px; }
    .list .bar vscode-text-field { flex: 1; min-width: 0; }
    lode-sessions-tree { flex: 1; min-height: 60px; }
    lode-session, lode-spawn { flex: 1; min-width: 0; }
    .wide .list { flex: 0 0 40%; border-inline-end: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
    .nothing { flex: 1; padding: 12px 16px; }
    /* It must not lie over what is being written. */
    lode-toast { bottom: 60px; }
    .banner.rename { align-items: stretch; flex-direction: column; gap: 6px; }
    .rename vscode-text-field { width: 100%; }
  `,
];
