/** The settings of spawned sessions, with the seed's defaults (seed 003). Read anew each time. */
import type { Settings } from '../ports.ts';

/** `agents.defaults.subagents.maxConcurrent`: 8 children run at once in a process, the others wait. */
export function maxConcurrent(settings: Settings): number {
  return whole(settings.get('agents.defaults.subagents.maxConcurrent'), 8);
}

/** `agents.defaults.subagents.maxChildrenPerAgent`: 5 that have not ended for one session. */
export function maxChildren(settings: Settings): number {
  return whole(settings.get('agents.defaults.subagents.maxChildrenPerAgent'), 5);
}

/** `tools.sessions_spawn.attachments.enabled`: on, as the seed has no switch, unless it is false. */
export function takesAttachments(settings: Settings): boolean {
  return settings.get('tools.sessions_spawn.attachments.enabled') !== false;
}

/** `tools.subagents.tools`: which tools spawned sessions have. `deny` wins; without `allow` all that they can have. */
export function childToolFilter(settings: Settings): (name: string) => boolean {
  const value = settings.get('tools.subagents.tools');
  if (value === undefined || value === null) return () => true;
  // What cannot be read allows nothing: it was meant to narrow.
  if (typeof value !== 'object' || Array.isArray(value)) return () => false;
  const { allow, deny } = value as { readonly allow?: unknown; readonly deny?: unknown };
  const allowed = allow === undefined ? undefined : namesIn(allow);
  const denied = deny === undefined ? [] : namesIn(deny);
  if (denied === undefined) return () => false;
  return (name) => !matches(denied, name) && (allow === undefined || matches(allowed ?? [], name));
}

function namesIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
}

/** A name, or one that ends in `*`; case does not count. */
function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    const wanted = pattern.trim().toLowerCase();
    return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
  });
}

function whole(value: unknown, fallback: number): number {
  return Number.isSafeInteger(value) && Number(value) >= 1 ? Number(value) : fallback;
}
