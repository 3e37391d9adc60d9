import { z } from 'zod';
import { draftOf } from '../../memory/captureDraft.ts';
import { clip, oneLine } from '../../memory/line.ts';
import type { DraftName } from '../../worker/careApi.ts';
import { authorOf, readerOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { idList } from '../fields.ts';
import { defineTool } from '../tool.ts';
import { requireAcceptance } from './proactive.ts';

const DAY = 86_400_000;
const LISTED = 20;
const LINE = 80;
/** As many captured actions as the log holds at most. */
const LOOKED_AT = 500;

export const memoryPromote = defineTool({
  name: 'memory_promote',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Promote Drafts',
  description:
    'Turn drafts, which were captured or inferred and are not recalled, into active memories: those with enough confidence (0.65) that do not repeat what is remembered. A dry run by default: it lists what would be promoted and why the others wait. Pass ids to accept chosen drafts whatever their confidence; reject one with memory_forget.',
  input: z.object({
    dryRun: z.boolean().default(true).describe('Only report (default)'),
    minConfidence: z.number().min(0).max(1).default(0.65).describe('Least confidence, 0–1'),
    max: z.int().min(1).max(100).default(5).describe('Most drafts to promote'),
    days: z.int().min(1).max(3650).default(7).describe('Only drafts of the last days'),
    ids: idList.optional().describe('Exactly these drafts, by key or id'),
  }),
  effectOf: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async run({ dryRun, minConfidence, max, days, ids }, call, context) {
    if (!dryRun) requireAcceptance(call, context.settings);
    const chosen = ids === undefined || ids.length === 0 ? undefined : ids;
    const since = context.now() - days * DAY;
    const { captures } = await context.sessions.captured(
      { limit: LOOKED_AT, tool: '', file: '' },
      readerOf(call),
    );
    const captured = captures.filter(({ at }) => at >= since).map(draftOf);
    const { promoted, waiting } = await context.care.promote(
      { ids: chosen, minConfidence, max, since, dryRun, captured },
      authorOf(call, context),
    );
    const data = { dryRun, promoted, waiting };
    if (promoted.length + waiting.length === 0) return { text: 'No drafts to promote.', data };
    const count = countOf(promoted.length, 'draft', 'drafts');
    return {
      text: [
        dryRun ? `🌱 Dry run: ${count} would be promoted. Nothing was changed.` : `🌱 Promoted ${count}.`,
        ...promoted.map((draft) => `  ${describe(draft)}`),
        ...(waiting.length > 0 ? [`Waiting (${waiting.length}):`] : []),
        ...waiting.slice(0, LISTED).map((draft) => `  ${describe(draft)} — ${oneLine(draft.reason)}`),
        ...more(waiting.length, LISTED),
        ...(dryRun && promoted.length > 0 ? ['To do it, call memory_promote({ dryRun: false }).'] : []),
      ].join('\n'),
      data,
    };
  },
});

/** `redis-timeout-fixed-1a2b (3f9k…): Fixed the pool (confidence 0.85)` */
function describe({ id, key, content, confidence }: DraftName): string {
  const name = id === null ? `${oneLine(key)} (captured)` : `${oneLine(key)} (${id})`;
  return `${name}: ${clip(content, LINE)} (confidence ${confidence.toFixed(2)})`;
}
