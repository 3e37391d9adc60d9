import { describe, expect, it } from 'vitest';
import { shownText } from '../../../src/vscode/shownText.ts';

/** What the editor makes a link of in a notification, and an icon in a list. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
const ICON = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/i;

describe('a text of an agent in a notification or a list', () => {
  it.each([
    '[Approve](command:workbench.action.terminal.sendSequence)',
    '[a](command:x "title")',
    '[[a](command:x)](file:///etc/passwd)',
    '[two\nlines](https://evil.example)',
    '[a]\u0000(command:x)',
    '[a]\u202e(command:x)',
  ])('holds no link: %j', (text) => {
    expect(shownText(text)).not.toMatch(LINK);
  });

  it.each(['$(trash) gone', '$(sync~spin)', '$\u0007(trash)', '$($(trash))'])('holds no icon: %j', (text) => {
    expect(shownText(text)).not.toMatch(ICON);
  });

  it('cannot turn the line around, break it, or break a pair', () => {
    expect(shownText('a\u202eb')).toBe('a[U+202E]b');
    expect(shownText('a\u061cb')).toBe('a[U+061C]b');
    expect(shownText(' a\r\n\tb\u2028c ')).toBe('a b c');
    expect(shownText('a\ud83d')).toBe('a\ufffd');
    expect(shownText('\u001b[31mred')).toBe('\ufffd[31mred');
  });

  it('is left alone otherwise', () => {
    const text = '결정: use f(x) [see 2] — 👍 100% $5 (ok)';
    expect(shownText(text)).toBe(text);
  });
});
