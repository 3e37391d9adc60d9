/** Puts entries into a configuration file in JSON, and takes them out again, without touching what stands beside. */
import { isDeepStrictEqual } from 'node:util';
import { type JsonContainer, type JsonNode, jsonValue, parseJson } from './agentConfigJson.ts';

/** Something that a configuration is to hold. */
export interface ConfigEntry {
  /** Names of the members that lead to it, its own last. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** The value is one among others in the list at the path. */
  readonly inList?: boolean | undefined;
}

/** A text put into another. Undone in reverse, insertions leave the text that was there before. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** What became of a text. */
export interface Applied {
  readonly text: string;
  /** In order; each counts in the text that the ones before it made. */
  readonly insertions: readonly Insertion[];
  readonly added: readonly ConfigEntry[];
  /** Objects and lists that were made to hold them. */
  readonly made: readonly (readonly string[])[];
  /** Not put in, because something else stands at their place. */
  readonly occupied: readonly ConfigEntry[];
}

/** A place in a file that is not what it has to be; the message says what is there. */
export class PlaceError extends Error {
  override readonly name = 'PlaceError';
}

/** Adds entries to a JSON text; a blank one counts as an empty object. @throws when it is not JSON, or of another shape. */
export function addToJson(text: string, entries: readonly ConfigEntry[]): Applied {
  const state = {
    text,
    insertions: [] as Insertion[],
    added: [] as ConfigEntry[],
    made: [] as (readonly string[])[],
    occupied: [] as ConfigEntry[],
  };
  for (const entry of entries) {
    const change = additionOf(state.text, entry);
    if (change === 'present') continue;
    if (change === 'occupied') {
      state.occupied.push(entry);
      continue;
    }
    for (const insertion of change.insertions) {
      state.text = inserted(state.text, insertion);
      state.insertions.push(insertion);
    }
    state.added.push(entry);
    state.made.push(...change.made);
  }
  return state;
}

/** Takes entries out that still are as they were put in, then the containers made for them that are empty. */
export function removeFromJson(text: string, { added, made }: Pick<Applied, 'added' | 'made'>): string {
  let left = text;
  for (const { path, value, inList } of [...added].reverse()) {
    left = without(left, path, (node) =>
      inList === true
        ? node.kind === 'list'
          ? node.items.findIndex((item) => isDeepStrictEqual(jsonValue(item.value), value))
          : -1
        : isDeepStrictEqual(jsonValue(node), value),
    );
  }
  for (const path of [...made].reverse())
    left = without(left, path, (node) => node.kind !== 'scalar' && isBare(left, node));
  return left;
}

/** Whether a JSON text holds nothing at all, not even a comment. */
export function isEmptyJson(text: string): boolean {
  if (isBlank(text)) return true;
  const root = parseJson(text);
  const around = text.slice(0, root.start).replace(/^\uFEFF/, '') + text.slice(root.end);
  return root.kind === 'object' && isBare(text, root) && around.trim() === '';
}

/** The text with an insertion made. */
export function inserted(text: string, { at, text: more }: Insertion): string {
  return text.slice(0, at) + more + text.slice(at);
}

/** How the lines of a text end. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Whether there is nothing in a text but white space. */
export function isBlank(text: string): boolean {
  return text.replace(/^\uFEFF/, '').trim() === '';
}

type Addition =
  | 'present'
  | 'occupied'
  | { readonly insertions: readonly Insertion[]; readonly made: readonly (readonly string[])[] };

function additionOf(text: string, { path, value, inList = false }: ConfigEntry): Addition {
  /** The value in what has to be made around it when the first `depth` names are there. */
  const wrapped = (depth: number): unknown =>
    path.slice(depth).reduceRight<unknown>((inner, name) => ({ [name]: inner }), inList ? [value] : value);
  const madeFrom = (depth: number) =>
    path.slice(depth, inList ? undefined : -1).map((_, index) => path.slice(0, depth + index + 1));
  if (isBlank(text)) {
    const end = lineEndOf(text);
    const whole = JSON.stringify(wrapped(0), null, 2).replaceAll('\n', end) + end;
    return { insertions: [{ at: text.length, text: whole }], made: madeFrom(0) };
  }
  let node = parseJson(text);
  for (const [depth, name] of path.entries()) {
    if (node.kind !== 'object') throw new PlaceError(`${nameOf(path.slice(0, depth))} is no object`);
    const next = memberOf(node, path.slice(0, depth + 1));
    if (next === undefined)
      return { insertions: insertionsOf(text, node, name, wrapped(depth + 1)), made: madeFrom(depth) };
    node = next;
  }
  if (!inList) return isDeepStrictEqual(jsonValue(node), value) ? 'present' : 'occupied';
  if (node.kind !== 'list') throw new PlaceError(`${nameOf(path)} is no list`);
  if (node.items.some((item) => isDeepStrictEqual(jsonValue(item.value), value))) return 'present';
  return { insertions: insertionsOf(text, node, undefined, value), made: [] };
}

function memberOf(node: JsonContainer, path: readonly string[]): JsonNode | undefined {
  const named = node.items.filter(({ key }) => key === path.at(-1));
  if (named.length > 1) throw new PlaceError(`${nameOf(path)} is there more than once`);
  return named[0]?.value;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'what it holds' : `"${path.join('.')}"`;
}

/** One more item at the end of a container, in the style of the text. */
function insertionsOf(
  text: string,
  container: JsonContainer,
  key: string | undefined,
  value: unknown,
): Insertion[] {
  const last = container.items.at(-1);
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const needsComma = last !== undefined && last.comma === undefined;
  const isOnOneLine = last !== undefined && !text.slice(container.start, container.end).includes('\n');
  // Behind a comment only a new line is sure to be outside it.
  if (isOnOneLine && container.contentEnd === (last.comma ?? last.value.end - 1) + 1)
    return [{ at: container.contentEnd, text: `${needsComma ? ',' : ''} ${name}${JSON.stringify(value)}` }];
  const [unit, end, outer] = [unitOf(text), lineEndOf(text), indentAt(text, container.start)];
  const indent =
    last !== undefined && isFirstOnLine(text, last.start) ? indentAt(text, last.start) : outer + unit;
  const body = name + JSON.stringify(value, null, unit).replaceAll('\n', end + indent);
  const rest = text.slice(container.contentEnd, container.end - 1);
  const item = {
    at: container.contentEnd + (needsComma ? 1 : 0),
    text: `${end}${indent}${body}${rest.includes('\n') ? '' : end + outer}`,
  };
  return needsComma ? [{ at: last.value.end, text: ',' }, item] : [item];
}

/** One step of indentation. */
function unitOf(text: string): string {
  const found = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  return found.startsWith('\t') ? '\t' : found.slice(0, 8);
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? '';
}

function isFirstOnLine(text: string, at: number): boolean {
  return /^\uFEFF?[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
}

/** Neither an item nor a comment is in it. */
function isBare(text: string, node: JsonContainer): boolean {
  return text.slice(node.start + 1, node.end - 1).trim() === '';
}

/** @param find whether the member at the path goes; or which item of it, none when negative */
function without(text: string, path: readonly string[], find: (node: JsonNode) => boolean | number): string {
  if (isBlank(text)) return text;
  let container: JsonNode = parseJson(text);
  for (const [depth, name] of path.entries()) {
    if (container.kind !== 'object') return text;
    const index: number = container.items.findIndex(({ key }) => key === name);
    const node: JsonNode | undefined = container.items[index]?.value;
    if (node === undefined) return text;
    if (depth === path.length - 1) {
      const found = find(node);
      if (found === true) return withoutItem(text, container, index);
      return typeof found === 'number' && found >= 0 && node.kind === 'list'
        ? withoutItem(text, node, found)
        : text;
    }
    container = node;
  }
  return text;
}

function withoutItem(text: string, { items }: JsonContainer, index: number): string {
  const item = items[index];
  if (item === undefined) return text;
  const before = items[index - 1];
  const end = item.comma === undefined ? item.value.end : item.comma + 1;
  // The white space before it goes with it, unless that would bring what follows into a comment's line.
  const isLastOnLine = /^[ \t]*(?:\r?\n|[}\]])/.test(text.slice(end));
  const start = isLastOnLine ? text.slice(0, item.start).trimEnd().length : item.start;
  const left = text.slice(0, start) + text.slice(end);
  // The last one leaves no comma behind that was not there before it came.
  return item.comma === undefined && before?.comma !== undefined
    ? left.slice(0, before.comma) + left.slice(before.comma + 1)
    : left;
}
