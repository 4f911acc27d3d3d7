/** How much of something the listener takes within a time. */
import { describe, expect, test, vi } from 'vitest';
import { createRate } from '../../src/inbound/rate.js';

describe('a rate', () => {
  test('lets as many through as it says, for each key by itself, and again when the time is over', () => {
    vi.useFakeTimers();
    try {
      const rate = createRate({ most: 2, withinMs: 1000 });
      expect([rate.take('a'), rate.take('a'), rate.take('a'), rate.take('b')]).toEqual([true, true, false, true]);
      vi.advanceTimersByTime(999);
      expect(rate.take('a')).toBe(false);
      vi.advanceTimersByTime(1);
      expect([rate.take('a'), rate.take('a'), rate.take('a')]).toEqual([true, true, false]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('forgets old keys before it holds too many', () => {
    const rate = createRate({ most: 1, withinMs: 60_000 });
    expect(rate.take('first')).toBe(true);
    for (let i = 0; i < 20_000; i++) rate.take(`key ${i}`);
    expect(rate.take('key 19999')).toBe(false);
    expect(rate.take('first')).toBe(true);
  });
});
