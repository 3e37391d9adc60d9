/** Helpers to show texts of others inside ours. */

/** The start of a text, with an ellipsis when something is missing, never inside a character. */
export function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** On one line, without control characters and halves of characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
}
