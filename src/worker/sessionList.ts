import type { SessionRow } from '../planProtocol.ts';
import type { PutAwaySessions } from '../session/putAway.ts';
import type { SessionSummary } from '../session/registry.ts';
import { type Found, NOTHING_FOUND } from '../session/resume/findings.ts';
import { reconcile } from '../session/resume.ts';
import { historyOf } from './checkpoints.ts';
import type { ClearedLists } from './clearedLists.ts';
import type { SessionState } from './followedSession.ts';
import type { HeldSessions } from './heldSessions.ts';
import { shownPhase } from './plans.ts';
import type { ExportedSession, ResumedSession, SessionEntry, SessionReader } from './sessionApi.ts';
import { locked, turnRuns } from './sessionErrors.ts';
import type { UnknownCalls } from './unknownCalls.ts';

const LISTED = 50;
/** Of so many sessions, the last active ones, it is looked which has something to show. */
const LOOKED_AT = 20;

/** The session that a panel shows, and those it could show instead. */
export interface Chosen {
  readonly session: SessionRow | null;
  readonly sessions: readonly SessionRow[];
  readonly state: SessionState | undefined;
}

/** Which sessions there are, and going on with one of them. */
export class SessionList {
  readonly #sessions: HeldSessions;
  readonly #lists: ClearedLists;
  readonly #away: PutAwaySessions;
  readonly #unknown: UnknownCalls;

  constructor(sessions: HeldSessions, lists: ClearedLists, away: PutAwaySessions, unknown: UnknownCalls) {
    this.#sessions = sessions;
    this.#lists = lists;
    this.#away = away;
    this.#unknown = unknown;
  }

  /**
   * The session with this id; without one, the session active last that has something to show, else just the last.
   * @throws StoreError when there is nothing to show since a key is not here.
   */
  choose(id: string | undefined, reader: SessionReader, has: (state: SessionState) => boolean): Chosen {
    const all = this.#own(reader);
    const listed = this.#listed(all);
    const sessions = listed.slice(0, LISTED).map(rowOf);
    const found = id === undefined ? this.#first(listed, has) : all.find((summary) => summary.id === id);
    if (found === undefined) {
      const missing = this.#sessions.registry.locked(reader.level);
      if (missing.some((each) => id === undefined || each.id === id)) throw locked();
    }
    const chosen = found ?? (id === undefined ? listed[0] : undefined);
    if (chosen === undefined) return { session: null, sessions, state: undefined };
    const state = this.#sessions.state(chosen.id);
    if (state.isLocked) throw locked();
    return { session: rowOf(chosen), sessions, state };
  }

  browse(reader: SessionReader): readonly SessionEntry[] {
    return this.#listed(this.#own(reader)).map((summary) => ({
      ...rowOf(summary),
      key: summary.key,
      kind: summary.kind,
    }));
  }

  export(reader: SessionReader): readonly Omit<ExportedSession, 'folds'>[] {
    return this.#own(reader).map((summary) => {
      const { todo, checkpoint } = this.#sessions.state(summary.id);
      const phases = todo.phases.map(shownPhase);
      return { session: rowOf(summary), phases, checkpoints: historyOf(checkpoint) };
    });
  }

  resume(id: string, reader: SessionReader, found: Found = NOTHING_FOUND): ResumedSession {
    const { summary } = this.#sessions.readable(id, reader);
    if (this.#sessions.get(id)?.turn !== undefined) {
      throw turnRuns();
    }
    const held = this.#sessions.open(id);
    const { live } = held;
    this.#sessions.take(held);
    this.#lists.resume(id, live.todo.phases);
    // What an earlier resume found is still to be told, and says it all.
    if (live.view.notes === '') reconcile(live, undefined, true);
    this.#unknown.settled(held, found);
    this.#sessions.append(held, []);
    const { notes, lastTurn } = live.view;
    return { key: summary.key, title: summary.title ?? '', report: notes, turn: lastTurn ?? null };
  }

  /** Takes sessions out of the lists or back into them, those that this reader may know of. */
  putAway(ids: readonly string[], isAway: boolean, reader: SessionReader): void {
    const known = this.#own(reader).filter(({ id }) => ids.includes(id));
    this.#away.put(known, isAway);
  }

  /** Those that nobody has put away, or somebody went on with since. */
  #listed(all: readonly SessionSummary[]): SessionSummary[] {
    const isAway = this.#away.reader();
    return all.filter(({ id, live, lastActive }) => live || !isAway(id, lastActive));
  }

  #own({ level }: SessionReader): SessionSummary[] {
    return this.#sessions.registry.list(level).filter(({ agentId }) => agentId === undefined);
  }

  #first(all: readonly SessionSummary[], has: (state: SessionState) => boolean): SessionSummary | undefined {
    return all.slice(0, LOOKED_AT).find(({ id }) => {
      try {
        return has(this.#sessions.state(id));
      } catch {
        // One that cannot be read must not hide the others.
        return false;
      }
    });
  }
}

function rowOf({ id, title = '', source, live, lastActive }: SessionSummary): SessionRow {
  return { id, title, source, live, lastActive };
}
