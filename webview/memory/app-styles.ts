import { css } from 'lit';
import { stateStyles } from '../kit/states.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';

export const appStyles = [
  baseStyles,
  bannerStyles,
  stateStyles,
  css`
    :host { display: flex; flex-direction: column; height: 100vh; position: relative; overflow: hidden; }
    .banner { margin: 6px 8px 0; flex: none; }
    .guard vscode-button { --button-padding-vertical: 2px; }
    .panes { flex: 1; min-height: 0; display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr); }
    .panes.wide { grid-template-columns: minmax(280px, 40%) minmax(0, 1fr); }
    .panes.wide > .side { border-inline-start: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
    .panes.beneath { grid-template-rows: minmax(0, 1fr) minmax(0, 1fr); }
    .panes.beneath > .side { border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
    .view { min-height: 0; min-width: 0; height: 100%; }
    .nothing { display: grid; place-content: center; padding: 16px; text-align: center; }
  `,
];
