import { handled, isPlain, isTyping } from './keys.ts';

/**
 * Moves the focus between rows with the arrow keys, Home and End: elements with `data-row`, of which one is a tab
 * stop. For lists whose rows hold buttons; where the focus is within a row, the keys move from it.
 */
export function moveBetweenRows(event: KeyboardEvent, root: ParentNode): void {
  if (!isPlain(event) || isTyping(event) || event.shiftKey) return;
  const rows = [...root.querySelectorAll<HTMLElement>('[data-row]')];
  const target = event.composedPath()[0];
  const at = rows.findIndex((row) => target instanceof Node && row.contains(target));
  if (at < 0) return;
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  const row = next === undefined ? undefined : rows[next];
  if (row === undefined) return;
  handled(event);
  row.focus();
}

/** The id of the row in which an event happened. */
export function rowOf(event: Event): string | undefined {
  const row = event
    .composedPath()
    .find((each) => each instanceof HTMLElement && each.dataset.row !== undefined);
  return row instanceof HTMLElement ? row.dataset.row : undefined;
}
