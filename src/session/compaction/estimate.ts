/**
 * How many tokens something is, without the model's own tokenizer. Prose counts as in the reference, three characters
 * a token, which is more than it is. What tokenizers split finer, such as keys, Hangul or emoji, counts by its pieces:
 * a view that was thought to fit must fit.
 */
import type { ToolSpec } from '../chatModel.ts';
import { type Block, contextTokens, type Message, type Usage } from '../messages.ts';

const CHARACTERS_PER_TOKEN = 3;
/** A role, an end, an id: what servers put around a message, and around a call or its result. */
const PER_MESSAGE = 4;
const PER_CALL = 16;
/** A server that tells less than this part of the estimate does not tell everything. */
const LEAST_PART = 0.4;
/** What is this many times the estimate, or this part of it, is not the count of the same request. */
const MOST_TIMES = 4;
const NO_PART = 0.2;

/** Of Hangul, kana and common Chinese characters. */
const COMMON = 1.3;
/** Random letters and digits: from this length on they are told from words, and so many make a token. */
const RANDOM_LENGTH = 8;
const RANDOM_PER_TOKEN = 1.35;

const SPACE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const MARK = 4;

const ofMessages = new WeakMap<Message, number>();
const ofTools = new WeakMap<ToolSpec, number>();

/** What a request consists of, as far as it takes up room. */
export interface Sized {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
}

export function tokensOfText(text: string): number {
  const words = new Words();
  let ascii = 0;
  let other = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      ascii++;
      words.add(code);
      continue;
    }
    const tokens = unitTokens(code);
    // A blank is a token of its own before what tokenizers do not know.
    other += tokens > COMMON && words.isAfterBlank ? tokens + 1 : tokens;
    words.end();
  }
  words.end();
  return Math.ceil(Math.max(ascii / CHARACTERS_PER_TOKEN, words.tokens) + other);
}

/** The pieces of ASCII text: runs of one kind of character, which no token goes beyond. */
class Words {
  tokens = 0;
  #kind = SPACE;
  #last = 0;
  /** Of the run, and of the word that it is a part of. */
  #run = 0;
  #word = 0;
  #pieces = 0;
  #changes = 0;

  get isAfterBlank(): boolean {
    return this.#last !== 0 && this.#kind === SPACE;
  }

  add(code: number): void {
    const kind = kindOf(code);
    const same = kind === this.#kind;
    const isRun = kind === MARK ? code === this.#last : kind !== DIGIT || this.#run < CHARACTERS_PER_TOKEN;
    // A capital begins the word that it stands before.
    const isCapital = this.#kind === UPPER && kind === LOWER && this.#run === 1;
    if (!(same && isRun) && !isCapital) this.#endRun();
    if (kind === SPACE || kind === MARK) this.#endWord();
    else {
      if (!same && !isCapital && this.#word > 0) this.#changes++;
      this.#word++;
    }
    if (kind !== SPACE) this.#run++;
    this.#kind = kind;
    this.#last = code;
  }

  end(): void {
    this.#endRun();
    this.#endWord();
    this.#kind = SPACE;
    this.#last = 0;
  }

  #endRun(): void {
    if (this.#run > 0) this.#pieces += Math.max(1, this.#run / CHARACTERS_PER_TOKEN);
    this.#run = 0;
  }

  #endWord(): void {
    // Keys and hashes change their kind all the time, and share no tokens with words.
    const isRandom = this.#word >= RANDOM_LENGTH && this.#changes * 4 >= this.#word;
    this.tokens += isRandom ? Math.max(this.#pieces, this.#word / RANDOM_PER_TOKEN) : this.#pieces;
    this.#word = 0;
    this.#pieces = 0;
    this.#changes = 0;
  }
}

/** A message is measured once: it never changes. */
export function tokensOfMessage(message: Message): number {
  let tokens = ofMessages.get(message);
  if (tokens === undefined) {
    tokens = PER_MESSAGE + sum(message.content, tokensOfBlock);
    ofMessages.set(message, tokens);
  }
  return tokens;
}

export function tokensOfMessages(messages: readonly Message[]): number {
  return sum(messages, tokensOfMessage);
}

/** Of what stands before the messages in every request. */
export function tokensOfFixed({ system, tools }: Omit<Sized, 'messages'>): number {
  return PER_MESSAGE + tokensOfText(system) + sum(tools, tokensOfTool);
}

/**
 * How much of the window a request takes up. With the usage of the last answer in it, only what came after that
 * answer is estimated.
 * @param usage of the last assistant message, where the view has not changed before it since
 */
export function usedTokens(request: Sized, usage: Usage | undefined): number {
  const { messages } = request;
  const all = tokensOfFixed(request) + tokensOfMessages(messages);
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const after = tokensOfMessages(messages.slice(answer + 1));
  const counted = believedTokens(usage, all - after);
  if (counted === undefined) return all;
  return Math.ceil(Math.max(counted + after, all * LEAST_PART));
}

/** What a model counted of what was estimated; undefined where that cannot be true, or nobody said. */
export function believedTokens(usage: Usage | undefined, estimated: number): number | undefined {
  const counted = usage === undefined ? 0 : contextTokens(usage);
  return counted >= estimated * NO_PART && counted <= estimated * MOST_TIMES ? counted : undefined;
}

function tokensOfBlock(block: Block): number {
  switch (block.type) {
    case 'text':
      return tokensOfText(block.text);
    case 'thinking':
      return tokensOfText(block.thinking) + tokensOfText(block.signature ?? '');
    case 'tool_use':
      return PER_CALL + tokensOfText(block.name) + tokensOfText(JSON.stringify(block.input));
    case 'tool_result':
      return PER_CALL + sum(block.content, tokensOfBlock);
    case 'compact_boundary':
      return 0;
  }
}

function tokensOfTool(tool: ToolSpec): number {
  let tokens = ofTools.get(tool);
  if (tokens === undefined) {
    tokens = PER_CALL + tokensOfText(JSON.stringify(tool));
    ofTools.set(tool, tokens);
  }
  return tokens;
}

/** Of a UTF-16 unit beyond ASCII. No tokenizer makes more tokens of a character than it has bytes in UTF-8. */
function unitTokens(code: number): number {
  if (code < 0x800) return 1;
  const isCommon =
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x3000 && code <= 0x30ff) ||
    (code >= 0x4e00 && code <= 0x9fff);
  if (isCommon) return COMMON;
  return code >= 0xd800 && code <= 0xdfff ? 2 : 3;
}

function kindOf(code: number): number {
  if (code <= 0x20) return SPACE;
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  return code >= 0x30 && code <= 0x39 ? DIGIT : MARK;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
