import { css } from 'lit';
import { stateStyles } from '../../kit/states.ts';
import { bannerStyles, baseStyles } from '../../kit/styles.ts';
import { labelStyles } from '../label-styles.ts';

export const graphStyles = [
  baseStyles,
  bannerStyles,
  stateStyles,
  labelStyles,
  css`
    :host { display: flex; flex-direction: column; min-height: 0; height: 100%; }
    .search { flex: none; display: flex; gap: 2px; align-items: center; padding: 8px 8px 4px; }
    .search vscode-text-field { flex: 1; min-width: 0; margin-inline-end: 2px; }
    .found { flex: none; font-size: 11px; min-width: 32px; text-align: center; }
    .legend { flex: none; display: flex; flex-wrap: wrap; gap: 0 2px; padding: 0 6px; }
    .legend button {
      all: unset; box-sizing: border-box; display: inline-flex; align-items: center; gap: 4px; padding: 0 4px; border-radius: 3px; font-size: 11px;
      line-height: 18px; cursor: pointer; border: 1px solid transparent;
    }
    .legend button:hover { background: var(--vscode-toolbar-hoverBackground); }
    .legend button[aria-pressed='true'] { background: var(--vscode-toolbar-activeBackground, var(--vscode-toolbar-hoverBackground)); border-color: var(--vscode-focusBorder); }
    .legend button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
    .shape { flex: none; fill: var(--category); }
    .status { flex: none; display: flex; flex-wrap: wrap; gap: 0 8px; padding: 2px 10px 4px; font-size: 11px; line-height: 16px; min-height: 22px; }
    .banner { flex: none; margin: 0 8px 4px; font-size: 12px; line-height: 16px; }
    .body { flex: 1; min-height: 0; overflow: auto; }
    .picture { flex: 1; min-height: 0; position: relative; container: picture / size; }
    lode-graph-canvas { position: absolute; inset: 0; }
    lode-graph-canvas:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
    .zoom {
      position: absolute; inset: auto 8px 8px auto; display: flex; flex-direction: column; border-radius: 4px;
      background: var(--vscode-notifications-background, var(--vscode-editor-background));
      border: 1px solid var(--vscode-contrastBorder, var(--vscode-widget-border, transparent));
    }
    .keys {
      position: absolute; inset: auto 44px 8px 8px; display: none; padding: 3px 8px; border-radius: 4px; font-size: 11px; line-height: 16px; pointer-events: none; width: fit-content;
      background: var(--vscode-notifications-background, var(--vscode-editor-background)); color: var(--vscode-notifications-foreground, var(--vscode-foreground));
      border: 1px solid var(--vscode-contrastBorder, var(--vscode-widget-border, transparent));
    }
    /* In a low picture it would cover what it is about. */
    @container picture (min-height: 200px) { lode-graph-canvas:focus-visible ~ .keys { display: block; } }
    .beside {
      flex: none; max-height: 35%; overflow-y: auto; padding: 6px 10px 8px; font-size: 12px;
      border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent));
    }
    .beside h2 { display: flex; align-items: center; gap: 6px; margin: 0 0 2px; font-size: 12px; line-height: 18px; font-weight: 600; }
    .beside ul { display: flex; flex-wrap: wrap; gap: 0 10px; margin: 0; padding: 0; list-style: none; }
    .beside li { max-width: 100%; }
    .beside button.link { display: inline-flex; align-items: center; gap: 4px; max-width: 100%; line-height: 20px; }
  `,
];
