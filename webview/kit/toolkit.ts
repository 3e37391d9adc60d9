import {
  provideVSCodeDesignSystem,
  TextArea,
  TextField,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeProgressRing,
  vsCodeTextArea,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

/** Defines the toolkit controls that panels use. Nothing else imports the toolkit. */
export function registerToolkit(): void {
  colourPlaceholders();
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeCheckbox(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodeProgressRing(),
    vsCodeTextArea(),
    vsCodeTextField(),
  );
}

/** The toolkit leaves placeholders to the browser, whose grey is hard to read on dark fields. */
function colourPlaceholders(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('::placeholder { color: var(--vscode-input-placeholderForeground); opacity: 1; }');
  for (const { prototype } of [TextArea, TextField]) {
    const { connectedCallback } = prototype;
    prototype.connectedCallback = function (this: TextArea | TextField) {
      connectedCallback.call(this);
      const { shadowRoot } = this;
      if (shadowRoot !== null && !shadowRoot.adoptedStyleSheets.includes(sheet)) {
        shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, sheet];
      }
    };
  }
}
