/** When a session is out of the lists: a person put it away, or it was spawned for one run that ended long ago. */
import type { Settings } from '../ports.ts';
import type { SpawnInfo } from '../session/record.ts';

const DEFAULT_MINUTES = 60;
const MINUTE_MS = 60_000;

/** `agents.defaults.subagents.archiveAfterMinutes`: 60; 0 is never (seed 003). */
export function archiveAfterMinutes(settings: Settings): number {
  const value = settings.get('agents.defaults.subagents.archiveAfterMinutes');
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : DEFAULT_MINUTES;
}

export interface ArchivedFacts {
  readonly spawn?: Pick<SpawnInfo, 'mode'> | undefined;
  /** A process works on it. */
  readonly live: boolean;
  /** When its last record was written, Unix milliseconds. */
  readonly lastActive: number;
  /** It was put away, and nobody has gone on with it since. */
  readonly isAway: boolean;
}

export interface ArchiveRules {
  readonly archiveAfterMinutes: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Whether a session is archived. By time this is computed whenever it is asked, and so survives every restart; a
 * session that was spawned to last (`mode: "session"`) is archived by nobody but a person.
 */
export function isArchived(
  { spawn, live, lastActive, isAway }: ArchivedFacts,
  { archiveAfterMinutes: minutes, now }: ArchiveRules,
): boolean {
  if (isAway) return true;
  if (spawn?.mode !== 'run' || live || minutes === 0) return false;
  return now - lastActive > minutes * MINUTE_MS;
}
