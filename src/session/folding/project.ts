/**
 * The conversation as a model is shown it: folded parts as their summaries, the rest with ids by which it can be folded.
 * The same folds give the same bytes, and what is stored stays as it is.
 */
import { tokensOfMessages } from '../compaction/estimate.ts';
import { fitInto } from '../compaction/fit.ts';
import { wholeCuts } from '../compaction/rounds.ts';
import { type Block, isPrompt, type Message, textMessage } from '../messages.ts';
import { blockName, type FoldBlock, sectionText } from './blocks.ts';
import type { Core } from './identity.ts';
import { COMPRESS, type Folds } from './rebuild.ts';
import { neutral, refTag, SECTION } from './refs.ts';

/** Of a long result, so many UTF-16 units stay at each end when the window is nearly full (Norma's noa). */
const HEAD = 2_000;
const TAIL = 2_000;
/** A result that is hardly longer is not worth a hole. */
const LONG = HEAD + TAIL + 500;

export interface Projection {
  /** With ids behind what can be named, and with where the originals are; without them the view stands for itself. */
  readonly hasTags: boolean;
}

const NOTE = textMessage(
  'system',
  'Older parts of this conversation are left out here since the context is full. The transcript has all of it.',
);
const NOTE_TOKENS = tokensOfMessages([NOTE]);

interface Tagged {
  readonly key: string;
  readonly message: Message;
}

const tagged = new WeakMap<Message, Tagged>();
const shortenedOnce = new WeakMap<Message, Message>();

/** What is shown of a conversation with these folds. */
export function project(folds: Folds, { hasTags }: Projection): readonly Message[] {
  const { messages, cores } = folds;
  const covered = folds.blocks.coverage();
  const hidden = hiddenCalls(folds, hasTags);
  const blocked = blockedRefs(folds);
  const begun = new Set<FoldBlock>();
  const shown: Message[] = [];
  let next = 0;
  messages.forEach((message, index) => {
    const own: Core[] = [];
    while (next < cores.length && (cores[next] as Core).message === index) own.push(cores[next++] as Core);
    for (const { ref } of own) {
      const block = covered.get(ref);
      if (block === undefined || begun.has(block)) continue;
      begun.add(block);
      shown.push(textMessage('system', hasTags ? sectionText(block) : plainSection(block)));
    }
    const left = own.filter((core) => !covered.has(core.ref) && !isHidden(core, hidden));
    if (left.every(({ block }) => block.type === 'thinking')) return;
    shown.push(hasTags ? withTags(message, own, left, blocked) : withOnly(message, own, left));
  });
  return shown;
}

export interface Shortened {
  readonly messages: readonly Message[];
  /** Not only the middle of long results is missing. */
  readonly hasDropped: boolean;
}

/**
 * A view in at most so many tokens: first the oldest long results lose their middle, and only where that is not enough
 * something else is left out.
 * @param step what is left out is rounded up to a multiple of so many tokens, so that the beginning of the view stays
 *   the same for some requests
 */
export function shorten(messages: readonly Message[], room: number, step: number): Shortened {
  const excess = tokensOfMessages(messages) - room;
  if (excess <= 0) return { messages, hasDropped: false };
  const wanted = Math.ceil(excess / step) * step;
  const newest = wholeCuts(messages).at(-1) ?? 0;
  let gained = 0;
  const shortened = [...messages];
  const cut = (from: number, to: number, least: number): void => {
    for (let at = from; at < to && gained < least; at++) {
      const message = messages[at] as Message;
      const short = withoutMiddles(message);
      if (short === message) continue;
      gained += tokensOfMessages([message]) - tokensOfMessages([short]);
      shortened[at] = short;
    }
  };
  cut(0, newest, wanted);
  // What came just now is what the model is about to read.
  cut(newest, messages.length, excess);
  if (gained >= excess) return { messages: shortened, hasDropped: false };
  const left = withoutOldest(shortened, room - NOTE_TOKENS, step);
  return { messages: tokensOfMessages(left) > room ? fitInto(left, room).messages : left, hasDropped: true };
}

/** Without the oldest parts, summaries last; what the person said last and what came just now stay. */
function withoutOldest(messages: readonly Message[], room: number, step: number): readonly Message[] {
  const starts = [0, ...wholeCuts(messages)];
  const prompt = messages.findLastIndex(isPrompt);
  const parts = starts.map((from, at) => {
    const to = starts[at + 1] ?? messages.length;
    const own = messages.slice(from, to);
    const stays = to === messages.length || (prompt >= from && prompt < to);
    return { own, tokens: tokensOfMessages(own), stays, isSection: own.every(isSection) };
  });
  const excess = parts.reduce((sum, { tokens }) => sum + tokens, -room);
  const wanted = Math.ceil(excess / step) * step;
  const gone = new Set<unknown>();
  let gained = 0;
  for (const sections of [false, true]) {
    for (const part of parts) {
      if (gained >= (sections ? excess : wanted)) break;
      if (part.stays || part.isSection !== sections) continue;
      gone.add(part);
      gained += part.tokens;
    }
  }
  if (gone.size === 0) return messages;
  return [NOTE, ...parts.filter((part) => !gone.has(part)).flatMap(({ own }) => own)];
}

/** Nobody else's message of ours begins so. */
function isSection({ role, content: [block] }: Message): boolean {
  return role === 'system' && block?.type === 'text' && block.text.startsWith(SECTION);
}

/** Refs of what can never be folded. */
function blockedRefs({ units }: Folds): ReadonlySet<number> {
  const refs = new Set<number>();
  for (const { isBlocked, first, last } of units) {
    if (isBlocked) for (let ref = first; ref <= last; ref++) refs.add(ref);
  }
  return refs;
}

/**
 * Ids of the `Compress` calls that say nothing any more: those that folded something and whose result the model has
 * seen, and those without success before one of them.
 */
function hiddenCalls({ messages, cores, folded }: Folds, hasTags: boolean): ReadonlySet<string> {
  const lastAnswer = hasTags ? messages.findLastIndex(({ role }) => role === 'assistant') : messages.length;
  const seen = folded.filter(({ message }) => message < lastAnswer);
  const last = seen.at(-1);
  const hidden = new Set(seen.map(({ callId }) => callId));
  if (last === undefined) return hidden;
  for (const { block, tool, message } of cores) {
    if (block.type === 'tool_result' && tool === COMPRESS && message < last.message)
      hidden.add(block.tool_use_id);
  }
  return hidden;
}

function isHidden({ block }: Core, hidden: ReadonlySet<string>): boolean {
  if (block.type === 'tool_use') return hidden.has(block.id);
  return block.type === 'tool_result' && hidden.has(block.tool_use_id);
}

function withOnly(message: Message, own: readonly Core[], left: readonly Core[]): Message {
  if (left.length === own.length) return message;
  return { role: message.role, content: left.map(({ block }) => block) };
}

function withTags(
  message: Message,
  own: readonly Core[],
  left: readonly Core[],
  blocked: ReadonlySet<number>,
): Message {
  const key = left.map(({ ref, tool }) => `${ref}${blocked.has(ref) ? '!' : ''}${tool}`).join();
  const known = tagged.get(message);
  if (known?.key === key) return known.message;
  const content = left.map((core) => withTag(message.role, core, blocked.has(core.ref)));
  const isSame = left.length === own.length && content.every((block, at) => block === message.content[at]);
  const shown = isSame ? message : { role: message.role, content };
  tagged.set(message, { key, message: shown });
  return shown;
}

/** The ids are behind what the person said and what tools answered: a model would write them into its own texts. */
function withTag(role: Message['role'], { block, ref, tokens, tool }: Core, isBlocked: boolean): Block {
  if (block.type === 'text') {
    const text = neutral(block.text);
    if (role !== 'user') return text === block.text ? block : { ...block, text };
    return { ...block, text: `${text}\n${refTag(ref, tokens, 'user', isBlocked)}` };
  }
  if (block.type !== 'tool_result') return block;
  const content = block.content.map((part) =>
    part.type === 'text' ? { ...part, text: neutral(part.text) } : part,
  );
  const tag = refTag(ref, tokens, tool, isBlocked);
  const last = content.at(-1);
  if (last?.type === 'text') content[content.length - 1] = { ...last, text: `${last.text}\n${tag}` };
  else content.push({ type: 'text', text: tag });
  return { ...block, content };
}

function plainSection({ topic, summary, number }: FoldBlock): string {
  const about = topic === '' ? blockName(number) : topic;
  return `${SECTION} — ${neutral(about)}\n${neutral(summary)}`;
}

function withoutMiddles(message: Message): Message {
  const known = shortenedOnce.get(message);
  if (known !== undefined) return known;
  const short = cutMiddles(message);
  shortenedOnce.set(message, short);
  return short;
}

function cutMiddles(message: Message): Message {
  let isShorter = false;
  const content = message.content.map((block): Block => {
    if (block.type !== 'tool_result') return block;
    const parts = block.content.map((part) => {
      if (part.type !== 'text' || part.text.length <= LONG) return part;
      isShorter = true;
      return { ...part, text: headAndTail(part.text) };
    });
    return { ...block, content: parts };
  });
  return isShorter ? { role: message.role, content } : message;
}

function headAndTail(text: string): string {
  const left = (text.length - HEAD - TAIL).toLocaleString('en-US');
  const note = `[… ${left} characters are left out here since the context is nearly full. Fold what you need no longer with Compress. …]`;
  return `${text.slice(0, HEAD).toWellFormed()}\n${note}\n${text.slice(-TAIL).toWellFormed()}`;
}
