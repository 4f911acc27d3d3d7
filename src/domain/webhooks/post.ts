/** Sends one delivery to its endpoint. */
import { Agent as HttpAgent, STATUS_CODES, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { sendRequest, toStorable } from '../executions/webhook/call.js';
import type { Network } from '../executions/webhook/guard.js';
import { decideByError, readRetryAfter } from '../executions/webhook/retry.js';
import { signatureHeaders } from '../executions/webhook/sign.js';
import { MAX_RETRY_AFTER_MS } from './health.js';

/** For the lookup, the connection, and the response. */
export const POST_TIMEOUT_MS = 15_000;
/** Of the response's body, for the log. */
const MAX_RESPONSE_BYTES = 4096;
const USER_AGENT = 'Sendloom-Webhooks/1';

export interface PostResult {
  isSuccess: boolean;
  durationMs: number;
  /** null without a response. */
  statusCode: number | null;
  response: string | null;
  /** A sentence; null for a success. */
  error: string | null;
  retryAfterMs: number | null;
}

export interface Post {
  url: string;
  /** The header `webhook-id`. */
  id: string;
  body: string;
  /** All of them sign. */
  secrets: string[];
}

/** Connections to the receiver, which are kept open between deliveries. */
export interface Connections {
  network: Network;
  agent: HttpAgent;
  close: () => void;
}

/** @param perHost concurrent connections */
export function openConnections(network: Network, url: string, perHost: number): Connections {
  const Agent = new URL(url).protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: perHost });
  return { network, agent, close: () => agent.destroy() };
}

/** Returns the headers of a delivery. Each secret adds a signature. */
export function deliveryHeaders({ id, body, secrets }: Omit<Post, 'url'>, sentAt: Date): Record<string, string> {
  const signed = secrets.map((secret) => signatureHeaders(secret, { id, sentAt, body }));
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signed[0],
    'webhook-signature': signed.map((headers) => headers['webhook-signature']).join(' '),
  };
}

/** Makes one attempt. Errors of the receiver and the network are results, not exceptions. */
export async function post({ network, agent }: Connections, request: Post): Promise<PostResult> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(POST_TIMEOUT_MS);
  const toResult = (rest: Omit<PostResult, 'durationMs'>): PostResult => ({
    ...rest,
    durationMs: Math.round(performance.now() - startedAt),
  });
  let statusCode: number | null = null;
  try {
    const message = await sendRequest(
      network,
      {
        url: new URL(request.url),
        method: 'POST',
        headers: deliveryHeaders(request, new Date()),
        body: request.body,
        agent,
      },
      signal,
    );
    statusCode = message.statusCode ?? 0;
    const response = await readBeginning(message);
    const isSuccess = statusCode >= 200 && statusCode < 300;
    return toResult({
      isSuccess,
      statusCode,
      response,
      error: isSuccess ? null : describeStatus(statusCode),
      retryAfterMs: isSuccess ? null : readRetryAfter(message.headers['retry-after'], new Date(), MAX_RETRY_AFTER_MS),
    });
  } catch (error) {
    const { reason, retryAfterMs } = decideByError(error, signal, POST_TIMEOUT_MS);
    return toResult({ isSuccess: false, statusCode, response: null, error: reason, retryAfterMs });
  }
}

function describeStatus(statusCode: number): string {
  const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
  return statusCode >= 300 && statusCode < 400
    ? `The receiver redirected (${status}). Redirects are not followed.`
    : `The receiver responded with ${status}.`;
}

/** Reads the first bytes of a body. A longer one closes the connection. */
async function readBeginning(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('A body without an encoding is read as buffers');
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_RESPONSE_BYTES) break;
  }
  return toStorable(new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES)));
}
