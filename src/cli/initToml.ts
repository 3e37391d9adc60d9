/**
 * Reads TOML 1.0 as far as configuration and package manifests need it: all of its syntax, so that a broken file is
 * known for broken. Numbers and dates are kept as they are written, since nobody here computes with them.
 */

export type TomlTable = { [key: string]: unknown };

/** A text that is not TOML; the message says where. */
class TomlError extends Error {
  override readonly name = 'TomlError';
}

/** No file is deeper, and the reader calls itself. */
const MAX_DEPTH = 100;
const BLANK = /[ \t]*/y;
const COMMENT = /#[^\r\n]*/y;
const LINE_END = /\r?\n/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BASIC = /"((?:[^"\\\r\n]|\\(?:[btnfr"\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}))*)"/y;
const LITERAL = /'([^'\r\n]*)'/y;
const LONG_BASIC = /"""(?:\r?\n)?((?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{0,2})"""/y;
const LONG_LITERAL = /'''(?:\r?\n)?((?:[^']|'{1,2}(?!'))*'{0,2})'''/y;
const ESCAPE = /\\(?:(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})|[ \t]*\r?\n\s*|([\s\S]))/g;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' },
};
const BOOLEAN = /(?:true|false)(?![\w.+-])/y;
const DATE_TIME =
  /(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?![\w.+-])/y;
const NUMBER =
  /(?:0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*|[+-]?(?:inf|nan|(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?))(?![\w.+-])/y;

/** What a TOML text says. Tables have no prototype. @throws TomlError */
export function parseToml(text: string): TomlTable {
  return new Reader(text).document();
}

class Reader {
  readonly #text: string;
  #at: number;
  readonly #root = newTable();
  /** Tables and lists that are complete: nothing may be added to them. */
  readonly #closed = new Set<unknown>();
  /** Tables that a header of their own began, or dotted names. */
  readonly #begun = new Set<unknown>();
  /** Lists whose tables each have a header. */
  readonly #tableLists = new Set<unknown>();

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  document(): TomlTable {
    let table = this.#root;
    for (;;) {
      this.#take(BLANK);
      if (this.#at >= this.#text.length) return this.#root;
      if (this.#text[this.#at] === '[') table = this.#header();
      else if (!this.#isAtLineEnd()) this.#pair(table, 0);
      this.#endLine();
    }
  }

  #header(): TomlTable {
    const isList = this.#text.startsWith('[[', this.#at);
    this.#at += isList ? 2 : 1;
    const path = this.#keys();
    this.#expect(isList ? ']]' : ']');
    const name = path.pop() ?? '';
    let table = this.#root;
    for (const key of path) {
      table[key] ??= newTable();
      table = this.#tableIn(table[key], key);
    }
    const known = table[name];
    if (!isList) {
      const own = known === undefined ? newTable() : known;
      if (!isTable(own) || this.#closed.has(own) || this.#begun.has(own))
        return this.#fail(`"${name}" is there already`);
      table[name] = own;
      this.#begun.add(own);
      return own;
    }
    if (known !== undefined && !this.#tableLists.has(known)) this.#fail(`"${name}" is no list of tables`);
    const list = (known ?? []) as TomlTable[];
    const item = newTable();
    this.#begun.add(item);
    list.push(item);
    this.#tableLists.add(list);
    table[name] = list;
    return item;
  }

  #tableIn(value: unknown, key: string): TomlTable {
    const table = this.#tableLists.has(value) ? (value as TomlTable[]).at(-1) : value;
    if (!isTable(table) || this.#closed.has(table)) return this.#fail(`"${key}" is no table that can grow`);
    return table;
  }

  #pair(into: TomlTable, depth: number): void {
    const path = this.#keys();
    const name = path.pop() ?? '';
    let table = into;
    for (const key of path) {
      const known = table[key];
      if (known === undefined) {
        const made = newTable();
        this.#begun.add(made);
        table[key] = made;
        table = made;
      } else table = this.#tableIn(known, key);
    }
    if (table[name] !== undefined) this.#fail(`"${name}" is there already`);
    this.#expect('=');
    this.#take(BLANK);
    table[name] = this.#value(depth);
  }

  #keys(): string[] {
    const keys: string[] = [];
    do {
      this.#take(BLANK);
      keys.push(this.#take(BARE_KEY)?.[0] ?? this.#line() ?? this.#fail('a name is expected'));
      this.#take(BLANK);
    } while (this.#skip('.'));
    return keys;
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    if (this.#skip('[')) return this.#list(depth);
    if (this.#skip('{')) return this.#inlineTable(depth);
    const long = this.#take(LONG_BASIC)?.[1];
    if (long !== undefined) return this.#unescaped(long);
    const text = this.#take(LONG_LITERAL)?.[1] ?? this.#line();
    if (text !== undefined) return text;
    const boolean = this.#take(BOOLEAN)?.[0];
    if (boolean !== undefined) return boolean === 'true';
    return (this.#take(DATE_TIME) ?? this.#take(NUMBER))?.[0] ?? this.#fail('a value is expected');
  }

  /** A string on one line. */
  #line(): string | undefined {
    const basic = this.#take(BASIC)?.[1];
    return basic === undefined ? this.#take(LITERAL)?.[1] : this.#unescaped(basic);
  }

  #unescaped(text: string): string {
    return text.replace(ESCAPE, (_, code?: string, letter?: string) => {
      if (code !== undefined) {
        const point = Number.parseInt(code.slice(1), 16);
        return point > 0x10ffff ? this.#fail('there is no such character') : String.fromCodePoint(point);
      }
      if (letter === undefined) return '';
      return ESCAPES[letter] ?? this.#fail(`"\\${letter}" means nothing`);
    });
  }

  #list(depth: number): unknown[] {
    const list: unknown[] = [];
    this.#closed.add(list);
    for (;;) {
      this.#skipLines();
      if (this.#skip(']')) return list;
      list.push(this.#value(depth + 1));
      this.#skipLines();
      if (!this.#skip(',') && this.#text[this.#at] !== ']') this.#fail('"," or "]" is expected');
    }
  }

  #inlineTable(depth: number): TomlTable {
    const table = newTable();
    this.#take(BLANK);
    if (!this.#skip('}')) {
      do this.#pair(table, depth + 1);
      while (this.#separated());
      this.#expect('}');
    }
    this.#close(table);
    return table;
  }

  #separated(): boolean {
    this.#take(BLANK);
    return this.#skip(',');
  }

  /** Also what dotted names made in it. */
  #close(table: TomlTable): void {
    this.#closed.add(table);
    for (const value of Object.values(table))
      if (isTable(value) && !this.#closed.has(value)) this.#close(value);
  }

  #skipLines(): void {
    do {
      this.#take(BLANK);
      this.#take(COMMENT);
    } while (this.#take(LINE_END) !== undefined);
  }

  #isAtLineEnd(): boolean {
    return /[#\r\n]/.test(this.#text[this.#at] ?? '\n');
  }

  #endLine(): void {
    this.#take(BLANK);
    this.#take(COMMENT);
    if (this.#at < this.#text.length && this.#take(LINE_END) === undefined)
      this.#fail('something is there that does not belong to the line');
  }

  #expect(sign: string): void {
    this.#take(BLANK);
    if (!this.#skip(sign)) this.#fail(`"${sign}" is expected`);
  }

  #skip(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  #fail(reason: string): never {
    throw new TomlError(`line ${this.#text.slice(0, this.#at).split('\n').length}: ${reason}`);
  }
}

function newTable(): TomlTable {
  return Object.create(null);
}

/** Whether a value of a TOML text is a table. */
export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
