import { z } from 'zod';
import { readerOf } from '../author.ts';
import { category, limit, text } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { assemble, notedFirst, nothing, pinnedOnly, wholeBlock } from './recallAnswer.ts';
import { bias, budgetTokens, explain, focusOf, hops, rrf, sessionBias } from './recallFields.ts';

/** As the reference implementation has it; the seed gives none. */
const DEFAULT_LIMIT = 8;

export const memorySmartRecall = defineTool({
  name: 'memory_smart_recall',
  family: 'memory',
  profile: 'core',
  effect: 'read',
  title: 'Smart Recall',
  description:
    'Recommended search of the project memory: one call weighs words, links, quality, freshness, importance, current branch and file, and adds what matches link to.',
  input: z.object({
    intent: text.refine(
      (value) => value.trim() !== '',
      'intent is empty: say what you intend to do or want to know',
    ),
    category: category.optional(),
    hops: hops.default(1),
    limit: limit.default(DEFAULT_LIMIT),
    budget_tokens: budgetTokens,
    explain,
    sessionBias,
    bias,
    rrf,
  }),
  async run(input, call, context) {
    const filter = { category: input.category };
    const outcome = await context.store.recall(
      {
        query: input.intent,
        filter,
        limit: input.limit,
        count: true,
        rrf: input.rrf,
        session: focusOf(input, true, call, context),
        currentFile: context.folder(call.level).code?.currentFile(),
        hops: input.hops,
      },
      readerOf(call),
    );
    if (outcome.results.length === 0) return nothing(input.intent, filter);
    const notice = pinnedOnly(outcome, input.intent);
    return assemble('', outcome.results, '', input.budget_tokens, context, (shown) =>
      notedFirst(
        notice,
        shown.map((result) => wholeBlock(result, input)),
      ),
    );
  },
});
