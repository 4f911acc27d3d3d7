/** The rate limit of the SMTP listener. */
import { describe, expect, test } from 'vitest';
import { createRateLimit } from '../../src/inbound/listener.js';

describe('a rate limit', () => {
  test('allows its limit for each key, and again in the next window', async () => {
    const rate = createRateLimit({ limit: 2, windowMs: 300 });
    const counts = ['a', 'a', 'a', 'b'].map((key) => rate.tryCount(key));
    expect(counts).toEqual([true, true, false, true]);
    await expect.poll(() => rate.tryCount('a')).toBe(true);
    expect([rate.tryCount('a'), rate.tryCount('a')]).toEqual([true, false]);
  });

  test('forgets the oldest keys if there are too many', () => {
    const rate = createRateLimit({ limit: 1, windowMs: 60_000 });
    expect(rate.tryCount('first')).toBe(true);
    for (let i = 0; i < 20_000; i++) rate.tryCount(`key ${i}`);
    expect(rate.tryCount('key 19999')).toBe(false);
    expect(rate.tryCount('first')).toBe(true);
  });
});
