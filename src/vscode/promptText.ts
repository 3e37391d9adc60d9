/**
 * The text of a prompt element in the JSON form of `@vscode/prompt-tsx` (its `JSONTree`), in which the editor's own
 * tools answer: pieces with children, and texts that may want a line of their own.
 */
const TEXT = 2;
/** No element that a tool made is so deep. */
const MAX_DEPTH = 200;

/** All texts in their order; empty for what is no prompt element. */
export function promptText(value: unknown): string {
  return textsOf(property(value, 'node'), MAX_DEPTH).trim();
}

function textsOf(node: unknown, depth: number): string {
  if (depth === 0) return '';
  if (property(node, 'type') === TEXT) {
    const text = property(node, 'text');
    if (typeof text !== 'string') return '';
    return property(node, 'lineBreakBefore') ? `\n${text}` : text;
  }
  const children = property(node, 'children');
  if (!Array.isArray(children)) return '';
  return children.map((child) => textsOf(child, depth - 1)).join('');
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
