/** Markdown as other agents' memories use it: front matter, sections, and keys made of names. */
import { parse } from 'yaml';
import { oneLine } from './line.ts';

/** A file of another tool, as text. */
export interface ForeignFile {
  /** From the folder that was read, with slashes. */
  readonly path: string;
  readonly text: string;
  /** From the workspace folder, where it lies there. */
  readonly own?: string | undefined;
  /** When it was last changed, epoch milliseconds. */
  readonly at?: number | undefined;
}

export interface FrontMatter {
  /** All values as texts, lists or tables of texts. */
  readonly fields: ReadonlyMap<string, unknown>;
  readonly body: string;
  /** There is front matter, and it is not readable. */
  readonly isBroken: boolean;
}

/** Keys of memories are at most so long. */
const MAX_KEY = 200;
/** More is no front matter. */
const MAX_FRONT = 65_536;
const FRONT = /^---[ \t]*\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/;

/** Splits a text into its front matter and the rest. Line breaks become `\n`. */
export function readFrontMatter(given: string): FrontMatter {
  const text = given.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const [whole = '', front = ''] = FRONT.exec(text.slice(0, MAX_FRONT)) ?? [];
  if (whole === '') return { fields: new Map(), body: text, isBroken: false };
  const body = text.slice(whole.length);
  try {
    const value: unknown = parse(front, { schema: 'failsafe', mapAsMap: true });
    const fields =
      value instanceof Map ? new Map([...value].map(([name, each]) => [String(name), each])) : undefined;
    return { fields: fields ?? new Map(), body, isBroken: fields === undefined && front.trim() !== '' };
  } catch {
    return { fields: new Map(), body, isBroken: true };
  }
}

/** The text of a field; undefined when it has none. */
export function textField(fields: FrontMatter['fields'], name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** `[a, b]`, or `a, b` → `a`, `b`, without the `#` of tags. */
export function listField(fields: FrontMatter['fields'], name: string): string[] {
  const value = fields.get(name);
  const parts = Array.isArray(value)
    ? value.filter((each) => typeof each === 'string')
    : String(value ?? '').split(',');
  return parts.map((part) => part.trim().replace(/^#/, '')).filter(Boolean);
}

export interface Section {
  /** Empty for what stands before the first heading. */
  readonly heading: string;
  readonly text: string;
}

/** Sections of a text by its headings of the first two ranks; fenced code holds none. */
export function sectionsOf(body: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence)) fence = undefined;
    const heading = fence === undefined ? headingOf(line) : undefined;
    if (heading !== undefined) sections.push({ heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections
    .map(({ heading, lines }) => ({ heading, text: lines.join('\n').trim() }))
    .filter(({ text }) => text !== '');
}

/** The words of a heading of the first two ranks, without the marks that may close it. */
export function headingOf(line: string): string | undefined {
  const words = /^#{1,2}[ \t]+(\S.*)$/.exec(line)?.[1];
  // So long a heading is cut in the key anyway.
  return words
    ?.slice(0, MAX_KEY * 2)
    .trimEnd()
    .replace(/[ \t]#+$/, '')
    .trimEnd();
}

/** A key that names something of another tool: on one line, and no longer than keys are. */
export function keyOf(...parts: readonly string[]): string {
  const key = parts
    .map((part) => oneLine(part).trim())
    .filter(Boolean)
    .join('#');
  // Never half a character at the end.
  return key.length > MAX_KEY ? key.slice(0, MAX_KEY).replace(/[\uD800-\uDBFF]$/, '') : key;
}
