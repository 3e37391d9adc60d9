import { expect, test } from 'vitest';
import { panelHtml } from '../../../src/vscode/panelHtml.ts';

const html = panelHtml({
  element: 'lodeline-memory',
  nonce: 'n0nce+/=',
  cspSource: 'https://*.example-cdn.net',
  script: 'https://files/dist/webview/memory.js?a=1&b="2"',
  language: 'ko',
  title: 'Memory <script>',
});

test('only the script with the nonce may run, and styles come from the extension', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/
    .exec(html)?.[1]
    ?.replaceAll('&#39;', "'");
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'nonce-n0nce+/='",
    'style-src https://*.example-cdn.net',
    'font-src https://*.example-cdn.net',
    'img-src https://*.example-cdn.net data:',
  ]);
  expect(html).not.toContain('unsafe');
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).toContain('<script type="module" nonce="n0nce+/="');
});

test('values cannot leave their attribute', () => {
  expect(html).toContain('src="https://files/dist/webview/memory.js?a=1&#38;b=&#34;2&#34;"');
  expect(html).toContain('<title>Memory &#60;script&#62;</title>');
  expect(html).toContain('<html lang="ko">');
});
