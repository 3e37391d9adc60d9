/** The text of a page, for reading: what a browser would not show is left out. Not for making pages of. */

/** Elements whose content is no text. */
const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe', 'object']);
/** Elements that stand inside a line. */
const INLINE =
  /^\/?(a|abbr|b|bdi|bdo|cite|code|em|font|i|img|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  rarr: '→',
};

/**
 * The text of HTML without tags, scripts and styles, up to about `limit` UTF-16 units. Every step goes forward, so
 * that no page takes more than one pass.
 */
export function htmlText(html: string, limit: number): string {
  const parts: string[] = [];
  let room = limit;
  let at = 0;
  while (at < html.length && room > 0) {
    const open = html.indexOf('<', at);
    const text = html.slice(at, open === -1 ? html.length : open);
    parts.push(text);
    room -= text.length;
    if (open === -1) break;
    const tag = /^<(\/?[a-z][a-z0-9-]{0,30})/i.exec(html.slice(open, open + 40))?.[1]?.toLowerCase();
    if (tag === undefined && !/[!?/]/.test(html[open + 1] ?? '')) {
      parts.push('<');
      at = open + 1;
      continue;
    }
    at = afterTag(html, open, tag);
    if (tag === undefined || !INLINE.test(tag)) parts.push('\n');
  }
  return decode(parts.join(''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Where the text goes on: after a tag, a comment, or an element that shows nothing. */
function afterTag(html: string, open: number, tag: string | undefined): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open + 4);
  const end = after(html, '>', open);
  if (tag === undefined || !HIDDEN.has(tag)) return end;
  const closing = new RegExp(`</${tag}\\b`, 'gi');
  closing.lastIndex = end;
  const found = closing.exec(html);
  return found === null ? html.length : after(html, '>', found.index);
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}

function decode(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
  });
}
