import type { Author, Reader } from '../memory/entry.ts';
import type { SessionCaller } from '../worker/sessionApi.ts';
import type { ToolCall, ToolContext } from './tool.ts';

/** The author of what a call writes. */
export function authorOf(call: ToolCall, context: ToolContext): Author {
  return {
    actor: call.actor,
    level: call.level,
    source: call.source,
    session: call.session,
    branch: context.branch(),
  };
}

/** The reader a call is: its level and nothing else, since the store's thread takes plain data only. */
export function readerOf(call: ToolCall): Reader {
  return { level: call.level };
}

/** The session that a call belongs to. A person who calls for a session does so in a chat of ours. */
export function callerOf({ session, source, level, door, actor, loop }: ToolCall): SessionCaller {
  const observed = door === 'editor' ? 'copilot' : 'mcp';
  const kind = loop === undefined && actor === 'agent' ? observed : 'participant';
  return { key: session, kind, source, level, loop };
}

/** `tasks.todoClearDelay`, 60 seconds by default (seed 000). */
export function clearDelay({ settings }: ToolContext): number {
  const delay = settings.get('tasks.todoClearDelay');
  return typeof delay === 'number' && Number.isFinite(delay) ? delay : 60;
}
