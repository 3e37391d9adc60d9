/**
 * Text from agents with what could deceive the eye made visible: control characters (ANSI sequences, NUL)
 * become their pictures, characters that reorder the line (bidirectional overrides and isolates) become
 * their code point, half surrogate pairs the replacement character. Tabs and line ends stay.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROL, (char) => {
      const code = char.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
    })
    .replace(BIDI, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase()}]`);
}

/** `visible`, on one line. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\s+/g, ' '));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to make visible.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const BIDI = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** The first `length` characters, never ending inside a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
