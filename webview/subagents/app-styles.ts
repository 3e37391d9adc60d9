import { css } from 'lit';
import { panelStyles } from '../kit/panel-styles.ts';
import { fileStyles } from './file-labels.ts';
import { questionStyles } from './question.ts';

export const appStyles = [
  ...panelStyles,
  fileStyles,
  questionStyles,
  css`
    :host { --lode-back: var(--vscode-sideBar-background, var(--vscode-editor-background)); }
    /* What lies over other things must have the colour of what is behind the panel. */
    .panes.editor { --lode-back: var(--vscode-editor-background); }
    .panes { flex: 1; min-height: 0; display: flex; }
    .list { flex: 1; min-width: 0; display: flex; flex-direction: column; }
    .list .bar { justify-content: space-between; min-height: 28px; padding: 4px 12px; font-size: 12px; }
    lode-subagents-tree { flex: 1; }
    lode-task { flex: 1; min-width: 0; }
    .wide .list { flex: 0 0 40%; border-inline-end: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
    .nothing { flex: 1; padding: 12px 16px; }
  `,
];
