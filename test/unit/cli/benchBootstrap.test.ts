import { describe, expect, it } from 'vitest';
import { bootstrap } from '../../../src/cli/benchBootstrap.ts';

describe('bootstrap', () => {
  it('is as sure as the differences agree', () => {
    expect(bootstrap(Array(20).fill(0.25))).toEqual({ difference: 0.25, low: 0.25, high: 0.25, queries: 20 });
    const { difference, low, high } = bootstrap([...Array(20).fill(1), ...Array(20).fill(-1)]);
    expect(difference).toBe(0);
    expect(low).toBeLessThan(-0.2);
    expect(high).toBeGreaterThan(0.2);
  });

  it('narrows with more queries, around the difference', () => {
    const width = (times: number) => {
      const { difference, low, high } = bootstrap(Array(times).fill([0, 0.5, 1]).flat());
      expect(low).toBeLessThan(difference);
      expect(high).toBeGreaterThan(difference);
      return high - low;
    };
    expect(width(100)).toBeLessThan(width(10));
  });

  it('says the same every time', () => {
    const differences = [0.1, -0.2, 0.4, 0, 0.3];
    expect(bootstrap(differences)).toEqual(bootstrap(differences));
  });
});
