/**
 * The text of toon-memory's `.toon` files: a header, one row of fields a memory, summaries of files. It is a format of
 * that tool's own; only positions count, the header's names do not.
 */

/** Places of the fields in a row, as toon-memory 4.3 writes them. */
export const FIELDS = [
  'id',
  'category',
  'key',
  'content',
  'file',
  'tags',
  'date',
  'ttl',
  'accessed',
  'links',
  'quality',
  'confidence',
  'lastAccessed',
  'pinned',
  'pathScope',
  'origin',
  'status',
  'supersededOn',
  'importance',
  'evidence',
] as const;
export type FieldName = (typeof FIELDS)[number];

/** toon-memory's header names the first 14 fields only. */
const HEADER_FIELDS =
  'id|category|key|content|file|tags|date|ttl|accessed|links|quality|confidence|lastAccessed|pinned';
/** A row says at least what it is, in what category and under which key. */
const LEAST_FIELDS = 3;
const VERSION = '1';

export type ToonRow = Readonly<Record<FieldName, string>>;

/** A line of a file, counted from 1. */
export interface ToonLine {
  readonly line: number;
  /** As it stands in the file. */
  readonly raw: string;
}

export interface ToonFile {
  /** The header is that of an archive. */
  readonly isArchive: boolean;
  /** How many rows the header promises; undefined when it says none. */
  readonly promised: number | undefined;
  readonly rows: readonly (ToonLine & { readonly row: ToonRow })[];
  readonly summaries: readonly (ToonLine & { readonly file: string; readonly text: string })[];
  readonly damaged: readonly (ToonLine & { readonly reason: string; readonly isSummary: boolean })[];
}

/** It is none of these files; `reason` says what was looked for. */
export class ToonError extends Error {
  override readonly name = 'ToonError';
}

const HEADER = /^(?:(entries|archived))?\[(\d*)\|?\](?:\{[^}]*\})?:\s*$/;
const SUMMARIES = /^ {0,2}summaries:\s*$/;

/**
 * Reads the text of a file. A damaged line harms only itself and is told with its number.
 * @throws ToonError when the text has no header of such a file, or one of a version that is not known
 */
export function parseToon(text: string): ToonFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const rows: ToonFile['rows'][number][] = [];
  const summaries: ToonFile['summaries'][number][] = [];
  const damaged: ToonFile['damaged'][number][] = [];
  let header: RegExpExecArray | undefined;
  let isInSummaries = false;
  for (const [index, raw] of lines.entries()) {
    const at = { line: index + 1, raw };
    const found = HEADER.exec(raw);
    if (found !== null) {
      header ??= found;
      isInSummaries = false;
    } else if (SUMMARIES.test(raw)) isInSummaries = true;
    else if (raw.trim() === '' || isPreamble(raw, header !== undefined)) continue;
    else if (header === undefined) throw noToon(raw);
    else if (isInSummaries && !isRow(raw)) {
      const summary = readSummary(raw);
      if (summary === undefined) damaged.push({ ...at, reason: 'is no summary of a file', isSummary: true });
      else summaries.push({ ...at, ...summary });
    } else {
      const row = readRow(raw);
      if (typeof row === 'string') damaged.push({ ...at, reason: row, isSummary: false });
      else rows.push({ ...at, row });
    }
  }
  if (header === undefined) throw noToon('');
  const promised = header[2] === '' ? undefined : Number(header[2]);
  return { isArchive: header[1] === 'archived', promised, rows, summaries, damaged };
}

/** What stands before the header: the version, and the name of an archive's list. */
function isPreamble(raw: string, hasHeader: boolean): boolean {
  const version = /^version:\s*(\S*)\s*$/.exec(raw);
  if (version !== null && version[1] !== VERSION)
    throw new ToonError(`it is of version ${version[1]?.slice(0, 20)}, and version ${VERSION} is known`);
  return version !== null || (!hasHeader && /^archived:\s*$/.test(raw));
}

function noToon(line: string): ToonError {
  const found = line === '' ? '' : `, and it begins with something else`;
  return new ToonError(`it has no "entries[…]:" or "[…]:" line${found}`);
}

function readRow(raw: string): ToonRow | string {
  if (!raw.startsWith('  ')) return 'stands outside the rows, which are indented by two spaces';
  const fields = splitFields(raw.trim());
  if (fields.length < LEAST_FIELDS) return `has ${fields.length} of at least ${LEAST_FIELDS} fields`;
  if (fields.length > FIELDS.length)
    return `has ${fields.length} fields, and ${FIELDS.length} are known: a "|" in a text may lack its backslash`;
  return Object.fromEntries(FIELDS.map((name, place) => [name, fields[place] ?? ''])) as Record<
    FieldName,
    string
  >;
}

/** A row that was put after the summaries; a summary may hold a `|`, too. */
function isRow(raw: string): boolean {
  return /^ {2}[0-9a-f]{8}\|(?:decision|pattern|bug|knowledge|warning)\|/.test(raw);
}

function readSummary(raw: string): { file: string; text: string } | undefined {
  const line = raw.trim();
  const colon = line.indexOf(': ');
  if (!raw.startsWith('  ') || colon < 1) return undefined;
  // A path may be one of Windows, in which a backslash before an n is no line break.
  const file = line.slice(0, colon).replace(/\\([\\|])/g, '$1');
  return { file, text: unescapeField(line.slice(colon + 2)) };
}

/** `a|b\|c` → `a`, `b|c` */
export function splitFields(line: string): string[] {
  const fields: string[] = [];
  let from = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === '|') {
      fields.push(unescapeField(line.slice(from, at)));
      from = at + 1;
    }
  }
  return [...fields, unescapeField(line.slice(from))];
}

/** Takes the escapes `\\`, `\n` and `\|` out; any other backslash stays as it is. */
export function unescapeField(field: string): string {
  return field.replace(/\\([\\n|])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

/** The field as it stands in a row. Every line break becomes the one that the format has. */
export function escapeField(field: string): string {
  return normalizeToonText(field).replace(/[\\|\n]/g, (letter) => (letter === '\n' ? '\\n' : `\\${letter}`));
}

/** What of a text the format keeps: one kind of line break, and no halves of characters. */
export function normalizeToonText(text: string): string {
  return text.replace(/\r\n?/g, '\n').toWellFormed();
}

/** The line of a row. */
export function rowLine(row: ToonRow): string {
  return `  ${FIELDS.map((name) => escapeField(row[name])).join('|')}`;
}

/** The line of a summary, or undefined for a path that the format cannot name. */
export function summaryLine({ file, text }: { file: string; text: string }): string | undefined {
  if (/: |[\r\n]/.test(file) || file.trim() !== file || file === '') return undefined;
  return `  ${file.toWellFormed().replace(/[\\|]/g, '\\$&')}: ${escapeField(text)}`;
}

/** The text of a file with these lines in it. */
export function toonText(rows: readonly string[], summaries: readonly string[]): string {
  return [
    `version: ${VERSION}`,
    `entries[${rows.length}|]{${HEADER_FIELDS}}:`,
    ...rows,
    ...(summaries.length > 0 ? ['', 'summaries:', ...summaries] : []),
    '',
  ].join('\n');
}
