/** What a compaction does to a conversation. */
import { randomUUID } from 'node:crypto';
import type { BoundaryMeta, Message, Usage } from '../messages.ts';
import type { Draft } from '../record.ts';
import { tokensOfMessages } from './estimate.ts';
import { tailStart } from './rounds.ts';
import { isSummary, summaryMessage } from './summaryText.ts';

/** What is left as it is takes up at most this part of the window. */
const TAIL_PART = 0.3;
/** A summary must stand for at least this part of the window: a shorter one gains nothing. */
const LEAST_PART = 0.1;

export interface Compacting {
  /** The whole view. */
  readonly messages: readonly Message[];
  /** So many of the first ones are summarised. */
  readonly cut: number;
  readonly summary: string;
  readonly trigger: NonNullable<BoundaryMeta['trigger']>;
  /** How much the view took up, and what a request may take up, in tokens. */
  readonly used: number;
  readonly window: number;
  /** Of the model that made the summary. */
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
}

export interface Compacted {
  /** The view afterwards. */
  readonly messages: readonly Message[];
  /** That it took place, the boundary, and the summary. What is kept is not copied. */
  readonly drafts: readonly Draft[];
}

export function compacted({
  messages,
  cut,
  summary,
  trigger,
  used,
  window,
  model,
  usage,
}: Compacting): Compacted {
  const rest = messages.slice(cut);
  const { message, skills } = summaryMessage(summary, messages.slice(0, cut), window);
  const kept = [message, ...rest];
  // What stands beside the messages, such as the tools, is the same before and after.
  const saved = tokensOfMessages(messages) - tokensOfMessages(kept);
  const boundary: BoundaryMeta = {
    trigger,
    pre_tokens: Math.round(used),
    post_tokens: Math.max(tokensOfMessages(kept), Math.round(used - saved)),
    messages_summarized: cut,
    ...(skills.length > 0 && { active_skills: skills.map(({ name }) => name) }),
    keeps_rest: true,
  };
  const uuid = randomUUID();
  const marker: Message = { role: 'user', content: [{ type: 'compact_boundary', input: boundary }] };
  return {
    messages: kept,
    drafts: [
      { type: 'boundary', boundary },
      { type: 'message', uuid, message: marker },
      { type: 'message', message, summary_of: uuid, ...(usage && { usage }), ...(model && { model }) },
    ],
  };
}

/**
 * How many of the first messages to summarise; undefined when that is too little to be worth it.
 * @param keep how many of the last messages stay, where they are short enough
 * @param window what a request may take up, in tokens
 * @param least part of the window that the summarised messages take up at least
 */
export function summaryCut(
  messages: readonly Message[],
  keep: number,
  window: number,
  least = LEAST_PART,
): number | undefined {
  const cut = tailStart(messages, keep, Math.floor(window * TAIL_PART));
  if (cut === undefined) return undefined;
  const head = messages.slice(0, cut).filter((message) => !isSummary(message));
  return head.length === 0 || tokensOfMessages(head) < window * least ? undefined : cut;
}
