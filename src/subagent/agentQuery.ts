/**
 * The small query language of `agent://` (seed 000's reference): an optional dot, then any of
 *
 *     .name   letters (a-z), digits, _ and -
 *     [12]    [name]   ["any text"]   ['any text']     with \" \' \\ inside the quotes
 */
import type { JsonValue } from '../journal/record.ts';

const QUERY_LENGTH = 4_096;
const NAME = /[A-Za-z0-9_-]+/y;
const QUOTED = /\[\s*(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)')\s*\]/y;
const BARE = /\[([^\]]*)\]/y;

/** A query that cannot be read; the message says where. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

/**
 * The keys that a query names, outermost first. An index is a key of digits.
 * @throws QueryError
 */
export function parseQuery(query: string): string[] {
  if (query.length > QUERY_LENGTH) throw new QueryError(`longer than ${QUERY_LENGTH} characters`);
  const keys: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < query.length) {
    if (query[at] === '.') {
      at += 1;
      continue;
    }
    const open = query[at] === '[' && { quote: /^\[\s*["']/.test(query.slice(at)), start: at };
    const match = open ? take(open.quote ? QUOTED : BARE) : take(NAME);
    if (!match && open) throw new QueryError(`missing ] for the [ at ${open.start}`);
    if (!match)
      throw new QueryError(`unexpected token '${String.fromCodePoint(query.codePointAt(at) ?? 0)}' at ${at}`);
    if (open && !open.quote && (match[1] ?? '').trim() === '')
      throw new QueryError(`empty [] at ${open.start}`);
    keys.push(open ? keyIn(match, open.quote) : match[0]);
  }
  return keys;
}

/** What a value holds under these keys; undefined when it is not there. Only what the value has itself is found. */
export function select(value: JsonValue, keys: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined;
    else at = Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** A path such as `/items/0/a%20b` as a query. Segments are percent-decoded; an escape that is none is kept. */
export function pathToQuery(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => keyToQuery(decoded(segment)))
    .join('');
}

/** A percent-decoded text; as it is when it cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function keyToQuery(key: string): string {
  if (/^\d+$/.test(key)) return `[${key}]`;
  if (/^[A-Za-z0-9_-]+$/.test(key)) return `.${key}`;
  return `['${key.replace(/['\\]/g, '\\$&')}']`;
}

function keyIn(match: RegExpExecArray, quote: boolean): string {
  if (!quote) return (match[1] ?? '').trim();
  return (match[1] ?? match[2] ?? '').replace(/\\(["'\\])/g, '$1');
}
