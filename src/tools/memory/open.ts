import { z } from 'zod';
import type { EntryDetail } from '../../protocol.ts';
import { readerOf } from '../author.ts';
import { target } from '../fields.ts';
import { block } from '../render.ts';
import { defineTool } from '../tool.ts';
import { toRow } from './browse.ts';

export const memoryOpen = defineTool({
  name: 'memory_open',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Open Memory',
  description: 'A whole entry with its history and links for the memory browser.',
  input: z.object({ id: target }),
  async run({ id }, call, context) {
    const [entry] = await context.store.fetch([id], readerOf(call), false);
    // Nothing is no error here: the panel says so in the person's language.
    if (entry === undefined) return { text: 'It is not in memory any more.', data: null };
    const { linked, linkedFrom } = await context.store.neighbours(entry.id, readerOf(call));
    const detail: EntryDetail = {
      ...toRow(entry, null),
      content: entry.content,
      file: entry.file,
      created: entry.created,
      importance: entry.importance ?? null,
      quality: entry.quality,
      confidence: entry.confidence,
      origin: entry.origin,
      source: entry.source,
      branch: entry.branch,
      session: entry.session,
      pathScope: entry.pathScope,
      supersededBy: entry.supersededBy,
      reason: entry.reason,
      used: entry.used,
      lastUsed: entry.lastUsed ?? null,
      revisions: entry.revisions,
      linked,
      linkedFrom,
    };
    return { text: block(entry), data: detail };
  },
});
