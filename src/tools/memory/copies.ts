/** Copies of the memory: `memory_backup`, `memory_checkpoint`, and their return by the person. */
import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import { redactSecrets } from '../../policy/redact.ts';
import { phrase } from '../../worker/api.ts';
import { authorOf, readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { defineTool, question } from '../tool.ts';

/** Seed 001: a memory snapshot has a time to live of 7 days. */
const SNAPSHOT_DAYS = 7;
const DAY = 86_400_000;

export const memoryBackup = defineTool({
  name: 'memory_backup',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Back Up Memory',
  description:
    'Make a backup of the whole memory with its history. The newest 10 backups are kept. The person can restore one from the command palette. Use it before a large clean-up, or when the user asks for a backup.',
  input: z.object({}),
  async run(_input, call, context) {
    const made = await context.care.copy('backup', authorOf(call, context));
    return {
      text: [
        `💾 Memory backed up to ${made.name} (${countOf(made.entries, 'entry', 'entries')})`,
        `📦 ${countOf(made.kept, 'backup', 'backups')} retained`,
      ].join('\n'),
      data: made,
    };
  },
});

export const memoryCheckpoint = defineTool({
  name: 'memory_checkpoint',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Memory Snapshot',
  description:
    'Make a snapshot of the memory as it is now, kept for 7 days, as a point to go back to in a long session. It is about memory only: to be able to drop a dead end of this conversation, use checkpoint.',
  input: z.object({
    note: z
      .string()
      .max(500, 'note is longer than 500 characters')
      .default('')
      .describe('Why now; kept with it'),
  }),
  async run({ note }, call, context) {
    const said = oneLine((await redactSecrets(note)).text).trim();
    const made = await context.care.copy('snapshot', authorOf(call, context), said);
    const expires = isoDate(made.at + SNAPSHOT_DAYS * DAY);
    return {
      text: [
        `📸 Memory snapshot: ${made.name} (${countOf(made.entries, 'entry', 'entries')})${said === '' ? '' : ` — ${said}`}`,
        `⏰ TTL: ${expires}`,
      ].join('\n'),
      data: { ...made, expires, note: said },
    };
  },
});

export const memoryCopies = defineTool({
  name: 'memory_copies',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Backups and Snapshots',
  description: 'Every backup and memory snapshot that can be restored.',
  input: z.object({}),
  async run(_input, call, context) {
    const copies = await context.care.copies(readerOf(call));
    const lines = copies.map(({ name, note = '' }) => (note === '' ? name : `${name} — ${oneLine(note)}`));
    return { text: lines.join('\n') || 'No backups yet.', data: { copies } };
  },
});

export const memoryRestore = defineTool({
  name: 'memory_restore',
  family: 'memory',
  profile: 'person',
  effect: 'destructive',
  title: 'Restore Memory',
  description:
    'Puts every entry of a backup or snapshot back as it was. What was written since stays, as history or as it is.',
  input: z.object({ name: z.string().max(200) }),
  confirm: () =>
    question(
      phrase('Restore this copy of the memory?'),
      phrase(
        'Its entries get the text, tags and state they had then. Newer texts stay as their history, and entries added since stay. A snapshot of the present memory is made first.',
      ),
      false,
    ),
  async run({ name }, call, context) {
    const outcome = await context.care.restore(name, authorOf(call, context));
    const { restored, unchanged, unreadable, before } = outcome;
    const damaged = unreadable > 0 ? `, ${countOf(unreadable, 'line', 'lines')} unreadable` : '';
    return {
      text: `♻️ Restored ${countOf(restored, 'entry', 'entries')}, ${unchanged} unchanged${damaged}. What was there before: ${before}`,
      data: outcome,
    };
  },
});
