import { z } from 'zod';
import { clip, oneLine } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import { authorOf } from '../author.ts';
import { target } from '../fields.ts';
import { nameOf } from '../render.ts';
import { defineTool } from '../tool.ts';
import { requireAcceptance } from './proactive.ts';

export const memoryForget = defineTool({
  name: 'memory_forget',
  family: 'memory',
  profile: 'core',
  effect: 'destructive',
  title: 'Forget',
  description:
    'Take a memory out of recall when it is wrong, outdated or the user says "forget that"; it can be restored. When another takes its place: supersede with new_key. To correct one: memory_remember with replace: true.',
  input: z.object({
    key: target.describe('Key or id'),
    action: z
      .enum(['soft', 'restore', 'supersede', 'hard'])
      .default('soft')
      .describe('hard is for the person only'),
    new_key: target.optional(),
    reason: z.string().max(2000).optional(),
  }),
  refuse(input, call) {
    if (input.action === 'supersede' && input.new_key === undefined)
      return 'supersede needs new_key: the key of the memory that takes the place of this one.';
    if (input.action !== 'hard' || call.actor === 'person') return undefined;
    return 'Deleting for good is for the person: they can do it in the memory browser. Use action "soft", which takes the memory out of recall.';
  },
  confirm(input) {
    if (input.action === 'restore') return undefined;
    const name = oneLine(input.key);
    if (input.action === 'hard') {
      return {
        title: `Delete "${name}" for good?`,
        detail:
          'Its text and history are removed from memory on disk and cannot be restored. What chats with @lodeline and subagents were told of it stays in their transcripts.',
        undoable: false,
      };
    }
    return {
      title:
        input.action === 'supersede'
          ? `Replace "${name}" by "${oneLine(input.new_key ?? '')}"?`
          : `Forget "${name}"?`,
      detail: 'It is taken out of recall. It can be restored from the memory browser.',
      undoable: true,
    };
  },
  async run(input, call, context) {
    if (input.action === 'restore') requireAcceptance(call, context.settings);
    const entry = await context.store.forget(
      { target: input.key, action: input.action, newKey: input.new_key, reason: input.reason },
      authorOf(call, context),
    );
    const text = {
      soft: `🗑️ Forgotten: ${nameOf(entry)}. Restore it with memory_forget({ key: "${oneLine(entry.key)}", action: "restore" }).`,
      restore: `✅ Restored: ${nameOf(entry)}. It ${entry.expires === undefined ? 'does not expire' : `expires on ${isoDate(entry.expires)}`}. ${clip(entry.content, 120)}`,
      supersede: `⏳ Superseded: ${nameOf(entry)} by "${oneLine(entry.supersededBy)}". It stays as history and out of recall.`,
      hard: `"${oneLine(entry.key)}" was deleted for good.`,
    }[input.action];
    return {
      text,
      data: { id: entry.id, key: entry.key, status: input.action === 'hard' ? 'deleted' : entry.status },
    };
  },
});
