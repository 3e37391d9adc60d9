/**
 * What a model wrote as arguments of `Compress`, taken as far as it can be understood: in a fence, with commas too
 * many, with raw line feeds in its texts, as a text within a text, or broken off before its end.
 */
import type { JsonValue } from '../../journal/record.ts';

export interface FoldRange {
  readonly startId: string;
  readonly endId: string;
  readonly summary: string;
  readonly topic: string;
  /** Its place in what the model wrote, from 1. */
  readonly item: number;
}

export interface InvalidItem {
  readonly item: number;
  readonly reason: string;
}

export type FoldInput =
  | {
      readonly kind: 'ok';
      readonly ranges: readonly FoldRange[];
      readonly invalid: readonly InvalidItem[];
      /** The end is missing: these are the ranges that had come by then. */
      readonly isCut: boolean;
    }
  | { readonly kind: Problem; readonly invalid: readonly InvalidItem[] };

export type Problem =
  | 'empty-input'
  | 'not-object'
  | 'missing-content'
  | 'content-not-array'
  | 'no-valid-ranges'
  | 'truncated'
  | 'malformed-json';

type Fields = { readonly [key: string]: JsonValue };

const FENCE = /```[\w-]*/g;
/** Of a text that broke off, so many of its last whole objects are tried. */
const ATTEMPTS = 4;
/** A text within a text within a text is a mistake that ends somewhere. */
const DEEPEST = 3;
const CONTENT_NAMES = ['content', 'ranges', 'items', 'compressions'];

/** Reads arguments, whatever they are. Never throws. */
export function parseFoldInput(written: JsonValue | undefined): FoldInput {
  const read = readValue(written, 0);
  if ('kind' in read) return { kind: read.kind, invalid: [] };
  const { value, isCut } = read;
  if (Array.isArray(value)) return rangesIn(value, '', isCut);
  if (!isObject(value)) return { kind: 'not-object', invalid: [] };
  const name = CONTENT_NAMES.find((each) => value[each] !== undefined && value[each] !== null);
  if (name === undefined) {
    if (value.startId !== undefined) return rangesIn([value], '', isCut);
    return { kind: isCut ? 'truncated' : 'missing-content', invalid: [] };
  }
  const content = unwrapped(value[name] as JsonValue, isCut);
  if (!Array.isArray(content.value) && !isObject(content.value))
    return { kind: content.isCut ? 'truncated' : 'content-not-array', invalid: [] };
  const items = Array.isArray(content.value) ? content.value : [content.value];
  return rangesIn(items, text(value.topic), content.isCut);
}

/** The arguments as an object that can be recorded; undefined when they hold no range. */
export function repairedInput(written: string): { readonly [key: string]: JsonValue } | undefined {
  const input = parseFoldInput(written);
  if (input.kind !== 'ok') return undefined;
  return { content: input.ranges.map(({ item: _, ...range }) => range) };
}

function rangesIn(items: readonly JsonValue[], topic: string, isCut: boolean): FoldInput {
  const ranges: FoldRange[] = [];
  const invalid: InvalidItem[] = [];
  items.forEach((each, at) => {
    const item = at + 1;
    const value = typeof each === 'string' ? unwrapped(each, false).value : each;
    if (!isObject(value)) {
      invalid.push({ item, reason: 'is no object with startId, endId and summary' });
      return;
    }
    const startId = text(value.startId ?? value.start);
    const endId = text(value.endId ?? value.end);
    const summary = text(value.summary);
    const missing = Object.entries({ startId, endId, summary }).flatMap(([name, has]) =>
      has === '' ? [name] : [],
    );
    if (missing.length > 0) invalid.push({ item, reason: `lacks ${missing.join(', ')}` });
    else ranges.push({ startId, endId, summary, topic: text(value.topic) || topic, item });
  });
  if (ranges.length > 0) return { kind: 'ok', ranges, invalid, isCut };
  return { kind: isCut ? 'truncated' : 'no-valid-ranges', invalid };
}

type Value = { readonly value: JsonValue; readonly isCut: boolean };
type Read = Value | { readonly kind: Problem };

function readValue(written: JsonValue | undefined, depth: number): Read {
  if (written === undefined || written === null) return { kind: 'empty-input' };
  if (typeof written !== 'string') return { value: written, isCut: false };
  if (written.replace(FENCE, '').trim() === '') return { kind: 'empty-input' };
  const read = readJson(written);
  if ('kind' in read) return read;
  if (typeof read.value !== 'string') return read.value === null ? { kind: 'empty-input' } : read;
  if (depth >= DEEPEST) return { kind: 'malformed-json' };
  const next = readValue(read.value, depth + 1);
  return 'kind' in next ? next : { value: next.value, isCut: read.isCut || next.isCut };
}

/** A value that may have been written as a text. */
function unwrapped(value: JsonValue, isCut: boolean): Value {
  if (typeof value !== 'string') return { value, isCut };
  const read = readValue(value, 1);
  return 'kind' in read ? { value, isCut } : { value: read.value, isCut: isCut || read.isCut };
}

/** JSON as models write it, with whatever stands around it. */
function readJson(written: string): Read {
  const exact = parsed(written);
  if (exact !== undefined) return { value: exact, isCut: false };
  const start = written.search(/[{[]/);
  if (start < 0) return { kind: 'malformed-json' };
  const { attempts, isCut } = mended(written.slice(start));
  for (const json of attempts) {
    const value = parsed(json);
    if (value !== undefined) return { value, isCut };
  }
  return { kind: isCut ? 'truncated' : 'malformed-json' };
}

/**
 * The first value of a text, with what it lacks put in: escapes of control characters, brackets at its end; and without
 * commas that nothing follows. Of a text that broke off there are several attempts, since what stands at its end may be
 * half of something, and half a summary is none.
 */
function mended(written: string): { attempts: string[]; isCut: boolean } {
  const open: string[] = [];
  const wholes: { length: number; rest: string }[] = [];
  const out: string[] = [];
  let isText = false;
  for (let at = 0; at < written.length; at++) {
    const char = written[at] as string;
    if (isText) {
      if (char === '\\') {
        out.push(char + (written[at + 1] ?? ''));
        at++;
      } else if (char < ' ') out.push(JSON.stringify(char).slice(1, -1));
      else {
        isText = char !== '"';
        out.push(char);
      }
      continue;
    }
    if (char === '}' || char === ']') {
      dropCommas(out);
      // A bracket of the other kind: what it was meant to end ends with the one that is open.
      const end = open.pop() as string;
      out.push(end);
      if (open.length === 0) return { attempts: [out.join('')], isCut: false };
      if (end === '}') wholes.push({ length: out.length, rest: closing(open) });
      continue;
    }
    if (char === '{') open.push('}');
    else if (char === '[') open.push(']');
    isText = char === '"';
    out.push(char);
  }
  const attempts = wholes
    .slice(-ATTEMPTS)
    .reverse()
    .map(({ length, rest }) => out.slice(0, length).join('') + rest);
  if (!isText) {
    dropCommas(out);
    attempts.unshift(out.join('') + closing(open));
  }
  return { attempts, isCut: true };
}

function dropCommas(out: string[]): void {
  while (/^[\s,]$/.test(out.at(-1) ?? '')) out.pop();
}

function closing(open: readonly string[]): string {
  return open.toReversed().join('');
}

function parsed(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return undefined;
  }
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function isObject(value: JsonValue): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
