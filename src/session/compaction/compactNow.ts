/** A compaction that the person asks for, between two turns. */
import type { Settings } from '../../ports.ts';
import type { SessionApi, TurnOwner } from '../../worker/sessionApi.ts';
import type { ChatModel } from '../chatModel.ts';
import { materialize } from '../folding/materialize.ts';
import type { Message } from '../messages.ts';
import type { Draft } from '../record.ts';
import { shownMessage } from '../shownMessage.ts';
import { compactionState, windowOf } from './choose.ts';
import { compacted, summaryCut } from './compacted.ts';
import { tokensOfMessages } from './estimate.ts';
import { microCompact } from './micro.ts';
import { type SummaryOptions, summarise } from './summary.ts';
import { KEEP_RECENT } from './summaryCompactor.ts';
import { thresholds } from './thresholds.ts';

export interface CompactNow {
  readonly sessions: Pick<SessionApi, 'turnBegin' | 'turnEnd' | 'turnDrop'>;
  readonly owner: TurnOwner;
  readonly model: ChatModel;
  readonly settings: Pick<Settings, 'get'>;
  /** What the person wants the summary to keep; may be empty. */
  readonly instructions: string;
  readonly signal: AbortSignal;
  readonly pause?: SummaryOptions['pause'];
}

export type CompactedNow =
  | {
      readonly state: 'done';
      /** How many messages the summary stands for. */
      readonly messages: number;
      /** Tokens of the conversation before and after, estimated. */
      readonly before: number;
      readonly after: number;
      /** To go back to, as `TurnOutcome.turn` names it. */
      readonly turn: string | undefined;
    }
  | { readonly state: 'nothing' | 'cancelled' }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * Summarises what is behind the last messages of a session, at once and however short it is. Unless it succeeds, the
 * session is left as it was.
 * @throws StoreError when the session cannot be worked on, such as when a turn of it runs
 */
export async function compactNow(options: CompactNow): Promise<CompactedNow> {
  const { sessions, owner, signal } = options;
  const { id, messages } = await sessions.turnBegin(owner, []);
  let isOver = false;
  try {
    const made = await summarised(messages.map(shownMessage), options);
    if ('state' in made) return made;
    const { reason, detail, turn } = await sessions.turnEnd(id, made.drafts, { reason: 'completed' });
    isOver = true;
    if (reason === 'writer-failed') return { state: 'failed', reason: detail ?? reason };
    // A summary can be made again.
    compactionState(owner.key).failures = 0;
    return { ...made.told, turn };
  } catch (error) {
    if (signal.aborted) return { state: 'cancelled' };
    throw error;
  } finally {
    if (!isOver) await sessions.turnDrop(id);
  }
}

type Made =
  | {
      readonly drafts: readonly Draft[];
      readonly told: Omit<Extract<CompactedNow, { state: 'done' }>, 'turn'>;
    }
  | Exclude<CompactedNow, { state: 'done' }>;

async function summarised(messages: readonly Message[], options: CompactNow): Promise<Made> {
  const { model, settings, instructions, signal, pause } = options;
  const { effectiveWindow: window, reserved: most } = thresholds(windowOf(settings, model));
  // What the person asks for need not be worth it, but there must be something.
  const least = messages.length > KEEP_RECENT ? 0 : undefined;
  const cut = summaryCut(messages, KEEP_RECENT, window, least);
  if (cut === undefined) return { state: 'nothing' };
  const head = microCompact(materialize(messages, [], cut));
  const result = await summarise({ model, messages: head, instructions, window, most, signal, pause });
  if (!result.ok) return { state: 'failed', reason: result.reason };
  const before = tokensOfMessages(messages);
  const made = compacted({
    ...{ messages, cut, window, trigger: 'manual', used: before, model: model.name },
    ...{ summary: result.summary, usage: result.usage },
  });
  const after = tokensOfMessages(made.messages);
  return { drafts: made.drafts, told: { state: 'done', messages: cut, before, after } };
}
