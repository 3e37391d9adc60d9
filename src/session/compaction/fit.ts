/** Makes a view fit into a window when nothing better is possible. Pure: the same messages give the same view. */
import { isPrompt, type Message, textMessage } from '../messages.ts';
import { type Clipping, clipMessage } from './clip.ts';
import { tokensOfMessages } from './estimate.ts';
import { rounds } from './rounds.ts';
import { isSummary } from './summaryText.ts';

/** From mild to harsh, in tokens: results first, and what was said only in the end. */
const CLIPPINGS: readonly Clipping[] = [
  { results: 16_000 },
  { results: 8_000 },
  { results: 4_000 },
  { results: 2_000 },
  { results: 1_000 },
];
const HARSH: readonly Clipping[] = [
  { results: 1_000, rest: 8_000 },
  { results: 500, rest: 4_000 },
  { results: 300, rest: 2_000 },
  { results: 200, rest: 1_000 },
  { results: 100, rest: 400 },
  { results: 60, rest: 150 },
];
const NOTE = textMessage(
  'user',
  '[A part of this conversation was left out here because the model’s window is full. The session’s transcript has all of it.]',
);

export interface Fitted {
  readonly messages: readonly Message[];
  /** Whole rounds are missing, and not only parts of results. */
  readonly hasDropped: boolean;
}

/**
 * The messages in at most so many tokens, as far as that can be done: long results lose their middle, then the oldest
 * rounds are left out, then anything that is long loses its middle. The person's last message is never left out.
 */
export function fitInto(messages: readonly Message[], tokens: number): Fitted {
  if (tokensOfMessages(messages) <= tokens) return { messages, hasDropped: false };
  for (const clipping of CLIPPINGS) {
    const clipped = messages.map((message) => clippedOnce(message, clipping));
    if (tokensOfMessages(clipped) <= tokens) return { messages: clipped, hasDropped: false };
  }
  const shortest = CLIPPINGS.at(-1) as Clipping;
  const dropped = dropRounds(
    messages.map((message) => clippedOnce(message, shortest)),
    tokens,
  );
  let left = dropped.messages;
  for (const clipping of HARSH) {
    if (tokensOfMessages(left) <= tokens) break;
    left = dropped.messages.map((message) => clipMessage(message, clipping));
  }
  return { messages: left, hasDropped: dropped.hasDropped };
}

/** Before every request the same messages are clipped anew, and there may be thousands. */
const made = new WeakMap<Clipping, WeakMap<Message, Message>>(
  CLIPPINGS.map((clipping) => [clipping, new WeakMap()]),
);

function clippedOnce(message: Message, clipping: Clipping): Message {
  const known = made.get(clipping);
  let clipped = known?.get(message);
  if (clipped === undefined) {
    clipped = clipMessage(message, clipping);
    known?.set(message, clipped);
  }
  return clipped;
}

/** The newest rounds that fit, after the summary and the person's last message where these are older. */
function dropRounds(messages: readonly Message[], tokens: number): Fitted {
  const groups = rounds(messages);
  if (groups.length < 2) return { messages, hasDropped: false };
  const [first] = messages;
  const summary = first !== undefined && isSummary(first) ? [first] : [];
  // Another agent's task stands first, as a note.
  const prompt = messages.findLast(isPrompt) ?? (first?.role === 'system' ? first : undefined);
  const room = tokens - tokensOfMessages([NOTE, ...summary, ...(prompt === undefined ? [] : [prompt])]);
  let from = groups.length - 1;
  for (let size = 0; from > 0; from--) {
    size += tokensOfMessages(groups[from] ?? []);
    if (size > room) break;
  }
  // The newest round stays, however long it is.
  const left = groups.slice(Math.min(from + 1, groups.length - 1)).flat();
  const prompts = prompt === undefined || left.includes(prompt) || summary.includes(prompt) ? [] : [prompt];
  return { messages: [...summary, NOTE, ...prompts, ...left], hasDropped: true };
}
