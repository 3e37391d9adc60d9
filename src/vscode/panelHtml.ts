export interface PanelDocument {
  readonly nonce: string;
  /** Where the webview may load its own files from. */
  readonly cspSource: string;
  readonly script: string;
  /** Name of the custom element that the script defines. */
  readonly element: string;
  readonly language: string;
  readonly title: string;
}

/** The document of a panel: nothing but the one script that carries the nonce runs in it. */
export function panelHtml({ nonce, cspSource, script, element, language, title }: PanelDocument): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<title>${escapeHtml(title)}</title>
</head>
<body>
<${element}></${element}>
<script type="module" nonce="${nonce}" src="${escapeHtml(script)}"></script>
</body>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
