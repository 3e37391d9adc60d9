/** Helpers to show texts of others inside ours. */

const QUOTE_LENGTH = 80;

/** A text of somebody else in double quotes, on one line and cut when it is long. */
export function quoted(text: string, length = QUOTE_LENGTH): string {
  return oneLine(JSON.stringify(clipped(text, length)));
}

/** The start of a text, with an ellipsis when something is missing, never inside a character. */
export function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** On one line, without control characters and halves of characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
}

/** `1 line`, `2 lines`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
