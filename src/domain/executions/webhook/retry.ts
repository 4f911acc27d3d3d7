/** Decides whether a WEBHOOK step's request has succeeded, is retried, or has failed (contract, section 7). */
import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import { backoffMs } from '../../../backoff.js';
import { DnsUnavailable } from '../../../dns.js';
import { TemplateError } from '../../../mail/template-error.js';
import { UnknownHost } from './guard.js';
import { WebhookFault } from './request.js';

/** `retry`: another attempt may succeed. `failure`: no attempt will. */
export type WebhookOutcome = 'success' | 'retry' | 'failure';

export interface Decision {
  outcome: WebhookOutcome;
  /** A sentence without addresses and values; null for a success. */
  reason: string | null;
  /** The delay that the receiver asks for. */
  retryAfterMs: number | null;
}

const failure = (reason: string): Decision => ({ outcome: 'failure', reason, retryAfterMs: null });
const retry = (reason: string, retryAfterMs: number | null = null): Decision => ({
  outcome: 'retry',
  reason,
  retryAfterMs,
});

export function decideByResponse(status: number, headers: IncomingHttpHeaders): Decision {
  if (status >= 200 && status < 300) return { outcome: 'success', reason: null, retryAfterMs: null };
  const reason = `The receiver responded with ${`${status} ${STATUS_CODES[status] ?? ''}`.trim()}.`;
  const transient = status === 408 || status === 429 || (status >= 500 && status < 600);
  return transient ? retry(reason, readRetryAfter(headers['retry-after'], new Date())) : failure(reason);
}

/** Node's errors for headers that it cannot send. */
const HEADER_ERRORS = new Set(['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_UNESCAPED_CHARACTERS']);

const NETWORK_ERRORS: ReadonlyArray<readonly [codes: RegExp, reason: string]> = [
  [/^ECONNREFUSED$/, 'The receiver refused the connection'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'The receiver closed the connection'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/, 'The receiver is unreachable'],
  [/^HPE_/, "The receiver's response is not valid HTTP"],
  [/CERT|SIGNATURE|^ERR_TLS_CERT_ALTNAME_INVALID$/, "The receiver's certificate is not valid"],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$)/, 'The TLS handshake with the receiver failed'],
];

/**
 * @param signal aborted when the attempt's time was up
 * @throws the error itself if it is not an error of the request, the network, or the receiver
 */
export function decideByError(error: unknown, signal: AbortSignal, timeoutMs: number): Decision {
  if (error instanceof WebhookFault) return failure(error.message);
  if (error instanceof TemplateError) return failure(`A template could not be rendered: ${withPeriod(error.message)}`);
  if (signal.aborted) return retry(`The receiver did not send a complete response within ${timeoutMs / 1000} seconds.`);
  if (error instanceof UnknownHost) return retry(error.message);
  if (error instanceof DnsUnavailable) return retry('The DNS servers do not respond.');
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) throw error;
  if (HEADER_ERRORS.has(code)) return failure('A header contains characters that cannot be sent.');
  if (error instanceof TypeError) throw error;
  const reason = NETWORK_ERRORS.find(([codes]) => codes.test(code))?.[1] ?? 'The connection failed';
  return retry(`${reason} (${code}).`);
}

const withPeriod = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Also limits the delay that a receiver asks for: attempts end after an hour. */
const MAX_RETRY_DELAY_MS = 10 * 60_000;
const FIRST_RETRY_DELAY_MS = 1000;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
 *
 * @returns milliseconds from `now`, at most `maxMs`; null if the header is missing or not valid
 */
export function readRetryAfter(header: string | undefined, now: Date, maxMs = MAX_RETRY_DELAY_MS): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,15}$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now.getTime()
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxMs);
}

/**
 * Returns the delay after an attempt: one second, doubled with each attempt. A receiver can ask for a longer delay, but
 * not for a shorter one.
 */
export const retryDelayMs = (attempt: number, retryAfterMs: number | null): number =>
  Math.max(backoffMs(attempt, { minMs: FIRST_RETRY_DELAY_MS, maxMs: MAX_RETRY_DELAY_MS }), retryAfterMs ?? 0);

/** Concurrent requests of a worker. A receiver that does not respond occupies its request for ten seconds. */
export const MAX_CONCURRENT_REQUESTS = 400;

const FIRST_SLOT_DELAY_MS = 5000;
const MAX_SLOT_DELAY_MS = 5 * 60_000;

export interface WebhookSlots {
  /** @returns a function that releases the slot; null if the project has no slot left */
  acquire: (projectId: string) => (() => void) | null;
}

/**
 * Shares the worker's slots between projects. A project can use as many slots as are left for all other projects: a
 * single project gets half of the slots, two projects with unresponsive receivers get a third each, and there is always
 * a slot for another project.
 */
export function createWebhookSlots(slots = MAX_CONCURRENT_REQUESTS): WebhookSlots {
  const inFlight = new Map<string, number>();
  let total = 0;
  return {
    acquire(projectId) {
      const own = inFlight.get(projectId) ?? 0;
      if (own >= slots - total) return null;
      inFlight.set(projectId, own + 1);
      total += 1;
      return () => {
        total -= 1;
        const left = (inFlight.get(projectId) ?? 1) - 1;
        if (left > 0) inFlight.set(projectId, left);
        else inFlight.delete(projectId);
      };
    },
  };
}

/** Returns when to retry a request without a slot: exponential backoff with jitter. */
export const slotDelayMs = (attempt: number): number =>
  backoffMs(attempt, { minMs: FIRST_SLOT_DELAY_MS, maxMs: MAX_SLOT_DELAY_MS, jitter: 0.5 });
