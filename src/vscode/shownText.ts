/** Texts of agents in notifications, pick lists and input boxes. */

/**
 * A text as it is, on one line: notifications make a link, also one that runs a command, of `[…](…)`, lists make an
 * icon of `$(…)`, and characters that reorder a line would deceive its reader. Those show as their code points.
 */
export function shownText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(CONTROL, '\ufffd')
    .replace(BIDI, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
    .replaceAll('](', ']\u200b(')
    .replaceAll('$(', '$\u200b(')
    .trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
const BIDI = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
