/** Adds a table to a configuration file in TOML, at its end, and takes it out again. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Applied,
  type ConfigEntry,
  inserted,
  isBlank,
  lineEndOf,
  PlaceError,
} from './agentConfigEdit.ts';
import { isTable, parseToml } from './initToml.ts';

/**
 * Adds entries whose values are tables of texts and lists of texts. @throws when the text is not TOML, or where a
 * table cannot be added.
 */
export function addToToml(text: string, entries: readonly ConfigEntry[]): Applied {
  const state = { text, insertions: [] as Applied['insertions'][number][], added: [] as ConfigEntry[] };
  const occupied: ConfigEntry[] = [];
  for (const entry of entries) {
    const found = valueAt(state.text, entry.path);
    if (found !== undefined) {
      if (!isDeepStrictEqual(plain(found), entry.value)) occupied.push(entry);
      continue;
    }
    const end = lineEndOf(state.text);
    const before = isBlank(state.text) ? '' : state.text.endsWith('\n') ? end : end + end;
    const insertion = { at: state.text.length, text: before + tableText(entry, end) };
    state.text = inserted(state.text, insertion);
    if (!holds(state.text, entry)) throw new PlaceError(`"${entry.path[0]}" is no table that can grow`);
    state.insertions.push(insertion);
    state.added.push(entry);
  }
  return { ...state, made: [], occupied };
}

/** Takes the tables out that still are as they were put in, however the lines around them have changed. */
export function removeFromToml(text: string, { added }: Pick<Applied, 'added'>): string {
  let left = text;
  for (const entry of added) {
    const table = tableText(entry, lineEndOf(left));
    const at = left.indexOf(table);
    if (at < 0 || !isDeepStrictEqual(plain(valueAt(left, entry.path)), entry.value)) continue;
    const end = lineEndOf(left);
    const start = left.endsWith(end + end, at) ? at - end.length : at;
    const without = left.slice(0, start) + left.slice(at + table.length);
    // The same lines may be part of a longer text in the file: then they stay.
    if (isWithout(without, entry)) left = without;
  }
  return left;
}

/** Where the place of a table is closed, a text with it is no TOML any more, or says something else. */
function holds(text: string, { path, value }: ConfigEntry): boolean {
  try {
    return isDeepStrictEqual(plain(valueAt(text, path)), value);
  } catch {
    return false;
  }
}

function isWithout(text: string, { path }: ConfigEntry): boolean {
  try {
    return valueAt(text, path) === undefined;
  } catch {
    return false;
  }
}

function valueAt(text: string, path: readonly string[]): unknown {
  let value: unknown = parseToml(text);
  for (const name of path) value = isTable(value) ? value[name] : undefined;
  return value;
}

function plain(value: unknown): unknown {
  return isTable(value) ? { ...value } : value;
}

/** A JSON string is a basic string of TOML, too. */
function tableText({ path, value }: ConfigEntry, end: string): string {
  const lines = Object.entries(value as Readonly<Record<string, string | readonly string[]>>).map(
    ([name, each]) => `${name} = ${JSON.stringify(each)}`,
  );
  return [`[${path.join('.')}]`, ...lines, ''].join(end);
}
