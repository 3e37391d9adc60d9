import { z } from 'zod';
import type { Stats } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { headline } from '../render.ts';
import { defineTool } from '../tool.ts';

export const memoryStats = defineTool({
  name: 'memory_stats',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Memory Statistics',
  description:
    'Health of the project memory in figures: how many entries by category, origin and status, time-to-live, quality distribution, share recalled at least once, duplicates, forgotten and superseded, and cold memories that nobody uses.',
  input: z.object({}),
  async run(_input, call, context) {
    const stats = await context.store.stats(readerOf(call));
    return { text: describe(stats), data: stats };
  },
});

function describe(stats: Stats): string {
  const lines = [
    `📊 Total entries: ${stats.total}`,
    `File summaries: ${stats.summaries}`,
    `By category: ${counts(stats.byCategory)}`,
    `By origin: ${counts(stats.byOrigin)}`,
    `By status: ${counts(stats.byStatus)}`,
    `TTL: ${stats.withTtl} with expiration, ${stats.expired} expired`,
    `Average quality: ${stats.averageQuality.toFixed(2)}`,
    `Quality distribution: ${stats.qualityBuckets.map((count, at) => `${(at / 5).toFixed(1)}–${((at + 1) / 5).toFixed(1)}: ${count}`).join(', ')}`,
    `Hit rate: ${percent(stats.hitRate)} recalled at least once`,
    `Duplicates: ${percent(stats.duplicateRate)} with identical content`,
    `Dead: ${percent(stats.deadRate)} forgotten or superseded`,
    `Unconfirmed: ${stats.unconfirmed}, pinned: ${stats.pinned}`,
  ];
  const list = (title: string, entries: Stats['newest']): void => {
    if (entries.length > 0) lines.push(`${title}:`, ...entries.map((entry) => `  ${headline(entry)}`));
  };
  list('Last entries', stats.newest);
  list('Most used', stats.mostUsed);
  list('Cold memories (low quality, hardly used, older than 30 days)', stats.cold);
  return lines.join('\n');
}

function counts(record: Readonly<Record<string, number>>): string {
  return (
    Object.entries(record)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none'
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
