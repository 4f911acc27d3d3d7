/**
 * The request of a WEBHOOK step, from its templates to the receiver's answer, and what that answer means (contract,
 * section 7).
 */
import type { IncomingMessage } from 'node:http';
import type { WebhookRequest } from '../../workflows/webhook-config.js';
import { keepHeaders, readBody, type KeptBody } from './answer.js';
import { WebhookFault } from './fault.js';
import { judgeAnswer, judgeError, type WebhookOutcome } from './judge.js';
import { networkOf, type Network, type Surroundings } from './network.js';
import { nextRoute, type Route } from './redirects.js';
import { renderRequest, type WebhookFacts } from './render.js';
import { send } from './send.js';
import { signatureHeaders } from './sign.js';

export interface WebhookCall {
  request: WebhookRequest;
  facts: WebhookFacts;
  /** The same for every attempt of a step: receivers know repeats by it. */
  id: string;
  /** `whsec_…` */
  secret: string;
}

export interface WebhookResult extends Omit<KeptBody, 'body'> {
  outcome: WebhookOutcome;
  /** A sentence without addresses and values; null for a success. */
  reason: string | null;
  method: string;
  /** What was called last, after redirects, whether it answered or not; null when the values made no URL. */
  url: string | null;
  redirects: number;
  /** null when there was no answer, as the two below. */
  statusCode: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  durationMs: number;
  /** When the receiver wants to be asked again. */
  retryAfterMs: number | null;
}

/** For everything together: names, connections, redirects, the body. */
const LIMIT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Makes one attempt. Never throws for what receivers, networks and values can do. */
export const callWebhook = (ctx: Surroundings, call: WebhookCall): Promise<WebhookResult> =>
  attempt(networkOf(ctx), call);

/** The same over a given network, and with a given limit in milliseconds. */
export async function attempt(network: Network, call: WebhookCall, limitMs = LIMIT_MS): Promise<WebhookResult> {
  const begun = performance.now();
  const { request, facts, id, secret } = call;
  const result = (rest: Partial<WebhookResult> & Pick<WebhookResult, 'outcome'>): WebhookResult => ({
    reason: null,
    method: request.method,
    url: route?.url.href ?? null,
    redirects: route?.redirects ?? 0,
    statusCode: null,
    headers: null,
    body: null,
    truncated: false,
    retryAfterMs: null,
    ...rest,
    durationMs: Math.round(performance.now() - begun),
  });
  const signal = AbortSignal.timeout(limitMs);
  let route: Route | null = null;
  let statusCode: number | null = null;
  try {
    route = { ...renderRequest(request, facts), redirects: 0, trusted: true };
    for (;;) {
      const { url, method, body, headers, trusted } = route;
      const signed = trusted
        ? { ...headers, ...signatureHeaders(secret, { id, sentAt: new Date(), body: body ?? '' }) }
        : headers;
      const answer: IncomingMessage = await send(network, { url, method, headers: signed, body }, signal);
      statusCode = answer.statusCode ?? 0;
      const next = nextRoute(route, answer);
      if (!next)
        return result({
          statusCode,
          headers: keepHeaders(answer.headers),
          ...(await readBody(answer)),
          ...judgeAnswer(statusCode, answer.headers),
        });
      answer.destroy();
      if (next.redirects > MAX_REDIRECTS)
        throw new WebhookFault(`The receiver redirects more than ${MAX_REDIRECTS} times`);
      route = next;
    }
  } catch (error) {
    return result({ statusCode, ...judgeError(error, signal, limitMs) });
  }
}
