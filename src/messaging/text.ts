/** Helpers to show texts of others inside ours. */

/** The start of a text, with an ellipsis when something is missing, never inside a character. */
export function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The start of a text that a transcript holds, and that it was cut. Without halves of characters. */
export function shortened(text: string, length: number): string {
  const whole = text.toWellFormed();
  const shown = clipped(whole, length);
  return shown === whole ? shown : `${shown}\n(Cut here; the whole is in the transcript.)`;
}

/** On one line, without control characters and halves of characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
}
