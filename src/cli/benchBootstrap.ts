/** Whether one engine orders better than another, or only seems to: the paired bootstrap over queries. */
import { round } from './benchMetrics.ts';
import { randomFrom } from './benchNotes.ts';

/** The mean of the differences, and where 95 % of the means of as many queries drawn again lie. */
export interface Interval {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly queries: number;
}

const SAMPLES = 10_000;
const SEED = 1;
const TAIL = 0.025;
const DIGITS = 4;

/**
 * Draws as many differences as there are, with replacement, {@link SAMPLES} times. The same differences give the same
 * interval every time. @param differences one for each query: ours less theirs
 */
export function bootstrap(differences: readonly number[]): Interval {
  const random = randomFrom(SEED);
  const { length } = differences;
  const means = new Float64Array(SAMPLES);
  for (let sample = 0; sample < SAMPLES; sample++) {
    let sum = 0;
    for (let drawn = 0; drawn < length; drawn++) sum += differences[Math.floor(random() * length)] as number;
    means[sample] = sum / length;
  }
  means.sort();
  const at = (share: number) => round(means[Math.round(share * (SAMPLES - 1))] as number, DIGITS);
  return {
    difference: round(differences.reduce((sum, each) => sum + each, 0) / length, DIGITS),
    low: at(TAIL),
    high: at(1 - TAIL),
    queries: length,
  };
}
