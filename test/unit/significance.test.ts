import { describe, expect, test } from 'vitest';
import { differsSignificantly, wilsonInterval } from '../../src/domain/campaigns/significance.js';
import { decide } from '../../src/domain/campaigns/variants.js';

describe('the interval of a rate', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [29, 29, 0.883, 1],
  ])('of %d of %d is Wilson’s', (successes, trials, low, high) => {
    const interval = wilsonInterval({ successes, trials });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('begins at exactly 0 and ends at exactly 1 for these rates', () => {
    for (let trials = 1; trials < 200; trials++) {
      expect(wilsonInterval({ successes: 0, trials }).low).toBe(0);
      expect(wilsonInterval({ successes: trials, trials }).high).toBe(1);
    }
  });

  test('is everything without trials', () => {
    expect(wilsonInterval({ successes: 0, trials: 0 })).toEqual({ low: 0, high: 1 });
  });
});

describe('two rates', () => {
  test.each([
    // z is 1.89 and 1.963, and the border is 1.960.
    [{ successes: 121, trials: 1000 }, { successes: 150, trials: 1000 }, false],
    [{ successes: 120, trials: 1000 }, { successes: 150, trials: 1000 }, true],
    [{ successes: 10, trials: 100 }, { successes: 10, trials: 100 }, false],
    [{ successes: 0, trials: 0 }, { successes: 10, trials: 100 }, false],
    [{ successes: 0, trials: 100 }, { successes: 0, trials: 100 }, false],
  ])('%j and %j differ significantly: %s', (a, b, differs) => {
    expect(differsSignificantly(a, b)).toBe(differs);
    expect(differsSignificantly(b, a)).toBe(differs);
  });
});

describe('the winner', () => {
  const a = { id: 'a', successes: 100, trials: 1000, hasFailed: false };
  const b = { id: 'b', successes: 150, trials: 1000, hasFailed: false };
  const close = { id: 'c', successes: 149, trials: 1000, hasFailed: false };

  test('is the one with a significantly higher rate than all others, whatever the default is', () => {
    expect(decide([a, b], 'a')).toEqual({ variant: 'b', significant: true });
  });

  test('is the default, or else the one with the highest rate, if no difference is significant', () => {
    expect(decide([a, b, close], 'a')).toEqual({ variant: 'a', significant: false });
    expect(decide([a, b, close], undefined)).toEqual({ variant: 'b', significant: false });
  });

  test('is the first of equal ones, also if none was sent', () => {
    const none = ['x', 'y'].map((id) => ({ id, successes: 0, trials: 0, hasFailed: false }));
    expect(decide(none, undefined)).toEqual({ variant: 'x', significant: false });
    expect(decide(none, 'y')).toEqual({ variant: 'y', significant: false });
  });

  test('is none of which no email could be sent, and there is none if that is so for all', () => {
    const failed = { id: 'f', successes: 0, trials: 0, hasFailed: true };
    expect(decide([failed, a, close], 'f')).toEqual({ variant: 'c', significant: true });
    expect(decide([failed, b, close], 'f')).toEqual({ variant: 'b', significant: false });
    expect(decide([failed, { ...failed, id: 'g' }], 'f')).toBe(null);
  });
});
