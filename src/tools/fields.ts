/** Input fields that several tools share, with the words that tell a model how to fill them. */
import { z } from 'zod';
import { CATEGORIES, type EntryFilter, IMPORTANCE } from '../memory/entry.ts';
import { oneLine } from '../memory/line.ts';
import { normalizeTags } from '../memory/operation.ts';
import { parseMoment } from '../memory/ttl.ts';
import { ToolError } from './tool.ts';

/** More is a file, not a memory: the answer says to summarise. In UTF-16 units. */
const MAX_CONTENT = 1_000_000;
const MAX_KEY = 200;
const MAX_NAME = 256;
const MAX_NAMES = 64;
const MAX_IDS = 500;

export const category = z.enum(CATEGORIES);
export const importance = z.enum(IMPORTANCE);

export const key = z
  .string()
  .max(MAX_KEY, `key is longer than ${MAX_KEY} characters: use a short name such as "use-zod"`)
  .refine((value) => value.trim() !== '', 'key is empty: give the memory a short name such as "use-zod"')
  .refine(
    (value) => !/\p{Cc}/u.test(value),
    'key contains control characters: use letters, digits and dashes',
  );

export const content = z
  .string()
  .max(
    MAX_CONTENT,
    `content is longer than ${MAX_CONTENT} characters: save a summary and name the file it came from`,
  )
  .refine((value) => value.trim() !== '', 'content is empty: say what is to be remembered');

const TARGET = `name the memory by its key or id, at most ${MAX_KEY} characters`;

export const target = z.string(TARGET).min(1, TARGET).max(MAX_KEY, TARGET);

/** Text that memory is searched with. */
export const text = z.string().max(MAX_CONTENT);
export const query = text.default('');

/** `a;b` (also with commas) or an array. */
export const names = list(MAX_NAMES, 8192, 'give "a;b" or an array', (text) => text.split(/[;,\n]/u));

/** Keys and ids, separated by commas, spaces or semicolons, or an array. A quoted key may hold any of these. */
export const idList = list(MAX_IDS, 65_536, 'give "key,id" or an array', (text) =>
  (text.match(/"[^"]*"|[^;,\s]+/gu) ?? []).map((name) => name.replace(/^"(.*)"$/su, '$1')),
);

function list(most: number, longest: number, give: string, split: (text: string) => string[]) {
  const message = `${give}: at most ${most} names of at most ${MAX_NAME} characters`;
  const name = z.string(message).max(MAX_NAME, message);
  return z
    .union([z.string().max(longest, message), z.array(name).max(most, message)], message)
    .transform((value) =>
      (typeof value === 'string' ? split(value) : value).map((each) => each.trim()).filter(Boolean),
    )
    .refine((found) => found.length <= most && found.every((each) => each.length <= MAX_NAME), message);
}

export const file = z
  .string()
  .max(4096)
  .refine((value) => !value.includes('\0'), 'file contains a NUL character');

const MAX_SUMMARY = 20_000;

/** Of a file. */
export const summary = z
  .string()
  .max(MAX_SUMMARY, `summary is longer than ${MAX_SUMMARY} characters: shorten it`);

export const ttl = z.string().max(64);

export const limit = z.int().min(1, 'limit starts at 1').max(1000, 'limit ends at 1000');

export const pathScope = z.string().max(1000);

export const date = z.string().max(64);

/** The moment a `since` or date filter names; throws a `ToolError` for anything else. */
export function moment(text: string, name: string, now: number, edge: 'start' | 'end'): number {
  const time = parseMoment(text, now, edge);
  if (time === undefined) {
    throw new ToolError(
      `${name}: "${oneLine(text)}" is not a date. Use hours or days back ("24h", "7d") or an ISO date ("2026-07-01").`,
    );
  }
  return time;
}

interface FilterInput {
  readonly category?: EntryFilter['category'];
  readonly tags?: readonly string[] | undefined;
  readonly from_date?: string | undefined;
  readonly to_date?: string | undefined;
  readonly pathScope?: string | undefined;
  readonly path_scope?: string | undefined;
  /** Look among what was archived instead. */
  readonly archived?: boolean | undefined;
}

/** The filter that the seed's filter parameters mean. Empty strings mean "not given", as models send them. */
export function toFilter(input: FilterInput, now: number): EntryFilter {
  const scope = input.pathScope || input.path_scope;
  return {
    category: input.category,
    tags: input.tags === undefined || input.tags.length === 0 ? undefined : normalizeTags(input.tags),
    from: input.from_date ? moment(input.from_date, 'from_date', now, 'start') : undefined,
    to: input.to_date ? moment(input.to_date, 'to_date', now, 'end') : undefined,
    pathScope: scope || undefined,
    status: input.archived === true ? 'archived' : undefined,
  };
}
