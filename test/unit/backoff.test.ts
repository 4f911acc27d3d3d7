import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/backoff.js';

describe('backoffMs', () => {
  const limits = { minMs: 100, maxMs: 1000 };

  it('starts at the minimum and doubles up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 60, 5000].map((attempt) => backoffMs(attempt, limits))).toEqual([
      100, 200, 400, 800, 1000, 1000, 1000,
    ]);
  });

  it('spreads the wait by the jitter in both directions', () => {
    const waitAt = (random: number) => backoffMs(2, { ...limits, jitter: 0.5, random: () => random });
    expect([0, 0.5, 1].map(waitAt)).toEqual([100, 200, 300]);
  });
});
