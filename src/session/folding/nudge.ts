/** When a model is told to fold, and what. It follows from the conversation alone, so a resume tells the same. */
import { tokensOfMessage } from '../compaction/estimate.ts';
import { blockName, type Tier } from './blocks.ts';
import { foldable, LEAST_CHARACTERS, suggestionText } from './gates.ts';
import { COMPRESS, type Folds } from './rebuild.ts';

/** Parts of the window (Norma's noa). */
const FULL = 0.75;
const HALF_FULL = 0.45;
/** So many sections of a tier can become one of the next (Norma's noa). */
const MANY: Readonly<Record<1 | 2, number>> = { 1: 5, 2: 10 };
/** After so many that nothing followed from there is silence until the conversation has grown (Norma's noa). */
const MOST_IGNORED = 3;
/** Between two of them the view grows by at least this part of the window; by more after those that were ignored. */
const CADENCE = 0.02;
const PATIENCE = 0.1;
/** Above this there is little time left. */
const URGENT = 0.9;
/** A section becomes shorter by about this part when it is folded with others. */
const SECTION_GAIN = 0.6;
const TAG_TOKENS = 25;

/** No model counts more tokens for each that was estimated: what says more is not true. */
export const MOST_DENSE = 4;

export interface Room {
  /** Of the model, in tokens. */
  readonly window: number;
  /** Tokens of what stands in every request beside the messages. */
  readonly fixed: number;
  /** Tokens of the model for each that was estimated; from 1 to `MOST_DENSE`. */
  readonly density: number;
}

/** What the model is told now; undefined when there is no reason to. `shown`: tokens of the view. */
export function nudgeText(folds: Folds, shown: number, room: Room): string | undefined {
  const pressure = pressureOf(shown, room);
  if (pressure < HALF_FULL) return undefined;
  const state = historyOf(folds, room);
  if (!isDue(state, state.size, pressure, room.window)) return undefined;
  const percent = Math.floor(pressure * 100);
  const choice = mostGain(folds, pressure, room.window);
  if (choice === undefined) return undefined;
  return [
    `Notice from Lodeline, not a message: about ${percent} % of your context is used.`,
    choice,
    'Keep in the summary what you still need: goals, decisions, paths, names, figures, what failed and what is open. Then go on with the task.',
  ].join(' ');
}

function pressureOf(shown: number, { window, fixed, density }: Room): number {
  return ((fixed + shown) * density) / window;
}

interface NudgeState {
  /** Since something was folded last. */
  readonly told: number;
  /** Tokens of the view when it was told last. */
  readonly toldAt: number;
}

const NEVER: NudgeState = { told: 0, toldAt: Number.NEGATIVE_INFINITY };

function isDue({ told, toldAt }: NudgeState, shown: number, pressure: number, window: number): boolean {
  if (told === 0) return true;
  const isPatient = told >= MOST_IGNORED && pressure < URGENT;
  return shown - toldAt >= window * (isPatient ? PATIENCE : CADENCE);
}

/**
 * What the model was told before each of its answers, and how large the view is by the same count, as nearly as the
 * messages tell: what was shown then is not shown any more.
 */
function historyOf(folds: Folds, room: Room): NudgeState & { readonly size: number } {
  const { messages, folded } = folds;
  const sizes = messages.map(
    (message) => tokensOfMessage(message) + (message.role === 'user' ? TAG_TOKENS : 0),
  );
  const results = new Map(folded.map(({ callId, message }) => [message, callId]));
  let state = NEVER;
  let size = 0;
  messages.forEach((message, at) => {
    const pressure = pressureOf(size, room);
    if (message.role === 'assistant' && pressure >= FULL && isDue(state, size, pressure, room.window))
      state = { told: state.told + 1, toldAt: size };
    size += sizes[at] ?? 0;
    const callId = results.get(at);
    if (callId === undefined) return;
    size -= gainOf(folds, callId, sizes);
    state = NEVER;
  });
  return { ...state, size };
}

/** By how much the view became shorter with a call, which itself is hidden before long. */
function gainOf({ blocks, cores, messages }: Folds, callId: string, sizes: readonly number[]): number {
  let gain = 0;
  const gone = new Set<number>();
  for (const block of blocks.all) {
    if (block.callId !== callId) continue;
    gain -= block.sectionTokens;
    for (const child of block.children) gain += blocks.get(child)?.sectionTokens ?? 0;
    if (block.tier > 1) continue;
    for (const ref of block.refs) gone.add(cores[ref - 1]?.message ?? -1);
  }
  for (const { block, message } of cores) {
    const isCall = block.type === 'tool_use' && block.id === callId;
    const isResult = block.type === 'tool_result' && block.tool_use_id === callId;
    if ((isCall || isResult) && messages[message]?.content.length === 1) gone.add(message);
  }
  for (const message of gone) gain += sizes[message] ?? 0;
  return gain;
}

/** The tier in which the most is gained, as a sentence that says how. */
function mostGain(folds: Folds, pressure: number, window: number): string | undefined {
  const choices: { gain: number; text: string }[] = [];
  if (pressure >= FULL) {
    const runs = foldable(folds, window);
    const characters = runs.reduce((sum, run) => sum + run.characters, 0);
    const gain = runs.reduce((sum, { tokens }) => sum + tokens, 0);
    if (characters >= LEAST_CHARACTERS)
      choices.push({
        gain,
        text: `Fold what you need no longer word for word with ${COMPRESS}. ${suggestionText(runs)}`,
      });
  }
  for (const tier of [1, 2] as const) {
    const sections = sectionsOf(folds, tier);
    if (sections.length < MANY[tier]) continue;
    const first = blockName(sections[0]?.number ?? 0);
    const last = blockName(sections.at(-1)?.number ?? 0);
    choices.push({
      gain: sections.reduce((sum, { sectionTokens }) => sum + sectionTokens * SECTION_GAIN, 0),
      text: `There are ${sections.length} folded sections of tier ${tier}: fold them into one with ${COMPRESS}, startId "${first}", endId "${last}".`,
    });
  }
  return choices.toSorted((a, b) => b.gain - a.gain)[0]?.text;
}

function sectionsOf({ blocks }: Folds, tier: Tier) {
  return blocks.active
    .filter((block) => block.tier === tier)
    .toSorted((a, b) => (a.refs[0] ?? 0) - (b.refs[0] ?? 0));
}
