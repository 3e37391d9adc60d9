/** The context meter of a session, as a panel shows it. */
import type { Settings } from '../../ports.ts';
import type { ContextMeasure } from '../contextMeter.ts';
import { type Strategy, strategyOf, windowOf } from './choose.ts';
import { summaryThreshold, thresholds } from './thresholds.ts';

export interface ContextView {
  /** Tokens. */
  readonly used: number;
  /** What a conversation may take up, the answer included; null where nobody says. */
  readonly window: number | null;
  /** Above so many tokens the conversation is compacted; null where that is off. */
  readonly next: number | null;
  readonly strategy: Strategy;
  readonly compactions: number;
}

/** What was measured, with what the person's settings make of it; null while no model has counted. */
export function contextView(
  measure: ContextMeasure | undefined,
  settings: Pick<Settings, 'get'>,
): ContextView | null {
  if (measure === undefined) return null;
  const { used, window, compactions } = measure;
  const strategy = strategyOf(settings);
  const set = windowOf(settings, { maxInputTokens: window });
  const isKnown =
    window !== undefined || windowOf(settings, {}).contextWindow !== windowOf(NOTHING, {}).contextWindow;
  return {
    used,
    window: isKnown ? set.contextWindow : null,
    next: strategy === 'off' ? null : summaryThreshold(thresholds(set)),
    strategy,
    compactions,
  };
}

const NOTHING: Pick<Settings, 'get'> = { get: () => undefined };
