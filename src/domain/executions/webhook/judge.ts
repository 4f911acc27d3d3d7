/** What an answer means for a WEBHOOK step, and what its absence does (contract, section 7). Pure. */
import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import { DnsUnavailable } from '../../../dns.js';
import { TemplateError } from '../../../mail/template-error.js';
import { WebhookFault } from './fault.js';
import { UnknownHost } from './network.js';
import { readRetryAfter } from './retry-after.js';

/** `retry`: another attempt may succeed. `failure`: none will. */
export type WebhookOutcome = 'success' | 'retry' | 'failure';

export interface Judgement {
  outcome: WebhookOutcome;
  /** A sentence without addresses and values; null for a success. */
  reason: string | null;
  /** When the receiver wants to be asked again. */
  retryAfterMs: number | null;
}

const failure = (reason: string): Judgement => ({ outcome: 'failure', reason, retryAfterMs: null });
const retry = (reason: string, retryAfterMs: number | null = null): Judgement => ({
  outcome: 'retry',
  reason,
  retryAfterMs,
});

export function judgeAnswer(status: number, headers: IncomingHttpHeaders): Judgement {
  if (status >= 200 && status < 300) return { outcome: 'success', reason: null, retryAfterMs: null };
  const reason = `The receiver answered ${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const temporary = status === 408 || status === 429 || (status >= 500 && status < 600);
  return temporary ? retry(reason, readRetryAfter(headers['retry-after'], new Date())) : failure(reason);
}

/** What Node's client refuses to send. */
const UNSENDABLE = new Set(['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_UNESCAPED_CHARACTERS']);

const NETWORK: ReadonlyArray<readonly [codes: RegExp, reason: string]> = [
  [/^ECONNREFUSED$/, 'The receiver refused the connection'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'The receiver broke the connection off'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/, 'The receiver could not be reached'],
  [/^HPE_/, 'The receiver answered something that is not HTTP'],
  [/CERT|SIGNATURE|^ERR_TLS_CERT_ALTNAME_INVALID$/, "The receiver's certificate is not valid"],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$)/, 'The receiver does not speak TLS as we do'],
];

/**
 * @param signal aborted when the attempt's time was up
 * @throws the error itself where it is one of ours
 */
export function judgeError(error: unknown, signal: AbortSignal, limitMs: number): Judgement {
  if (error instanceof WebhookFault) return failure(error.message);
  if (error instanceof TemplateError) return failure(`A template can not be filled in: ${error.message}`);
  if (signal.aborted) return retry(`The receiver did not answer completely within ${limitMs / 1000} seconds`);
  if (error instanceof UnknownHost) return retry(error.message);
  if (error instanceof DnsUnavailable) return retry('The name servers do not answer');
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) throw error;
  if (UNSENDABLE.has(code)) return failure('A header can not be sent');
  if (error instanceof TypeError) throw error;
  const reason = NETWORK.find(([codes]) => codes.test(code))?.[1] ?? 'The connection failed';
  return retry(`${reason} (${code})`);
}
