/** When a delivery is attempted again, and how an endpoint that fails is treated (research, ahead.md, section 3.1). Pure. */
import { backoffMs } from '../../backoff.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Before the second and each later attempt: 76 hours together. After the last one, a delivery has failed. */
const WAITS_MS = [5000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
export const MAX_ATTEMPTS = WAITS_MS.length + 1;
/** The waits vary by so much, so that deliveries that failed together are not repeated together. */
const JITTER = 0.2;
/** After so many failures in a row, one delivery at a time is attempted. */
const PROBE_AFTER = 5;
/** Between these attempts. */
const PROBE_WAIT = { minMs: 5000, maxMs: 5 * MINUTE };
/** Without a success for so long, and after so many failures that it is probed, the endpoint is disabled. */
const MAX_FAILING_MS = 5 * DAY;
/** A receiver can ask for a longer wait, up to this. */
export const MAX_RETRY_AFTER_MS = DAY;
/** They say that the receiver is overloaded. */
const SLOW_DOWN = new Set([429, 502, 504]);
const GONE = 410;

/** What is known of an endpoint. */
export interface Health {
  /** Failed attempts since the last success. */
  failures: number;
  /** The first of them. */
  failingSince: Date | null;
  /** Nothing is sent before. */
  pausedUntil: Date | null;
  /** A sentence, if the endpoint has to be disabled. */
  disabledReason: string | null;
}

export const HEALTHY: Health = { failures: 0, failingSince: null, pausedUntil: null, disabledReason: null };

/**
 * Returns the state of an endpoint after a successful attempt. Other requests were in flight with it: what their responses
 * asked for, a pause or no more requests, stays.
 */
export const afterSuccess = ({ pausedUntil, disabledReason }: Health, now: Date): Health => ({
  ...HEALTHY,
  pausedUntil: pausedUntil && pausedUntil > now ? pausedUntil : null,
  disabledReason,
});

export interface Failure {
  /** null without a response. */
  statusCode: number | null;
  retryAfterMs: number | null;
}

/** Returns the state of an endpoint after a failed attempt. */
export function afterFailure(
  { failures: before, failingSince: since, pausedUntil: until, disabledReason }: Health,
  { statusCode, retryAfterMs }: Failure,
  now: Date,
): Health {
  const failures = before + 1;
  const failingSince = since ?? now;
  const isOverloaded = statusCode !== null && SLOW_DOWN.has(statusCode);
  const probeMs = failures >= PROBE_AFTER ? backoffMs(failures - PROBE_AFTER + 1, PROBE_WAIT) : 0;
  const overloadMs = isOverloaded ? backoffMs(failures, PROBE_WAIT) : 0;
  const pauseMs = Math.max(retryAfterMs ?? 0, probeMs, overloadMs);
  const pausedUntil = Math.max(until?.getTime() ?? 0, pauseMs === 0 ? 0 : now.getTime() + pauseMs);
  return {
    failures,
    failingSince,
    pausedUntil: pausedUntil === 0 ? null : new Date(pausedUntil),
    disabledReason:
      disabledReason ??
      (statusCode === GONE
        ? 'The receiver replied 410 Gone.'
        : failures >= PROBE_AFTER && now.getTime() - failingSince.getTime() >= MAX_FAILING_MS
          ? 'No delivery has succeeded for five days.'
          : null),
  };
}

/** Whether only one delivery at a time is attempted. */
export const isProbing = ({ failures }: Pick<Health, 'failures'>): boolean => failures >= PROBE_AFTER;

/**
 * Returns the time of the next attempt of a delivery; null after the last one.
 *
 * @param attempts the attempts so far, including the failed one
 * @param random returns a number from 0 to 1
 */
export function nextAttemptAt(
  attempts: number,
  retryAfterMs: number | null,
  now: Date,
  random: () => number = Math.random,
): Date | null {
  const waitMs = WAITS_MS[attempts - 1];
  if (waitMs === undefined) return null;
  const spread = waitMs * (1 + JITTER * (2 * random() - 1));
  return new Date(now.getTime() + Math.round(Math.max(spread, retryAfterMs ?? 0)));
}
