/** Attempts, pauses, and the end of failing endpoints (research, ahead.md, section 3.1). */
import { describe, expect, test } from 'vitest';
import {
  afterFailure,
  afterSuccess,
  HEALTHY,
  isProbing,
  MAX_ATTEMPTS,
  nextAttemptAt,
  type Health,
} from '../../src/domain/webhooks/health.js';

const NOW = new Date('2026-11-23T10:00:00Z');
const HOUR = 3_600_000;
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const SERVER_ERROR = { statusCode: 500, retryAfterMs: null };
/** The state after so many failures with the same reply. */
const failing = (count: number, failure = SERVER_ERROR): Health =>
  Array.from({ length: count }).reduce<Health>((health) => afterFailure(health, failure, NOW), HEALTHY);

describe('the next attempt of a delivery', () => {
  test('follows after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20, and 24 h; then there is none', () => {
    const waits = Array.from({ length: MAX_ATTEMPTS }, (_, index) => {
      const next = nextAttemptAt(index + 1, null, NOW, () => 0.5);
      return next === null ? null : (next.getTime() - NOW.getTime()) / 1000;
    });
    expect(waits).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
    const total = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
    expect(Math.round(total / 3600)).toBe(76);
  });

  test('varies by 20%', () => {
    const seconds = [0, 1].map((random) => nextAttemptAt(2, null, NOW, () => random)?.getTime() ?? 0);
    expect(seconds.map((time) => time - NOW.getTime())).toEqual([240_000, 360_000]);
  });

  test('is not earlier than the receiver asks for', () => {
    expect(nextAttemptAt(1, HOUR, NOW)).toEqual(later(HOUR));
  });
});

describe('an endpoint that fails', () => {
  test('is not paused by its first four failures', () => {
    expect(failing(4)).toEqual({ failures: 4, failingSince: NOW, pausedUntil: null, disabledReason: null });
    expect(isProbing(failing(4))).toBe(false);
  });

  test('is probed from the fifth failure on, with pauses from 5 s to 5 min', () => {
    expect(isProbing(failing(5))).toBe(true);
    expect([5, 6, 7, 20].map((count) => failing(count).pausedUntil)).toEqual(
      [5000, 10_000, 20_000, 300_000].map(later),
    );
  });

  test.each([429, 502, 504])('is slowed down by its first %i', (statusCode) => {
    expect(failing(1, { statusCode, retryAfterMs: null }).pausedUntil).toEqual(later(5000));
  });

  test('is paused as long as it asks for', () => {
    const asked = { statusCode: 503, retryAfterMs: HOUR };
    expect(failing(1, { ...asked, retryAfterMs: null }).pausedUntil).toBeNull();
    expect(afterFailure(HEALTHY, asked, NOW).pausedUntil).toEqual(later(HOUR));
  });

  test('stays paused and disabled when another request succeeds, but is no longer failing', () => {
    const pausedUntil = later(HOUR);
    const failed: Health = { failures: 6, failingSince: NOW, pausedUntil, disabledReason: 'Gone' };
    const healed = { failures: 0, failingSince: null, disabledReason: 'Gone' };
    expect(afterSuccess(failed, later(1))).toEqual({ ...healed, pausedUntil });
    expect(afterSuccess(failed, pausedUntil)).toEqual({ ...healed, pausedUntil: null });
    expect(afterFailure(failed, SERVER_ERROR, NOW).disabledReason).toBe('Gone');
  });

  test('is disabled by 410', () => {
    expect(failing(1, { statusCode: 410, retryAfterMs: null }).disabledReason).toBe('The receiver replied 410 Gone.');
  });

  test('is disabled after five days without a success, and not by a second failure after a quiet week', () => {
    expect(afterFailure(failing(1), SERVER_ERROR, later(7 * 24 * HOUR)).disabledReason).toBeNull();
    const before = failing(4);
    expect(afterFailure(before, SERVER_ERROR, later(5 * 24 * HOUR - 1)).disabledReason).toBeNull();
    expect(afterFailure(before, SERVER_ERROR, later(5 * 24 * HOUR)).disabledReason).toBe(
      'No delivery has succeeded for five days.',
    );
  });
});
