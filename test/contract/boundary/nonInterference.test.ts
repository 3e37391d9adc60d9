/**
 * Nothing above a session's level changes what it is answered: two folders that differ only there answer the same
 * calls with the same bytes. With LODELINE_SOAK=1 it makes fifty times as many;
 * LODELINE_SEED begins at other plans.
 */
import { describe, expect, it } from 'vitest';
import { describeDifference, follow, planOf, shorten } from './steps.ts';

const CALLS = process.env.LODELINE_SOAK === '1' ? 100_000 : 2_000;
const IN_A_PLAN = 200;
const FIRST = Number(process.env.LODELINE_SEED ?? 1_000);
const SEEDS = Array.from({ length: CALLS / IN_A_PLAN }, (_, at) => FIRST + at);

describe('a session', () => {
  it.each(SEEDS)(
    'is answered the same whatever is above it (seed %i)',
    { timeout: 600_000 },
    async (seed) => {
      const plan = planOf(seed, IN_A_PLAN);
      const found = await follow(plan);
      if (found !== undefined) expect.fail(describeDifference(await shorten(plan, found)));
    },
  );
});
