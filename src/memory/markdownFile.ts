/**
 * One entry as a Markdown file: front matter (name, description, type and what else must survive), then the content.
 *
 *     ---
 *     name: use-zod
 *     description: Use Zod for validation
 *     type: project
 *     category: decision
 *     tags:
 *       - api
 *     created: 2026-07-12T09:00:00.000Z
 *     ---
 *
 *     Use Zod for validation
 */
import { parse, stringify } from 'yaml';
import { type Level, parseLevel } from '../policy/level.ts';
import { CATEGORIES, type Category, type Entry, IMPORTANCE, type Importance } from './entry.ts';
import { clip } from './line.ts';
import { withMarks, withoutMarks } from './markdownConflict.ts';
import { comparableText, normalizeKey, normalizeTags } from './operation.ts';

/** What the memory of seed 002 calls an entry's kind. */
export const TYPES = ['user', 'feedback', 'project', 'reference'] as const;
export type FileType = (typeof TYPES)[number];

/** The part of an entry that its file holds. */
export interface FileEntry {
  readonly key: string;
  readonly level: Level;
  readonly content: string;
  /** Texts that were saved beside the content and are shown with it, oldest first. */
  readonly additions: readonly string[];
  readonly category: Category;
  readonly tags: readonly string[];
  readonly links: readonly string[];
  readonly file: string;
  readonly pathScope: string;
  readonly importance: Importance | undefined;
  readonly pinned: boolean;
  /** Epoch milliseconds, as `created`. */
  readonly expires: number | undefined;
}

/** What a file says. A description is not part of the content unless a person made it up (see `contentOf`). */
export interface ReadFile extends Omit<FileEntry, 'key' | 'level' | 'content'> {
  /** Undefined where the file names none. */
  readonly name: string | undefined;
  /** Undefined: the folder's own. */
  readonly level: Level | undefined;
  readonly description: string;
  readonly body: string;
  readonly created: number | undefined;
  /** Lines of the front matter that are not ours, which stay in the file. */
  readonly others: ReadonlyMap<string, unknown>;
}

const ADDED = '<!-- lodeline: added -->';
const ADDED_LINE = /^<!-- lodeline: added -->[ \t]*$/;
const LIKE_ADDED = /^\\*<!-- lodeline: added -->/;
const FIRST_LINE = 120;
const MAX_FRONT = 65_536;
const OURS = new Set(
  'name description type category level tags links file scope importance pinned expires created'.split(' '),
);

/** The type of an entry: what a tag says it is, else what agents are told to name such keys. */
function typeOf({ key, tags }: Pick<FileEntry, 'key' | 'tags'>): FileType {
  const tagged = TYPES.find((type) => tags.includes(type));
  if (tagged !== undefined) return tagged;
  if (/^(?:user|pref)-/.test(key)) return 'user';
  return key.startsWith('rule-') ? 'feedback' : 'project';
}

/** What an index says of a content: its first line. */
export function describe(content: string): string {
  const first = content.split(/\r\n?|\n/).find((line) => line.trim() !== '') ?? '';
  return clip(first.replace(/^#+\s+/, ''), FIRST_LINE);
}

/**
 * The file of an entry.
 * @param home the folder's default level, which is not written
 * @param others see `ReadFile`
 */
export function fileText(
  entry: FileEntry & { readonly created: number },
  home: Level,
  others: ReadonlyMap<string, unknown> = new Map(),
): string {
  const front = {
    name: entry.key.toWellFormed(),
    description: describe(entry.content).toWellFormed(),
    type: typeOf(entry),
    category: entry.category,
    ...(entry.level === home ? {} : { level: entry.level }),
    ...list('tags', entry.tags),
    ...list('links', entry.links),
    ...(entry.file === '' ? {} : { file: entry.file.toWellFormed() }),
    ...(entry.pathScope === '' ? {} : { scope: entry.pathScope.toWellFormed() }),
    ...(entry.importance === undefined ? {} : { importance: entry.importance }),
    ...(entry.pinned ? { pinned: true } : {}),
    ...(entry.expires === undefined ? {} : { expires: new Date(entry.expires).toISOString() }),
    created: new Date(entry.created).toISOString(),
    ...Object.fromEntries(others),
  };
  // On one line each, so that no name or description can pretend to be another field.
  const yaml = stringify(front, { lineWidth: 0, blockQuote: false });
  const texts = [entry.content, ...entry.additions].map((text) => inert(tidy(text)));
  return `---\n${yaml}---\n\n${texts.join(`\n\n${ADDED}\n\n`)}\n`;
}

/** Reads a file; a text instead says why it cannot be. */
export function readFileText(given: string): ReadFile | string {
  const text = tidyBreaks(given.replace(/^\uFEFF/, ''));
  const parts = split(text);
  if (parts === undefined) return 'its front matter has no end';
  const fields = fieldsOf(parts.front);
  if (fields === undefined) return 'its front matter cannot be read';
  const [body = '', ...additions] = textsOf(parts.body);
  const description = textIn(fields, 'description');
  if (body === '' && description === '') return 'it is empty';
  const name = textIn(fields, 'name');
  const level = textIn(fields, 'level');
  if (level !== '' && parseLevel(level) === undefined) return 'its level is none';
  const tags = normalizeTags(namesIn(fields, 'tags'));
  const type = TYPES.find((each) => each === textIn(fields, 'type'));
  const isTyped = type === undefined || typeOf({ key: name, tags }) === type;
  return {
    name: name === '' ? undefined : normalizeKey(name),
    level: parseLevel(level),
    description,
    body,
    additions: additions.filter((each) => each !== ''),
    category: CATEGORIES.find((each) => each === textIn(fields, 'category')) ?? 'knowledge',
    tags: isTyped ? tags : [...tags.filter((tag) => !TYPES.some((each) => each === tag)), type],
    links: [...new Set(namesIn(fields, 'links').map(normalizeKey))].filter(Boolean),
    file: textIn(fields, 'file'),
    pathScope: textIn(fields, 'scope'),
    importance: IMPORTANCE.find((each) => each === textIn(fields, 'importance')),
    pinned: textIn(fields, 'pinned') === 'true',
    expires: momentIn(fields, 'expires'),
    created: momentIn(fields, 'created'),
    others: new Map([...fields].filter(([field]) => !OURS.has(field))),
  };
}

/**
 * The content that a file means. Its description is made of the content, and nobody keeps it true who edits the text:
 * so it counts only where it says something that no text of the entry began with.
 * @param known texts that the entry has or had
 * @param isOwn whether this description counted when the file was last looked at
 */
export function contentOf(
  { description, body }: Pick<ReadFile, 'description' | 'body'>,
  known: readonly string[],
  isOwn: boolean,
): { readonly content: string; readonly isOwn: boolean } {
  if (body === '') return { content: description, isOwn: false };
  const isMade = (text: string): boolean => comparableText(describe(text)) === comparableText(description);
  if (description === '' || isMade(body) || (!isOwn && known.some(isMade)))
    return { content: body, isOwn: false };
  return { content: `${description}\n\n${body}`, isOwn: true };
}

/** Whether a file's description was not made of its text. */
export function describesAnother({ description, body }: Pick<ReadFile, 'description' | 'body'>): boolean {
  return description !== '' && body !== '' && comparableText(describe(body)) !== comparableText(description);
}

/** The part of an entry that a file holds; what an agent added and nobody has read is not for others. */
export function fileEntryOf(entry: Omit<Entry, 'used' | 'lastUsed'>): FileEntry {
  const { key, level, content, category, tags, links, file, pathScope, importance, pinned, expires } = entry;
  const additions = entry.revisions
    .filter(({ addition, actor }) => addition && actor === 'person')
    .map(({ text }) => text)
    .reverse();
  return {
    ...{ key, level, content, additions, category, file, pathScope, importance, pinned, expires },
    ...{ tags: [...tags].sort(), links: [...links].sort() },
  };
}

/** Texts as they are compared: without what a file cannot hold. */
export function comparable(text: string): string {
  return comparableText(tidy(text));
}

function tidy(text: string): string {
  // Not by an expression: a file may hold a million blanks before its last letter.
  return tidyBreaks(text.toWellFormed())
    .trimEnd()
    .replace(/^(?:[ \t]*\n)+/, '');
}

function tidyBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Without lines that would be read as something else than text. */
function inert(text: string): string {
  return withoutMarks(text)
    .split('\n')
    .map((line) => (LIKE_ADDED.test(line) ? `\\${line}` : line))
    .join('\n');
}

function textsOf(body: string): string[] {
  const texts: string[][] = [[]];
  for (const line of body.split('\n')) {
    if (ADDED_LINE.test(line)) texts.push([]);
    else texts.at(-1)?.push(line.startsWith('\\') && LIKE_ADDED.test(line) ? line.slice(1) : line);
  }
  return texts.map((lines) => withMarks(tidy(lines.join('\n'))));
}

function split(text: string): { front: string; body: string } | undefined {
  if (!/^---[ \t]*\n/.test(text)) return { front: '', body: text };
  const start = text.indexOf('\n') + 1;
  const end = /^---[ \t]*$/m.exec(text.slice(start, start + MAX_FRONT));
  if (end === null) return undefined;
  return {
    front: text.slice(start, start + end.index),
    body: text.slice(start + end.index + end[0].length),
  };
}

function fieldsOf(front: string): Map<string, unknown> | undefined {
  if (front.trim() === '') return new Map();
  try {
    const value: unknown = parse(front, { schema: 'failsafe', mapAsMap: true, logLevel: 'error' });
    return value instanceof Map ? new Map([...value].map(([name, each]) => [String(name), each])) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(fields: ReadonlyMap<string, unknown>, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function namesIn(fields: ReadonlyMap<string, unknown>, name: string): string[] {
  const value = fields.get(name);
  if (Array.isArray(value))
    return value.filter((each) => typeof each === 'string').map((each) => each.trim());
  return typeof value === 'string' ? value.split(',').map((each) => each.trim()) : [];
}

function momentIn(fields: ReadonlyMap<string, unknown>, name: string): number | undefined {
  const time = Date.parse(textIn(fields, name));
  return Number.isNaN(time) ? undefined : time;
}

function list(name: string, values: readonly string[]) {
  return values.length === 0 ? {} : { [name]: [...values].map((each) => each.toWellFormed()).sort() };
}
