import type { PresenceView } from '../session/presence.ts';
import { readerOf } from './author.ts';
import { isObserved } from './observe.ts';
import type { ToolCall, ToolContext } from './tool.ts';

/**
 * Who is at work, as the caller may see it, itself among them: a session is written down after its calls, so one that
 * has made none yet is not there.
 */
export async function presentSessions(call: ToolCall, context: ToolContext): Promise<PresenceView> {
  const view = await visiblePresences(call, context);
  const { session, source } = call;
  if (!isObserved(call) || view.sessions.some(({ key }) => key === session)) return view;
  const now = context.now();
  const caller = {
    ...{ key: session, agent: source, branch: context.branch(), root: context.workTree },
    ...{ started: now, seen: now, files: [] },
  };
  return { ...view, sessions: [caller, ...view.sessions] };
}

/** Whoever works in a sandbox is told of the sessions alone that the tools about sessions show it. */
async function visiblePresences(call: ToolCall, { sessions, access }: ToolContext): Promise<PresenceView> {
  const view = await sessions.presences(readerOf(call));
  if (call.sandboxed !== true) return view;
  const { rows, restricted } = await access.visible(call);
  if (!restricted) return view;
  const keys = new Set(rows.map(({ origin }) => origin.key));
  return { sessions: view.sessions.filter(({ key }) => keys.has(key)), conflicts: [] };
}
