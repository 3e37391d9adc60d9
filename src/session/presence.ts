/**
 * Who is at work in a folder, and on which files, so that agents and windows that work side by side see each other.
 * What a session does at a moment is said by whichever process sees it: a window, a server, or the short-lived
 * process of a hook.
 */
import type { KeyRing } from '../journal/keys.ts';
import { SharedState } from '../journal/sharedState.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { ForeignPresence } from './foreignPresence.ts';
import {
  conflictsOf,
  type FileHolder,
  type FilesInUse,
  foldsCase,
  holdersOf,
  type SoftConflict,
} from './presenceConflicts.ts';
import { isKnownPath } from './presencePath.ts';
import {
  ACTIVE_MS,
  hasEnded,
  mergeStates,
  newestFiles,
  type Presence,
  type PresenceState,
  parseState,
} from './presenceRecord.ts';

const MAX_TEXT = 200;
const MAX_SESSIONS = 200;

/** What a session is and does at a moment. */
export interface Attendance {
  /** The session's key. */
  readonly key: string;
  /** The agent, such as `copilot` or `claude-code`; `vscode` for a window itself. */
  readonly agent: string;
  /** The checked-out branch; empty when there is none. */
  readonly branch: string;
  readonly level: Level;
  /** Top folder of the work tree, or the workspace folder; paths of files begin here. */
  readonly root: string;
  /** Id of the window that it runs in, which is the key of the window's own session; empty outside the editor. */
  readonly window?: string | undefined;
  /** Files touched now, with `/`, relative to the root. */
  readonly files?: readonly string[] | undefined;
  /** For windows: whether what agents do is to be captured. */
  readonly capture?: boolean | undefined;
}

/** An active session as a reader may see it. */
export interface PresentSession {
  readonly key: string;
  readonly agent: string;
  readonly branch: string;
  readonly root: string;
  readonly started: number;
  readonly seen: number;
  readonly files: readonly string[];
  /** The other program that it is seen through; absent for one of ours. */
  readonly peer?: string | undefined;
}

export interface PresenceView {
  /** Last seen first. */
  readonly sessions: readonly PresentSession[];
  readonly conflicts: readonly SoftConflict[];
}

export interface PresenceOptions {
  readonly dir: string;
  /** Top folder of the work tree, where other programs may keep presence of theirs; without it theirs is not looked for. */
  readonly root?: string | undefined;
  /** Files of sessions above it are not written down, since their names would stand on disk in the clear. */
  readonly defaultLevel: Level;
  /** Unix milliseconds. */
  now(): number;
  readonly alive?: ((pid: number) => boolean) | undefined;
  /** Presence is sealed where the store is; without keys it never is. */
  readonly keys?: KeyRing | undefined;
}

export class PresenceBoard {
  readonly #options: PresenceOptions;
  readonly #state: SharedState<PresenceState>;
  readonly #foreign: ForeignPresence | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#state = new SharedState<PresenceState>({
      ...{ dir: options.dir, now: options.now, alive: options.alive, empty: {}, keys: options.keys },
      parse: parseState,
      merge: mergeStates,
    });
    const { root, keys } = options;
    const isSealed = (): boolean => keys?.sealsAll() ?? false;
    this.#foreign = root === undefined ? undefined : new ForeignPresence({ ...options, root, isSealed });
  }

  /** Says that sessions are at work. @throws when it cannot be written. */
  attend(attendances: readonly Attendance[]): void {
    this.#state.write((own, all) => {
      const state = this.#pruned(own);
      for (const attendance of attendances) {
        state[attendance.key] = this.#attended(all[attendance.key], attendance);
      }
      return state;
    });
    this.#tell(attendances.map(({ key }) => key));
  }

  /** Marks sessions as ended, which frees their files. @throws when it cannot be written. */
  leave(keys: readonly string[]): void {
    this.#state.write((own, all) => {
      const state = this.#pruned(own);
      for (const key of keys) {
        const known = all[key];
        if (known) state[key] = { ...known, ended: Math.max(this.#options.now(), known.seen), files: {} };
      }
      return state;
    });
    this.#tell(keys);
  }

  /** See `SharedState.refit`. */
  refit(): void {
    this.#state.refit();
    this.#foreign?.refit();
  }

  /** Takes back what other programs were told. */
  erase(): void {
    this.#foreign?.erase();
  }

  /**
   * Every session that is active, whatever its level, those of other programs among them.
   * @throws when the folder cannot be read.
   */
  active(): Presence[] {
    const known = this.#state.read();
    const own = this.#alive(known);
    const foreign = this.#foreign?.active(new Set(this.#recent(known).map(({ key }) => key))) ?? [];
    return [...own, ...foreign].sort((a, b) => b.seen - a.seen || (a.key < b.key ? -1 : 1));
  }

  /** The active sessions up to a reader's level: that one above it is at work says something, too. @throws as above. */
  view(reader: Level): PresenceView {
    const visible = this.active().filter(({ level }) => canFlowTo(level, reader));
    return {
      sessions: visible.map(shown),
      conflicts: conflictsOf(visible, foldsCase(this.#options.dir)),
    };
  }

  /** Which other active sessions, up to a reader's level, have touched files. @throws as above. */
  holders(use: FilesInUse, reader: Level): FileHolder[] {
    const visible = this.active().filter(({ level }) => canFlowTo(level, reader));
    return holdersOf(visible, use, foldsCase(this.#options.dir));
  }

  #tell(keys: readonly string[]): void {
    if (this.#foreign?.isThere !== true) return;
    const state = this.#state.read();
    const sessions = keys.flatMap((key) => state[key] ?? []);
    this.#foreign.tell(sessions, this.#alive(state));
  }

  #alive(state: PresenceState): Presence[] {
    const now = this.#options.now();
    return Object.values(state).filter(
      (presence) => !hasEnded(presence) && Math.abs(now - presence.seen) <= ACTIVE_MS,
    );
  }

  #attended(known: Presence | undefined, attendance: Attendance): Presence {
    const { key, agent, branch, level, root, window = '', files = [], capture } = attendance;
    const now = this.#options.now();
    // A stamp from the future is one of a clock that was put right since: it must not outlive that. What is long past
    // counts no more than if it had been pruned, which depends on what other sessions do.
    // What it did above this level is none of what is told of it here.
    const isUsable =
      known !== undefined &&
      Math.abs(now - known.seen) <= ACTIVE_MS &&
      known.ended - now <= ACTIVE_MS &&
      canFlowTo(known.level, level);
    const before = isUsable ? known : undefined;
    const seen = Math.max(now, before?.seen ?? 0, (before?.ended ?? -1) + 1);
    const isOpen = canFlowTo(level, this.#options.defaultLevel);
    const kept = before && isOpen && !hasEnded(before) ? before.files : {};
    const touched = isOpen ? files.filter(isKnownPath).map((file) => [file.normalize('NFC'), seen]) : [];
    return {
      ...{ key, level, root },
      agent: agent.slice(0, MAX_TEXT) || 'agent',
      branch: branch.slice(0, MAX_TEXT),
      window: window || (before?.window ?? ''),
      capture: capture ?? before?.capture ?? false,
      started: before?.started ?? now,
      seen,
      ended: before?.ended ?? 0,
      files: newestFiles({ ...kept, ...Object.fromEntries(touched) }),
    };
  }

  /** Without those that nobody will ask about any more. Those of one level make no room for others. */
  #pruned(state: PresenceState): Record<string, Presence> {
    const active = this.#recent(state).sort((a, b) => b.seen - a.seen);
    const recent = LEVELS.flatMap((level) =>
      active.filter((presence) => presence.level === level).slice(0, MAX_SESSIONS),
    );
    return Object.fromEntries(recent.map((presence) => [presence.key, presence]));
  }

  /** Those that were at work within the last minutes, ended or not. */
  #recent(state: PresenceState): Presence[] {
    const now = this.#options.now();
    return Object.values(state).filter(
      ({ seen, ended }) => Math.abs(now - Math.max(seen, ended)) <= ACTIVE_MS,
    );
  }
}

function shown({ key, agent, branch, root, started, seen, files, peer }: Presence): PresentSession {
  const session = { key, agent, branch, root, started, seen, files: Object.keys(files).sort() };
  return peer === undefined ? session : { ...session, peer };
}
