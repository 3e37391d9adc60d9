/** Where a conversation can be cut without parting a call and its result. */
import type { Message } from '../messages.ts';
import { textMessage } from '../messages.ts';
import { tokensOfMessage } from './estimate.ts';
import { isSummary } from './summaryText.ts';

/** Begins what is left for another attempt at a summary. The wording is the reference's, as others look for it. */
export const TRUNCATED = '[earlier conversation truncated for compaction retry]';
/** Of the groups, this part is dropped before another attempt, at least one. */
const DROPPED_PART = 5;

/** The messages in groups, each of which begins with an answer of the model and has the results of its calls. */
export function rounds(messages: readonly Message[]): readonly (readonly Message[])[] {
  const starts = new Set(wholeCuts(messages));
  const groups: Message[][] = [];
  messages.forEach((message, at) => {
    if (at === 0 || (message.role === 'assistant' && starts.has(at))) groups.push([]);
    groups.at(-1)?.push(message);
  });
  return groups;
}

/** Without the oldest fifth of the groups after an earlier summary; undefined when there is nothing to leave out. */
export function truncateForRetry(messages: readonly Message[]): readonly Message[] | undefined {
  const [first] = messages;
  // What it tells of stands nowhere else in the view.
  const summary = first !== undefined && isSummary(first) ? [first] : [];
  const said = messages.slice(summary.length);
  const isMarked = said[0]?.content.some((block) => block.type === 'text' && block.text === TRUNCATED);
  const groups = rounds(isMarked === true ? said.slice(1) : said);
  if (groups.length < 2) return undefined;
  const left = groups.slice(Math.max(1, Math.floor(groups.length / DROPPED_PART))).flat();
  const mark = left[0]?.role === 'assistant' ? [textMessage('user', TRUNCATED)] : [];
  return [...summary, ...mark, ...left];
}

/** Places between messages, the beginning and the end left out, over which no call has its result. */
export function wholeCuts(messages: readonly Message[]): readonly number[] {
  const callAt = new Map<string, number>();
  /** For each message, how far back the calls are that it answers. */
  const reach = messages.map(({ content }, at) => {
    let first = at;
    for (const block of content) {
      if (block.type === 'tool_use') callAt.set(block.id, at);
      else if (block.type === 'tool_result') first = Math.min(first, callAt.get(block.tool_use_id) ?? at);
    }
    return first;
  });
  const cuts: number[] = [];
  let first = messages.length;
  for (let at = messages.length - 1; at > 0; at--) {
    first = Math.min(first, reach[at] ?? at);
    if (first >= at) cuts.push(at);
  }
  return cuts.reverse();
}

/**
 * Where the part begins that a summary leaves as it is: at least `keep` messages, fewer where they would be more than
 * `most` tokens, and never without a message. Undefined when there is no place to cut.
 */
export function tailStart(messages: readonly Message[], keep: number, most: number): number | undefined {
  const cuts = wholeCuts(messages);
  const wanted = cuts.findLast((cut) => cut <= messages.length - keep);
  const sizeFrom = (cut: number) =>
    messages.slice(cut).reduce((size, message) => size + tokensOfMessage(message), 0);
  return cuts.find((cut) => cut >= (wanted ?? 0) && sizeFrom(cut) <= most) ?? cuts.at(-1);
}
