/**
 * JSON as people keep it in configuration files, with comments and trailing commas, by where each part stands in the
 * text: what is changed is a few characters, and everything else stays as its owner wrote it.
 */

interface Base {
  /** Where it begins in the text. */
  readonly start: number;
  /** Just behind it. */
  readonly end: number;
}

interface JsonItem {
  /** Of a member its name; undefined in a list. */
  readonly key: string | undefined;
  /** Where the item begins: a member with its name. */
  readonly start: number;
  readonly value: JsonNode;
  /** Where the comma behind it is; undefined when there is none. */
  readonly comma: number | undefined;
}

export interface JsonContainer extends Base {
  readonly kind: 'object' | 'list';
  readonly items: readonly JsonItem[];
  /** Just behind the last comma, value or comment before the closing bracket. */
  readonly contentEnd: number;
}

interface JsonScalar extends Base {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}

export type JsonNode = JsonContainer | JsonScalar;

/** A text that is not JSON; the message says where. */
class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** No configuration is deeper, and the reader calls itself. */
const MAX_DEPTH = 100;
const SPACE = /[ \t\r\n]*/y;
const COMMENT = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /"(?:[^"\\\r\n]|\\.)*"/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Where the parts of a JSON text stand. A byte order mark may come first. @throws JsonError */
export function parseJson(text: string): JsonNode {
  return new Parser(text).document();
}

/** The value of a part. Of two members of one name the later counts, as for every reader. */
export function jsonValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(({ value }) => jsonValue(value));
  // Defined, not assigned: a member may be called `__proto__`.
  const object: Record<string, unknown> = {};
  for (const { key, value } of node.items)
    Object.defineProperty(object, key ?? '', {
      ...{ value: jsonValue(value), enumerable: true, configurable: true, writable: true },
    });
  return object;
}

class Parser {
  readonly #text: string;
  #at: number;
  /** Just behind the last token or comment. */
  #mark = 0;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  document(): JsonNode {
    this.#skip();
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('there is something behind the end');
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    const start = this.#at;
    const bracket = this.#text[start];
    if (bracket === '{' || bracket === '[') return this.#container(bracket === '{', depth);
    const text = this.#take(STRING) ?? this.#take(LITERAL);
    if (text === undefined) return this.#fail('a value is expected');
    return { kind: 'scalar', start, end: this.#at, value: this.#scalar(text) };
  }

  #container(isObject: boolean, depth: number): JsonContainer {
    const start = this.#at;
    const close = isObject ? '}' : ']';
    this.#step();
    const items: JsonItem[] = [];
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      if (items.length > 0 && items.at(-1)?.comma === undefined) this.#fail(`"," or "${close}" is expected`);
      const itemStart = this.#at;
      const key = isObject ? this.#key() : undefined;
      const value = this.#value(depth + 1);
      this.#skip();
      const comma = this.#text[this.#at] === ',' ? this.#at : undefined;
      if (comma !== undefined) this.#step();
      items.push({ key, start: itemStart, value, comma });
    }
    const contentEnd = this.#mark;
    this.#step();
    return { kind: isObject ? 'object' : 'list', start, end: this.#at, items, contentEnd };
  }

  #key(): string {
    const key = this.#take(STRING);
    if (key === undefined) return this.#fail('a name in quotes is expected');
    this.#skip();
    if (this.#text[this.#at] !== ':') this.#fail('":" is expected');
    this.#step();
    this.#skip();
    return String(this.#scalar(key));
  }

  #scalar(text: string): JsonScalar['value'] {
    try {
      return JSON.parse(text);
    } catch {
      return this.#fail('a text holds what it must not');
    }
  }

  #step(): void {
    this.#at++;
    this.#mark = this.#at;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    this.#mark = this.#at;
    return found;
  }

  #skip(): void {
    do {
      SPACE.lastIndex = this.#at;
      this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
    } while (this.#take(COMMENT) !== undefined);
  }

  #fail(reason: string): never {
    throw new JsonError(`line ${this.#text.slice(0, this.#at).split(/\r\n|\r|\n/).length}: ${reason}`);
  }
}
