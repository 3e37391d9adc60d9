import { type Level, maxLevel } from '../policy/level.ts';
import type { Draft } from '../session/record.ts';

/** The session that a subagent belongs to, also when another subagent started it. */
export function topOf(parent: string): string {
  return parent.split('/', 1)[0] ?? '';
}

/** What names a subagent's session among all that are held. */
export function agentPlace({ id, parent }: { readonly id: string; readonly parent: string }): string {
  return `${topOf(parent)}/${id}`;
}

/** A record has at least the level of the call that made it. */
export function at(level: Level, drafts: readonly Draft[]): Draft[] {
  return drafts.map((draft) => ({ ...draft, level: maxLevel(draft.level ?? level, level) }));
}
