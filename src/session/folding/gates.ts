/** What may be folded now. Whatever is refused is refused with what to do instead. */
import { blockLine, blockName, type FoldBlock, LAST_TIER, rangeOf } from './blocks.ts';
import type { FoldInput, FoldRange, Problem } from './parse.ts';
import { type Folds, messageBlock, parentBlock, topicOf, type Unit } from './rebuild.ts';
import { parseRef, refOf } from './refs.ts';

/** Of all messages that one call folds, in UTF-16 units (Norma's noa). */
export const LEAST_CHARACTERS = 5_000;
/** Of a summary, in characters (Norma's noa). */
const SHORTEST = 50;
const LONGEST = 20_000;
/** What is at the end stays: so many messages, or so many tokens (Norma's noa). */
const KEPT_MESSAGES = 5;
const KEPT_TOKENS = 5_000;
/** In small windows 5,000 tokens are too much to keep; and a few long results must not keep everything. */
const KEPT_PART = 0.15;
const MOST_KEPT_PART = 0.4;
const SUGGESTED = 5;

/** A stretch of the conversation that can be folded. */
export interface Foldable {
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly characters: number;
}

export interface PlannedBlock {
  readonly block: FoldBlock;
  readonly item: number;
}

export type Plan =
  | { readonly ok: true; readonly planned: readonly PlannedBlock[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** Units that stay as they are: the end of the conversation, and what the person said last. */
function keptUnits(units: readonly Unit[], window: number): ReadonlySet<Unit> {
  const kept = new Set<Unit>();
  const wanted = Math.min(KEPT_TOKENS, window * KEPT_PART);
  let messages = 0;
  let tokens = 0;
  for (const unit of units.toReversed()) {
    const isEnough = messages >= KEPT_MESSAGES && tokens >= wanted;
    if (kept.size > 0 && (isEnough || tokens + unit.tokens > window * MOST_KEPT_PART)) break;
    kept.add(unit);
    messages += unit.to - unit.from;
    tokens += unit.tokens;
  }
  const prompt = units.findLast(({ isPrompt }) => isPrompt);
  if (prompt !== undefined) kept.add(prompt);
  return kept;
}

/** Where there is something to fold, oldest first. */
export function foldable(folds: Folds, window: number): readonly Foldable[] {
  const kept = keptUnits(folds.units, window);
  const covered = folds.blocks.coverage();
  const runs: { first: number; last: number; tokens: number; characters: number }[] = [];
  let isOpen = false;
  for (const unit of folds.units) {
    const isFree = !unit.isBlocked && !kept.has(unit) && !covered.has(unit.first);
    const run = runs.at(-1);
    if (isFree && isOpen && run !== undefined) {
      run.last = unit.last;
      run.tokens += unit.tokens;
      run.characters += unit.characters;
    } else if (isFree) {
      const { first, last, tokens, characters } = unit;
      runs.push({ first, last, tokens, characters });
    }
    isOpen = isFree;
  }
  return runs;
}

/**
 * What a call folds, if it may: blocks that are not made yet.
 * @param window tokens of the model's window
 */
export function planFolds(folds: Folds, input: FoldInput, callId: string, window: number): Plan {
  if (input.kind !== 'ok') return { ok: false, error: problemText(input.kind, folds, window) };
  const planner = new Planner(folds, callId, window);
  for (const range of input.ranges) planner.take(range);
  const unread = input.invalid.map(({ item, reason }) => `Item ${item} was left out: it ${reason}.`);
  if (input.isCut) unread.push('Your arguments broke off before their end: what is missing was not folded.');
  return planner.plan(unread);
}

/** The text that says what was folded; its first lines are what the folds are made again from. */
export function foldedText(planned: readonly PlannedBlock[], notes: readonly string[]): string {
  const lines = planned.map(({ block, item }) => blockLine(block, item));
  const said = planned.map(({ block }) => {
    const what = block.tier === 1 ? rangeOf(block.refs) : block.children.map(blockName).join(', ');
    const gain = `about ${block.tokens.toLocaleString('en-US')} tokens became ${block.sectionTokens.toLocaleString('en-US')}`;
    return `Folded ${what} into ${blockName(block.number)}: ${gain}. FoldRead gives the original back.`;
  });
  return [...lines, '', ...said, ...notes].join('\n');
}

class Planner {
  readonly #folds: Folds;
  readonly #callId: string;
  readonly #window: number;
  readonly #kept: ReadonlySet<Unit>;
  readonly #covered: ReadonlyMap<number, FoldBlock>;
  readonly #planned: PlannedBlock[] = [];
  readonly #refused: string[] = [];
  readonly #notes: string[] = [];
  /** Refs, and blocks, that earlier items of the same call fold. */
  readonly #taken = new Set<number>();
  readonly #takenBlocks = new Set<number>();
  #characters = 0;

  constructor(folds: Folds, callId: string, window: number) {
    this.#folds = folds;
    this.#callId = callId;
    this.#window = window;
    this.#kept = keptUnits(folds.units, window);
    this.#covered = folds.blocks.coverage();
  }

  take(range: FoldRange): void {
    const refused = this.#refusal(range);
    if (refused !== undefined) this.#refused.push(`Item ${range.item}: ${refused}`);
  }

  plan(unread: readonly string[]): Plan {
    const isMessages = ({ block }: PlannedBlock) => block.tier === 1;
    const messages = this.#planned.filter(isMessages);
    let planned: readonly PlannedBlock[] = this.#planned;
    if (messages.length > 0 && this.#characters < LEAST_CHARACTERS) {
      planned = this.#planned.filter((each) => !isMessages(each));
      this.#refused.push(
        `The messages of this call have only ${this.#characters} characters: at least ${LEAST_CHARACTERS} must be folded together, since every fold costs something. ${this.#suggestion()}`,
      );
    }
    if (planned.length === 0)
      return { ok: false, error: ['Nothing was folded.', ...this.#refused, ...unread].join('\n') };
    return { ok: true, planned, notes: [...this.#notes, ...this.#refused, ...unread] };
  }

  /** Plans a range, or says why not. */
  #refusal(range: FoldRange): string | undefined {
    const length = [...range.summary].length;
    if (length < SHORTEST)
      return `The summary has ${length} characters, and ${SHORTEST} are the least: write what was found, decided, changed and what is open.`;
    if (length > LONGEST)
      return `The summary has ${length} characters, and ${LONGEST} are the most: shorten it, or fold in several parts.`;
    const start = parseRef(range.startId);
    const end = parseRef(range.endId);
    if (start === undefined || end === undefined)
      return `startId and endId must be ids such as ${refOf(4)}, from noa-ref tags, or b1, of a folded section. ${this.#suggestion()}`;
    if (start.kind !== end.kind)
      return 'startId and endId must both be messages (m…) or both folded sections (b…). Fold the messages first, then the sections.';
    const [from, to] = start.n <= end.n ? [start.n, end.n] : [end.n, start.n];
    return start.kind === 'message' ? this.#messages(range, from, to) : this.#sections(range, from, to);
  }

  #messages(range: FoldRange, from: number, to: number): string | undefined {
    const { cores, units, blocks } = this.#folds;
    for (const ref of [from, to]) {
      if (ref < 1 || ref > cores.length)
        return `There is no ${refOf(ref)} here: ids go up to ${refOf(cores.length)}. ${this.#suggestion()}`;
      const block = this.#covered.get(ref);
      if (block !== undefined)
        return `${refOf(ref)} is folded in ${blockName(block.number)} already. To fold sections together name them, as in startId "${blockName(block.number)}". ${this.#suggestion()}`;
    }
    const touched = units.filter(({ first, last }) => first <= to && last >= from);
    const free = touched.filter((unit) => !this.#covered.has(unit.first) && !unit.isBlocked);
    const open = free.filter((unit) => !this.#kept.has(unit));
    const own = open.filter((unit) => !this.#taken.has(unit.first));
    if (own.length === 0) {
      if (open.length > 0)
        return 'An earlier item of this call folds these messages. Each belongs into one item.';
      if (free.length > 0)
        return `The end of the conversation and what the person said last stay as they are. ${this.#suggestion()}`;
      return `These messages stay as they are (BLOCKED). ${this.#suggestion()}`;
    }
    if (own.length < touched.length) {
      const left = touched.filter((unit) => !own.includes(unit)).map(({ first }) => refOf(first));
      this.#notes.push(
        `Item ${range.item}: ${left.slice(0, SUGGESTED).join(', ')} and what belongs to it stays shown.`,
      );
    }
    const refs = own.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    );
    const block = messageBlock(this.#folds, refs, this.#rest(range, blocks.next));
    const gain = this.#withoutGain(block);
    if (gain !== undefined) return gain;
    for (const { first } of own) this.#taken.add(first);
    this.#characters += own.reduce((sum, { characters }) => sum + characters, 0);
    this.#planned.push({ block, item: range.item });
    return undefined;
  }

  #sections(range: FoldRange, from: number, to: number): string | undefined {
    const { blocks } = this.#folds;
    const active = blocks.active.filter(({ number }) => !this.#takenBlocks.has(number));
    const names = active.map(({ number }) => blockName(number)).join(', ');
    const isShown = (number: number) => active.some((block) => block.number === number);
    const missing = [from, to].find((number) => !isShown(number));
    if (missing !== undefined) {
      const why = blocks.get(missing) === undefined ? 'There is no' : 'Not shown any more is';
      return `${why} ${blockName(missing)}. ${names === '' ? 'There are no folded sections yet: fold messages first.' : `There are: ${names}.`}`;
    }
    // In the order in which they are shown, which their first messages have.
    const shown = active.toSorted((a, b) => (a.refs[0] ?? 0) - (b.refs[0] ?? 0));
    const places = [from, to].map((number) => shown.findIndex((block) => block.number === number));
    const between = shown.slice(Math.min(...places), Math.max(...places) + 1);
    const lowest = Math.min(...between.map(({ tier }) => tier));
    const children = between.filter(({ tier }) => tier === lowest);
    if (lowest === LAST_TIER)
      return `Sections of tier ${LAST_TIER} are not folded any further. ${this.#suggestion()}`;
    if (children.length < 2)
      return `Only ${children.map(({ number }) => blockName(number)).join()} is of tier ${lowest} there: name two or more sections of one tier. There are: ${names}.`;
    const block = parentBlock(children, this.#rest(range, blocks.next));
    const gain = this.#withoutGain(block);
    if (gain !== undefined) return gain;
    for (const { number } of children) this.#takenBlocks.add(number);
    this.#planned.push({ block, item: range.item });
    return undefined;
  }

  #rest({ topic, summary }: FoldRange, next: number) {
    return { number: next + this.#planned.length, topic: topicOf(topic), summary, callId: this.#callId };
  }

  #withoutGain({ tokens, sectionTokens }: FoldBlock): string | undefined {
    if (sectionTokens < tokens) return undefined;
    return `Nothing would be gained: what you fold has about ${tokens} tokens and its summary ${sectionTokens}. Shorten the summary, or fold more with it.`;
  }

  #suggestion(): string {
    return suggestionText(foldable(this.#folds, this.#window));
  }
}

/** Names what can be folded, the largest first. */
export function suggestionText(runs: readonly Foldable[]): string {
  const worth = runs.filter(({ characters }) => characters > 0).toSorted((a, b) => b.tokens - a.tokens);
  if (worth.length === 0) return 'Nothing else can be folded now: go on with the task.';
  const named = worth
    .slice(0, SUGGESTED)
    .map(
      ({ first, last, tokens }) =>
        `${refOf(first)} to ${refOf(last)} (about ${tokens.toLocaleString('en-US')} tokens)`,
    );
  return `These can be folded: ${named.join(', ')}.`;
}

const EXAMPLE = '{"content":[{"topic":"…","startId":"m00004","endId":"m00020","summary":"…"}]}';

function problemText(problem: Problem, folds: Folds, window: number): string {
  const suggestion = suggestionText(foldable(folds, window));
  const again = `Call Compress again, as in ${EXAMPLE}. ${suggestion}`;
  switch (problem) {
    case 'empty-input':
      return `Nothing was folded: there were no arguments. ${again}`;
    case 'not-object':
      return `Nothing was folded: the arguments must be an object. ${again}`;
    case 'missing-content':
      return `Nothing was folded: "content", the list of what to fold, is missing. ${again}`;
    case 'content-not-array':
      return `Nothing was folded: "content" must be a list. ${again}`;
    case 'no-valid-ranges':
      return `Nothing was folded: no item has startId, endId and summary. ${again}`;
    case 'truncated':
      return `Nothing was folded: your arguments broke off. Fold less in one call, or write a shorter summary. ${suggestion}`;
    case 'malformed-json':
      return `Nothing was folded: the arguments are no JSON. ${again}`;
  }
}
