import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, retryDelay } from '../../src/domain/emails/retry.js';

const HOUR = 3_600_000;
const middle = (): number => 0.5;

describe('retryDelay', () => {
  it('is one second after the first attempt and doubles up to half an hour', () => {
    expect([1, 2, 3, 10, 11, 12, 13, 60].map((attempts) => retryDelay(attempts, middle))).toEqual([
      1000,
      2000,
      4000,
      512_000,
      1_024_000,
      HOUR / 2,
      HOUR / 2,
      HOUR / 2,
    ]);
  });

  it('has a jitter of 20% in both directions', () => {
    expect([retryDelay(3, () => 0), retryDelay(3, () => 1)]).toEqual([3200, 4800]);
  });
});

describe('MAX_ATTEMPTS', () => {
  it('allows 24 hours of retries, and not one attempt less', () => {
    const waited = (attempts: number) =>
      Array.from({ length: attempts - 1 }, (_, index) => retryDelay(index + 1, middle)).reduce(
        (sum, delay) => sum + delay,
        0,
      );
    expect(waited(MAX_ATTEMPTS)).toBeGreaterThanOrEqual(24 * HOUR);
    expect(waited(MAX_ATTEMPTS - 1)).toBeLessThan(24 * HOUR);
  });
});
