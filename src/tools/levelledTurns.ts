/** Turns of loops of ours, each record of which has the level that the session has come to by then. */
import type { Level } from '../policy/level.ts';
import type { Taint, TaintedSession } from '../policy/taint.ts';
import type { Draft } from '../session/record.ts';
import type { SessionApi } from '../worker/sessionApi.ts';

type Turns = Pick<SessionApi, 'turnBegin' | 'turnStep' | 'turnStop' | 'turnEnd'>;

/** The same turns. What a call showed is recorded at the level to which it raised the session, as is all that follows. */
export function levelledTurns(turns: Turns, taint: Pick<Taint, 'levelOf'>): Turns {
  const open = new Map<string, TaintedSession>();
  const levelled = (id: string, drafts: readonly Draft[]): readonly Draft[] => {
    const session = open.get(id);
    if (session === undefined) return drafts;
    const level = levelOf(taint, session);
    return drafts.map((draft) => ({ ...draft, level }));
  };
  return {
    turnBegin: async (owner, drafts) => {
      const session = { key: owner.key, start: owner.level };
      // A turn of a session whose level cannot be told does not begin.
      const view = await turns.turnBegin({ ...owner, level: taint.levelOf(session) }, drafts);
      open.set(view.id, session);
      return view;
    },
    turnStep: (id, drafts) => turns.turnStep(id, levelled(id, drafts)),
    turnStop: async (id, drafts, limits) => {
      const next = await turns.turnStop(id, levelled(id, drafts), limits);
      if ('reason' in next) open.delete(id);
      return next;
    },
    turnEnd: async (id, drafts, end) => {
      const last = levelled(id, drafts);
      open.delete(id);
      return turns.turnEnd(id, last, end);
    },
  };
}

/** The same turns, with a word after each that has ended. */
export function toldTurns(turns: Turns, ended: () => void): Pick<Turns, 'turnStop' | 'turnEnd'> {
  return {
    turnStop: async (...args) => {
      const next = await turns.turnStop(...args);
      if ('reason' in next) ended();
      return next;
    },
    turnEnd: async (...args) => {
      const last = await turns.turnEnd(...args);
      ended();
      return last;
    },
  };
}

/** What was said must be recorded even where its level cannot be told any more: then nobody below the top reads it. */
function levelOf(taint: Pick<Taint, 'levelOf'>, session: TaintedSession): Level {
  try {
    return taint.levelOf(session);
  } catch {
    return 'RESTRICTED';
  }
}
