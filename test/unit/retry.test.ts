import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, retryDelay } from '../../src/domain/emails/retry.js';

const HOUR = 3_600_000;
const middle = (): number => 0.5;

describe('retryDelay', () => {
  it('is a second after the first attempt, and doubles up to half an hour', () => {
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

  it('is spread by a fifth to both sides', () => {
    expect([retryDelay(3, () => 0), retryDelay(3, () => 1)]).toEqual([3200, 4800]);
  });
});

describe('MAX_ATTEMPTS', () => {
  it('gives up after 24 hours of waiting, and no attempt sooner', () => {
    const waited = (attempts: number) =>
      Array.from({ length: attempts - 1 }, (_, index) => retryDelay(index + 1, middle)).reduce(
        (sum, delay) => sum + delay,
        0,
      );
    expect(waited(MAX_ATTEMPTS)).toBeGreaterThanOrEqual(24 * HOUR);
    expect(waited(MAX_ATTEMPTS - 1)).toBeLessThan(24 * HOUR);
  });
});
