/** The parameters of the tools that search memory, and what they ask the store for. */
import { z } from 'zod';
import type { RecallInput } from '../../worker/api.ts';
import { category, date, idList, limit, moment, names, pathScope, query, toFilter } from '../fields.ts';
import type { ToolCall, ToolContext } from '../tool.ts';

/** `tiny` 3, `normal` 10, `deep` 20 (seed 001). */
const BUDGET = { tiny: 3, normal: 10, deep: 20 } as const;
const DEFAULT_LIMIT = 10;
/** Seed 001, "graph mode". */
const DEFAULT_GRAPH_LIMIT = 6;
/** An index costs a line an entry, so it shows more. */
const DEFAULT_INDEX_LIMIT = 50;
const MAX_BUDGET_TOKENS = 1_000_000;
const HOPS = 'hops is 1 or 2';

export const hops = z.int(HOPS).min(1, HOPS).max(2, HOPS);
export const budgetTokens = z.int().min(0).max(MAX_BUDGET_TOKENS).default(0);
export const explain = z.boolean().default(false);
export const rrf = z.boolean().default(true);
export const sessionBias = z.boolean().optional();
export const bias = z.enum(['none', 'session']).optional();

/** What `memory_recall` and `memory_search` have in common, without words: one of them explains it for both. */
export const recallFields = {
  query,
  category: category.optional(),
  from_date: date.optional(),
  to_date: date.optional(),
  mode: z.enum(['flat', 'graph', 'index']).default('flat'),
  ids: idList.optional(),
  hops: hops.default(1),
  limit: limit.optional(),
  budget: z.enum(['tiny', 'normal', 'deep']).optional(),
  budget_tokens: budgetTokens,
  compact: z.boolean().default(false),
  explain,
  sessionBias,
  bias,
  pathScope: pathScope.optional(),
  path_scope: pathScope.optional(),
  rrf,
  as_of: date.optional(),
} as const;

const fieldsSchema = z.object({
  ...recallFields,
  tags: names.optional(),
  max_results: limit.optional(),
  archived: z.boolean().optional(),
});
export type RecallFields = z.output<typeof fieldsSchema>;

/** What the parameters ask for, but for the ids. @throws ToolError for a date that is none. */
export function requestOf(
  input: RecallFields,
  call: Pick<ToolCall, 'level'>,
  context: ToolContext,
): RecallInput {
  const { mode } = input;
  return {
    query: input.query,
    filter: toFilter(input, context.now()),
    limit: limitOf(input) ?? defaultLimit(mode),
    count: mode !== 'index',
    rrf: input.rrf,
    session: focusOf(input, false, call, context),
    currentFile: context.folder(call.level).code?.currentFile(),
    hops: mode === 'graph' ? input.hops : undefined,
    asOf: input.as_of ? moment(input.as_of, 'as_of', context.now(), 'end') : undefined,
  };
}

/** How many entries were asked for; a number wins over a budget. */
export function limitOf({ limit, max_results, budget }: RecallFields): number | undefined {
  return limit ?? max_results ?? (budget === undefined ? undefined : BUDGET[budget]);
}

/** What the session works on, when the call lets that count: `sessionBias` and `bias` ask for it alike, either one. */
export function focusOf(
  input: Pick<RecallFields, 'sessionBias' | 'bias'>,
  byDefault: boolean,
  { level }: Pick<ToolCall, 'level'>,
  context: ToolContext,
): RecallInput['session'] {
  const isAsked = input.sessionBias === true || input.bias === 'session';
  const isGiven = input.sessionBias !== undefined || input.bias !== undefined;
  if (!(isGiven ? isAsked : byDefault)) return undefined;
  const file = context.folder(level).code?.currentFile();
  return { branch: context.branch(), files: file === undefined ? [] : [file] };
}

function defaultLimit(mode: RecallFields['mode']): number {
  if (mode === 'index') return DEFAULT_INDEX_LIMIT;
  return mode === 'graph' ? DEFAULT_GRAPH_LIMIT : DEFAULT_LIMIT;
}
