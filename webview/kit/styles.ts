import { css } from 'lit';

/** What every view needs: box sizing, links, icon buttons, headings, and quiet text. */
export const baseStyles = css`
  :host { display: block; color: var(--vscode-foreground); font: 13px/18px var(--vscode-font-family); }
  /* Korean breaks between words; long words still break anywhere. */
  :host(:lang(ko)) { word-break: keep-all; }
  :host([hidden]), [hidden] { display: none !important; }
  *, *::before, *::after { box-sizing: border-box; }
  p { margin: 0; }
  .muted { color: var(--vscode-descriptionForeground); }
  .grow { flex: 1; min-width: 0; }
  .ellipsis { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .icon { display: block; flex: none; }
  .visually-hidden {
    position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
  }
  button.link {
    all: unset; cursor: pointer; color: var(--vscode-textLink-foreground); overflow-wrap: anywhere;
    border-radius: 2px;
  }
  button.link:hover { color: var(--vscode-textLink-activeForeground); text-decoration: underline; }
  button.icon-button {
    all: unset; box-sizing: border-box; display: inline-flex; align-items: center; justify-content: center;
    flex: none; min-width: 24px; height: 24px; padding: 0 4px; border-radius: 4px; cursor: pointer;
    color: var(--vscode-icon-foreground, var(--vscode-foreground));
  }
  button.icon-button:hover { background: var(--vscode-toolbar-hoverBackground); }
  button.icon-button[aria-pressed='true'], button.icon-button[aria-expanded='true'] {
    background: var(--vscode-toolbar-activeBackground, var(--vscode-toolbar-hoverBackground));
  }
  :focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
  button.icon-button:focus-visible { outline-offset: -1px; }
  :host-context(.vscode-high-contrast) button.icon-button:hover,
  :host-context(.vscode-high-contrast-light) button.icon-button:hover {
    outline: 1px dashed var(--vscode-contrastActiveBorder);
  }
`;

/** Boxed notes above or inside a view. */
export const bannerStyles = css`
  .banner {
    display: flex; align-items: flex-start; gap: 8px; padding: 6px 8px; overflow-wrap: anywhere;
    border: 1px solid var(--vscode-inputValidation-infoBorder);
    background: var(--vscode-inputValidation-infoBackground);
    color: var(--vscode-inputValidation-infoForeground, var(--vscode-foreground));
  }
  .seal { flex: none; display: flex; align-items: center; gap: 6px; padding: 4px 12px 0; font-size: 12px; }
  .seal .icon { width: 14px; height: 14px; }
  .banner.warning {
    border-color: var(--vscode-inputValidation-warningBorder);
    background: var(--vscode-inputValidation-warningBackground);
    color: var(--vscode-inputValidation-warningForeground, var(--vscode-foreground));
  }
  .banner.error {
    border-color: var(--vscode-inputValidation-errorBorder);
    background: var(--vscode-inputValidation-errorBackground);
    color: var(--vscode-inputValidation-errorForeground, var(--vscode-foreground));
  }
  .banner .buttons { display: flex; flex-wrap: wrap; gap: 4px 12px; margin-top: 2px; }
`;

/** Styles of the document itself, adopted from script so that the panel is one file. */
export const documentStyles = css`
  html, body { height: 100%; }
  body { margin: 0; padding: 0; overflow: hidden; }
`;
