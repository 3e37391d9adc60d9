import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import type { EntryName } from '../../memoryProtocol.ts';
import { phrase } from '../../worker/api.ts';
import { CONSOLIDATE_MODES, type ConsolidateMode, type ConsolidateOutcome } from '../../worker/careApi.ts';
import { authorOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { defineTool, question } from '../tool.ts';

const LISTED = 30;

export const memoryConsolidate = defineTool({
  name: 'memory_consolidate',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Consolidate Memory',
  description:
    'Tidy the memory by fixed rules, without a model. mode "identical" (default) leaves one of the memories with the same content; "similar" merges those that share more than half of their words, keeping every text; "low-quality" archives poor ones below minQuality; "versions" retires memories about an older version of a library, as React 18 when there is one about React 19. Only "identical" acts at once; the others report first: pass dryRun: false to act. What gives way stays as history and can be restored.',
  input: z.object({
    mode: z.enum(CONSOLIDATE_MODES).default('identical').describe('What to look for'),
    minQuality: z
      .number()
      .min(0)
      .max(1)
      .default(0.3)
      .describe('With low-quality: archive memories below it, 0–1'),
    dryRun: z
      .boolean()
      .optional()
      .describe('Only report. Default: false for identical, true for the other modes'),
  }),
  effectOf: (input) => (isDryRun(input) ? 'read' : 'destructive'),
  confirm(input) {
    if (isDryRun(input)) return undefined;
    const titles = {
      identical: phrase('Merge memories with the same content?'),
      similar: phrase('Merge similar memories?'),
      'low-quality': phrase('Archive memories of low quality?'),
      versions: phrase('Retire memories about older versions?'),
    };
    return question(
      titles[input.mode],
      phrase('What gives way is taken out of recall, stays as history, and can be restored.'),
      true,
    );
  },
  async run(input, call, context) {
    const dryRun = isDryRun(input);
    const { mode, minQuality } = input;
    const outcome = await context.care.consolidate(
      { mode, minQuality, dryRun },
      authorOf(call, context),
      call.signal,
    );
    return { text: describe(input, dryRun, outcome), data: { mode, dryRun, groups: outcome.groups } };
  },
});

function isDryRun({ mode, dryRun }: { mode: ConsolidateMode; dryRun?: boolean | undefined }): boolean {
  return dryRun ?? mode !== 'identical';
}

function describe(
  { mode, minQuality }: { mode: ConsolidateMode; minQuality: number },
  dryRun: boolean,
  { groups }: ConsolidateOutcome,
): string {
  const bound = mode === 'low-quality' ? `, minQuality: ${minQuality}` : '';
  if (groups.length === 0) return `🧹 Nothing to consolidate (mode: ${mode}).`;
  const losers = groups.reduce((sum, group) => sum + group.losers.length, 0);
  const what = countOf(losers, 'entry', 'entries');
  const done = mode === 'low-quality' ? 'archived' : 'retired';
  const lines = groups
    .slice(0, LISTED)
    .map(({ winner, losers: given, why }) =>
      winner === null
        ? `  ${given.map(nameOf).join(', ')} — ${why}`
        : `  ${given.map(nameOf).join(', ')} → ${nameOf(winner)} — ${why}`,
    );
  return [
    dryRun
      ? `🧹 Dry run (mode: ${mode}): ${what} would be ${done}. Nothing was changed.`
      : `🧹 Consolidated (mode: ${mode}): ${what} ${done}.`,
    ...lines,
    ...more(groups.length, LISTED),
    dryRun
      ? `To do it, call memory_consolidate({ mode: "${mode}"${bound}, dryRun: false }).`
      : 'Bring one back with memory_forget({ key: "…", action: "restore" }).',
  ].join('\n');
}

function nameOf({ category, key, id }: EntryName): string {
  return `${category}/${oneLine(key)} (${id})`;
}
