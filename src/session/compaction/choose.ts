/** Which compactor a loop has, as the person's settings say. */
import type { Settings } from '../../ports.ts';
import type { ChatModel } from '../chatModel.ts';
import type { Compactor } from '../compactor.ts';
import {
  type CompactionState,
  newCompactionState,
  SummaryCompactor,
  type SummaryCompactorOptions,
} from './summaryCompactor.ts';
import { DEFAULT_WINDOW, type Window } from './thresholds.ts';

export const STRATEGIES = ['summary', 'folding', 'off'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** A model whose window is below this cannot do an agent's work: such a setting is a mistake. In tokens. */
const LEAST_WINDOW = 2_000;
/** What a model says of itself may be little, but not this little: then it says nothing. */
const LEAST_SAID = 256;
/** Sessions whose compactors are remembered; of others nobody knows any more how often they failed. */
const REMEMBERED = 200;
/** By the key of the session, the one used last at the end. */
const states = new Map<string, CompactionState>();

export interface CompactorChoice extends Pick<SummaryCompactorOptions, 'onSummary' | 'pause'> {
  readonly settings: Pick<Settings, 'get'>;
  /** Of the session, whose failures count over its turns. */
  readonly key: string;
  /** Makes the compactor of the strategy `folding`; without it the built-in one takes its place. */
  readonly folding?: (() => Compactor) | undefined;
  /** Shows what was folded as it was folded, where compaction is off. */
  readonly leaving?: (() => Compactor) | undefined;
}

/** The compactor of a loop; undefined when the person turned compaction off. */
export function compactorFor(choice: CompactorChoice): Compactor | undefined {
  const { settings, key, folding, onSummary, pause } = choice;
  const strategy = strategyOf(settings);
  if (strategy === 'off') return choice.leaving?.();
  if (strategy === 'folding' && folding !== undefined) return folding();
  return new SummaryCompactor({
    ...{ windowOf: ({ model }) => windowOf(settings, model), state: compactionState(key) },
    ...{ onSummary, pause },
  });
}

/** `compaction.strategy`; anything else than its values is the default. */
export function strategyOf(settings: Pick<Settings, 'get'>): Strategy {
  const value = settings.get('compaction.strategy');
  return STRATEGIES.find((strategy) => strategy === value) ?? 'summary';
}

/**
 * The window of a model: the smaller one where both the model and `compaction.contextWindow` say something, 200,000
 * where neither does. `compaction.maxOutputTokens`: 8,000 where it is not set.
 */
export function windowOf(
  settings: Pick<Settings, 'get'>,
  { maxInputTokens }: Pick<ChatModel, 'maxInputTokens'>,
): Window {
  const said = [
    positive(maxInputTokens, LEAST_SAID),
    positive(settings.get('compaction.contextWindow'), LEAST_WINDOW),
  ];
  const known = said.filter((tokens) => tokens !== undefined);
  return {
    contextWindow: known.length === 0 ? DEFAULT_WINDOW.contextWindow : Math.min(...known),
    maxOutputTokens:
      positive(settings.get('compaction.maxOutputTokens'), 1) ?? DEFAULT_WINDOW.maxOutputTokens,
  };
}

/** What is remembered of a session's compactions in this process. */
export function compactionState(key: string): CompactionState {
  const state = states.get(key) ?? newCompactionState();
  states.delete(key);
  states.set(key, state);
  for (const other of states.keys()) {
    if (states.size <= REMEMBERED) break;
    states.delete(other);
  }
  return state;
}

function positive(value: unknown, least: number): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= least
    ? Math.floor(value)
    : undefined;
}
