/** Input fields that several tools share, with the words that tell a model how to fill them. */
import { z } from 'zod';
import { CATEGORIES, type EntryFilter, IMPORTANCE } from '../memory/entry.ts';
import { parseMoment } from '../memory/ttl.ts';
import { ToolError } from './tool.ts';

/** More is a file, not a memory: the answer says to summarise. In UTF-16 units. */
const MAX_CONTENT = 1_000_000;
const MAX_KEY = 200;
const MAX_LIST = 64;

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

export const target = z.string().min(1, 'name the memory by its key or id').max(MAX_KEY);

export const query = z.string().max(MAX_CONTENT).default('');

/** `a;b` (also with commas) or an array. */
export const names = z
  .union([z.string().max(8192), z.array(z.string().max(256)).max(MAX_LIST)])
  .transform((value) =>
    (typeof value === 'string' ? value.split(/[;,\n]/u) : value).map((name) => name.trim()).filter(Boolean),
  );

/** Keys and ids, separated by commas, spaces or semicolons, or an array. A quoted key may hold spaces. */
export const idList = z
  .union([z.string().max(65_536), z.array(z.string().max(256)).max(500)])
  .transform((value) =>
    (typeof value === 'string' ? value.split(/[;,\s]+/u) : value).map((name) => name.trim()).filter(Boolean),
  );

export const file = z
  .string()
  .max(4096)
  .refine((value) => !value.includes('\0'), 'file contains a NUL character');

export const ttl = z.string().max(64);

export const limit = z.int().min(1, 'limit starts at 1').max(1000, 'limit ends at 1000');

export const pathScope = z.string().max(1000);

export const date = z.string().max(64);

/** The moment a `since` or date filter names; throws a `ToolError` for anything else. */
export function moment(text: string, name: string, now: number, edge: 'start' | 'end'): number {
  const time = parseMoment(text, now, edge);
  if (time === undefined) {
    throw new ToolError(
      `${name}: "${text}" is not a date. Use hours or days back ("24h", "7d") or an ISO date ("2026-07-01").`,
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
}

/** The filter that the seed's filter parameters mean. Empty strings mean "not given", as models send them. */
export function toFilter(input: FilterInput, now: number): EntryFilter {
  const scope = input.pathScope || input.path_scope;
  return {
    category: input.category,
    tags:
      input.tags === undefined || input.tags.length === 0
        ? undefined
        : input.tags.map((tag) => tag.normalize('NFC').toLowerCase()),
    from: input.from_date ? moment(input.from_date, 'from_date', now, 'start') : undefined,
    to: input.to_date ? moment(input.to_date, 'to_date', now, 'end') : undefined,
    pathScope: scope || undefined,
  };
}
