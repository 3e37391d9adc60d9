import { z } from 'zod';
import type { Entry } from '../../memory/entry.ts';
import { clip, oneLine } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import { readerOf } from '../author.ts';
import { date, moment } from '../fields.ts';
import { defineTool } from '../tool.ts';

const CONTENT = 200;
/** More than this of a kind is no news but the whole memory. */
const MOST = 50;

export const memoryDiff = defineTool({
  name: 'memory_diff',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Memory Changes',
  description:
    'What is new or changed in the project memory since a moment: "24h", "7d" or an ISO date. Use it when the user asks what changed, what happened since yesterday, or to catch up after a pause.',
  input: z.object({
    since: date.describe('"24h", "7d" or an ISO date'),
    type: z
      .enum(['all', 'created', 'updated'])
      .default('all')
      .describe('Only new ones, only changed ones, or all'),
  }),
  async run(input, call, context) {
    const since = moment(input.since, 'since', context.now(), 'start');
    const changes = await context.store.changes(since, readerOf(call));
    const created = input.type === 'updated' ? [] : changes.created;
    const updated = input.type === 'created' ? [] : changes.updated;
    const day = isoDate(since);
    const data = {
      since: new Date(since).toISOString(),
      created: created.slice(0, MOST),
      updated: updated.slice(0, MOST),
    };
    if (created.length + updated.length === 0) return { text: `No changes since ${day}`, data };
    const sections = [`📋 Changes since ${day}:`];
    if (created.length > 0) sections.push(section(`➕ New (${created.length}):`, created));
    if (updated.length > 0) sections.push(section(`✏️ Updated (${updated.length}):`, updated));
    return { text: sections.join('\n\n'), data };
  },
});

function section(title: string, entries: readonly Entry[]): string {
  return [
    title,
    ...entries
      .slice(0, MOST)
      .map(
        (entry) =>
          `  [${entry.category}] ${oneLine(entry.key)} (${entry.id})\n    ${clip(entry.content, CONTENT)}`,
      ),
    ...(entries.length > MOST
      ? [
          `  … ${entries.length - MOST} more: name a later since, or list them with memory_search and from_date.`,
        ]
      : []),
  ].join('\n');
}
