/** When a conversation becomes too long for a model's window. All figures are tokens. */

export interface Window {
  /** What fits into the model, its answer included. */
  readonly contextWindow: number;
  /** The most that it may answer; 0 where nobody says. */
  readonly maxOutputTokens: number;
}

export interface Thresholds {
  /** Kept free for the answer. */
  readonly reserved: number;
  /** What a request may take up. */
  readonly effectiveWindow: number;
  readonly buffer: number;
  /** Above this a conversation is summarised. */
  readonly autoThreshold: number;
  /** Above this old results of tools are left out. */
  readonly microThreshold: number;
  /** What a step may add. */
  readonly growth: number;
  /** Above this the next step may no longer fit, and the conversation is summarised, too. */
  readonly predictive: number;
}

export const DEFAULT_WINDOW: Window = { contextWindow: 200_000, maxOutputTokens: 8_000 };
/** No more is kept free for an answer, and so much where nobody says how long it may be. */
const MOST_RESERVED = 20_000;
/** An answer that may fill the window leaves no room for a question: below 80,000 tokens this part is enough. */
const RESERVED_PART = 4;
const STEP = 15_000;
/** Buffer and growth are meant for large windows; below this they are at most a tenth of it. */
const SMALL = 100_000;
const BUFFERS = [
  { from: 800_000, buffer: 50_000 },
  { from: 400_000, buffer: 30_000 },
  { from: 0, buffer: 13_000 },
];

/** The thresholds of a window; the figures are those of the reference (Norma), apart from small windows. */
export function thresholds({ contextWindow, maxOutputTokens }: Window): Thresholds {
  const answer = maxOutputTokens > 0 ? Math.min(maxOutputTokens, MOST_RESERVED) : MOST_RESERVED;
  const reserved = Math.min(answer, Math.floor(contextWindow / RESERVED_PART));
  const effectiveWindow = contextWindow - reserved;
  const most = effectiveWindow < SMALL ? Math.floor(effectiveWindow / 10) : Number.POSITIVE_INFINITY;
  const usual = BUFFERS.find(({ from }) => effectiveWindow >= from)?.buffer ?? 0;
  const buffer = Math.min(usual, most);
  const growth = Math.min(reserved + STEP, most);
  return {
    reserved,
    effectiveWindow,
    buffer,
    autoThreshold: effectiveWindow - buffer,
    microThreshold: Math.floor(effectiveWindow * 0.6),
    growth,
    predictive: effectiveWindow - growth,
  };
}

/** How much may be used before the conversation is summarised. */
export function summaryThreshold({ autoThreshold, predictive }: Thresholds): number {
  return Math.min(autoThreshold, predictive);
}
