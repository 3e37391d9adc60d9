/** What a subagent came to know reaches its caller no sooner than the caller stands as high. */
import { messageOf } from '../../journal/errors.ts';
import { LEVELS, type Level } from '../../policy/level.ts';
import type { Taint, TaintedSession } from '../../policy/taint.ts';
import type { Log } from '../../ports.ts';
import type { SubagentHost } from '../../subagent/host.ts';

/** The parts of a host that know the levels of subagents. */
export function handOver(
  taint: Pick<Taint, 'levelOf' | 'raise'>,
  log: Pick<Log, 'error'>,
): Pick<SubagentHost, 'levelOf' | 'handsOver' | 'notes'> {
  const levelOf = (session: TaintedSession): Level => {
    try {
      return taint.levelOf(session);
    } catch {
      return 'RESTRICTED';
    }
  };
  return {
    levelOf,
    handsOver: async ({ key }, { key: caller, level: start, source }) => {
      const level = levelOf({ key, start });
      try {
        const reason = 'A subagent that read at this level hands over to it';
        await taint.raise({ key: caller, start }, level, { reason, source, tool: 'task', rule: 'subagent' });
      } catch (error) {
        // The subagent's own level still keeps its output back.
        log.error(`The level of a subagent's caller: ${messageOf(error)}`);
      }
      return level;
    },
    notes: async (session, { level, source }) => {
      const reason = 'What was said in its session is handed over to subagents';
      await taint.raise(notesOf(session), level, { reason, source, tool: 'task', rule: 'subagent' });
    },
  };
}

/** The notes that the subagents of a session share, by its id: they come to the level of whoever writes there. */
export function notesOf(session: string): TaintedSession {
  return { key: `${session}:local`, start: LEVELS[0] };
}
