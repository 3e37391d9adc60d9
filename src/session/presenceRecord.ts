/** How presence stands on disk, and what several files of it say together. */
import { canFlowTo, type Level, parseLevel } from '../policy/level.ts';
import { isKnownPath } from './presencePath.ts';

/** A session that gave no sign for so long is not active (seed 001: a window of 10 minutes). */
export const ACTIVE_MS = 10 * 60 * 1000;
/** More would be no help to anybody; the ones touched last are kept. */
const MAX_FILES = 200;

/** A session as the files of presence keep it. Times are Unix milliseconds. */
export interface Presence {
  readonly key: string;
  readonly agent: string;
  readonly branch: string;
  readonly level: Level;
  readonly root: string;
  readonly window: string;
  readonly capture: boolean;
  readonly started: number;
  readonly seen: number;
  /** When it was marked as ended; 0 when it was not. */
  readonly ended: number;
  /** When each file was touched last. */
  readonly files: Readonly<Record<string, number>>;
  /** The other program that it is seen through, as `foreignPresenceRecord` names it; absent for what was said here. */
  readonly peer?: string | undefined;
}

/** The sessions that a process says something about, by key. */
export type PresenceState = Readonly<Record<string, Presence>>;

/** Whether the session was marked as ended after it was seen last. */
export function hasEnded({ seen, ended }: Presence): boolean {
  return ended >= seen;
}

/** The files that were touched last. */
export function newestFiles(files: Readonly<Record<string, number>>): Record<string, number> {
  const all = Object.entries(files);
  return Object.fromEntries(all.sort(([, a], [, b]) => b - a).slice(0, MAX_FILES));
}

/** Both together, in whichever order. */
export function mergeStates(a: PresenceState, b: PresenceState): PresenceState {
  const merged: Record<string, Presence> = { ...a };
  for (const presence of Object.values(b)) {
    const other = merged[presence.key];
    merged[presence.key] = other ? mergePresences(other, presence) : presence;
  }
  return merged;
}

/** What two processes say about one session: the later word counts, and files count that neither freed. */
function mergePresences(a: Presence, b: Presence): Presence {
  const isLater = a.seen > b.seen || (a.seen === b.seen && JSON.stringify(a) >= JSON.stringify(b));
  const [later, earlier] = isLater ? [a, b] : [b, a];
  // Where it is at work at a lower level by now, nothing of what it did above that is told with it.
  if (!canFlowTo(earlier.level, later.level)) return later;
  // It began anew since then. Whether the old word is still there depends on what other sessions did.
  if (later.started - Math.max(earlier.seen, earlier.ended) > ACTIVE_MS) return later;
  const ended = Math.max(a.ended, b.ended);
  const files: Record<string, number> = {};
  for (const [file, time] of [...Object.entries(a.files), ...Object.entries(b.files)]) {
    if (time > ended) files[file] = Math.max(time, files[file] ?? 0);
  }
  const started = Math.min(a.started, b.started);
  return {
    ...later,
    started,
    ended,
    window: later.window || a.window || b.window,
    files: newestFiles(files),
  };
}

/** What a file says; sessions that are not what they should be are left out. */
export function parseState(value: unknown): PresenceState | undefined {
  if (!isObject(value)) return undefined;
  const state: Record<string, Presence> = Object.create(null);
  for (const each of Object.values(value)) {
    const presence = parsePresence(each);
    if (presence) state[presence.key] = presence;
  }
  return state;
}

function parsePresence(value: unknown): Presence | undefined {
  if (!isObject(value) || !isObject(value.files)) return undefined;
  const { key, agent, branch, root, window, capture, started, seen, ended } = value;
  const level = parseLevel(String(value.level));
  const texts = [key, agent, branch, root, window];
  if (!level || !texts.every((text) => typeof text === 'string')) return undefined;
  if (![started, seen, ended].every(Number.isFinite)) return undefined;
  const files = Object.entries(value.files).filter(
    (entry): entry is [string, number] => isKnownPath(entry[0]) && Number.isFinite(entry[1]),
  );
  return {
    ...({ key, agent, branch, root, window, started, seen, ended } as Presence),
    level,
    capture: capture === true,
    files: newestFiles(Object.fromEntries(files)),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
