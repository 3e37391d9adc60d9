/** What a panel shows of a session that becomes long, or was left in the middle of something. */
import type { CheckpointView } from '../../planProtocol.ts';
import { strategyOf } from '../../session/compaction/choose.ts';
import { contextView } from '../../session/compaction/contextView.ts';
import { valueText } from '../../session/resume/policy.ts';
import { readerOf } from '../author.ts';
import type { ToolCall, ToolContext } from '../tool.ts';
import { isCompactable } from './compact.ts';

type LongSession = Pick<CheckpointView, 'context' | 'folds' | 'unknowns' | 'looser'>;

export const NOTHING_LONG: LongSession = { context: null, folds: [], unknowns: [], looser: [] };

/** @throws StoreError when the session cannot be read */
export async function longSession(
  id: string | undefined,
  call: ToolCall,
  { sessions, settings }: ToolContext,
): Promise<LongSession> {
  if (id === undefined) return NOTHING_LONG;
  const reader = readerOf(call);
  const [measure, folds, { calls, policy }, entries] = await Promise.all([
    sessions.contextMeasure(id, reader),
    sessions.folds(id, reader),
    sessions.openQuestions(id, reader),
    sessions.sessionsBrowse(reader),
  ]);
  const context = contextView(measure, settings);
  const kind = entries.find((entry) => entry.id === id)?.kind;
  const canCompact = kind !== undefined && isCompactable(kind, strategyOf(settings));
  return {
    context: context && { ...context, canCompact },
    folds,
    unknowns: calls,
    looser: policy.map(({ key, counts, says }) => ({
      key,
      counts: valueText(counts),
      says: valueText(says),
    })),
  };
}
