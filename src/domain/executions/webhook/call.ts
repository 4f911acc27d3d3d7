/** Sends the request of a WEBHOOK step, follows redirects, and reads the response. */
import { request as httpRequest, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { TextDecoder } from 'node:util';
import { constants, createBrotliDecompress, createUnzip, type BrotliDecompress, type Unzip } from 'node:zlib';
import type { JsonValue } from '../../../db/predicate.js';
import { toWellFormed } from '../../../mail/template-value.js';
import type { WebhookRequest } from '../../workflows/webhook-config.js';
import {
  checkedAddresses,
  networkOf,
  nextRoute,
  pinnedLookup,
  type Network,
  type NetworkContext,
  type Route,
} from './guard.js';
import { renderRequest, WebhookFault, type Headers, type WebhookFacts } from './request.js';
import { decideByError, decideByResponse, type WebhookOutcome } from './retry.js';
import { signatureHeaders } from './sign.js';

export interface WebhookCall {
  request: WebhookRequest;
  facts: WebhookFacts;
  /** The same for every attempt of a step. Receivers use it to detect repeats. */
  id: string;
  /** `whsec_…` */
  secret: string;
}

export interface WebhookResult extends Omit<ResponseBody, 'body'> {
  outcome: WebhookOutcome;
  /** A sentence without addresses and values; null for a success. */
  reason: string | null;
  method: string;
  /** The last URL that was called, after redirects; null if the rendered URL was not valid. */
  url: string | null;
  redirects: number;
  /** null without a response, as are the next two. */
  statusCode: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  durationMs: number;
  /** The delay that the receiver asks for. */
  retryAfterMs: number | null;
}

/** For one attempt: lookups, connections, redirects, and the body. */
const CALL_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Makes one attempt. Errors of the receiver, the network, and the values are results, not exceptions. */
export const callWebhook = (ctx: NetworkContext, call: WebhookCall): Promise<WebhookResult> =>
  callOver(networkOf(ctx), call);

/** Makes one attempt over the given network. */
export async function callOver(
  network: Network,
  { request, facts, id, secret }: WebhookCall,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<WebhookResult> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  let route: Route | null = null;
  let statusCode: number | null = null;
  const toResult = (rest: Partial<WebhookResult> & Pick<WebhookResult, 'outcome'>): WebhookResult => ({
    reason: null,
    method: request.method,
    url: route?.url.href ?? null,
    redirects: route?.redirects ?? 0,
    statusCode,
    headers: null,
    body: null,
    truncated: false,
    retryAfterMs: null,
    ...rest,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    route = { ...renderRequest(request, facts), redirects: 0, trusted: true };
    for (;;) {
      const { url, method, body, headers, trusted } = route;
      const signed = trusted
        ? { ...headers, ...signatureHeaders(secret, { id, sentAt: new Date(), body: body ?? '' }) }
        : headers;
      const response: IncomingMessage = await sendRequest(network, { url, method, headers: signed, body }, signal);
      statusCode = response.statusCode ?? 0;
      const next = nextRoute(route, response);
      if (!next)
        return toResult({
          headers: storedHeaders(response.headers),
          ...(await readBody(response)),
          ...decideByResponse(statusCode, response.headers),
        });
      response.destroy();
      if (next.redirects > MAX_REDIRECTS)
        throw new WebhookFault(`The receiver redirects more than ${MAX_REDIRECTS} times.`);
      route = next;
    }
  } catch (error) {
    return toResult(decideByError(error, signal, timeoutMs));
  }
}

export interface HttpRequest {
  url: URL;
  method: string;
  headers: Headers;
  body: string | null;
  /** Keeps connections open between requests to the same host. Default: a connection per request. */
  agent?: Agent;
}

/** Time for one of a host's addresses before the next one is tried as well. */
const ADDRESS_TIMEOUT_MS = 2000;

/**
 * Sends one request and resolves with the response's headers. Follows no redirect.
 *
 * Without an agent, each request has its own connection. It uses no proxy from the environment. A connection that an
 * agent keeps was opened to a checked address.
 *
 * @throws WebhookFault for a refused address; the reason of an aborted `signal`; UnknownHost, DnsUnavailable, or Node's
 * error
 */
export async function sendRequest(
  network: Network,
  { url, method, headers, body, agent }: HttpRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await unlessAborted(checkedAddresses(network, url), signal);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  // Node omits the length for methods such as DELETE. The receiver would read the body as a second request.
  const withLength = body === null ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const options = {
    method,
    headers: withLength,
    agent: agent ?? false,
    signal,
    lookup: pinnedLookup(addresses),
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    ca: network.ca,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options);
    outgoing.on('response', (response) => {
      // The reader of the body gets later errors. A redirect's body is not read, and its errors do not matter.
      response.on('error', () => undefined);
      resolve(response);
    });
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** Of the body, both as sent and as decompressed (contract, section 7). */
const MAX_BODY_BYTES = 64 * 1024;
/** Deeper JSON is stored only as text, because JSON readers are recursive, including PostgreSQL's. */
const MAX_JSON_DEPTH = 100;
const MAX_HEADER_LENGTH = 1000;
/** The headers that help to understand a response. Cookies are not stored. */
const STORED_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'location',
  'retry-after',
  'server',
  'www-authenticate',
  'x-request-id',
] as const;

export interface ResponseBody {
  body: string;
  /** Set if the body is complete and is JSON. */
  json?: JsonValue;
  /** Whether the body was longer. */
  truncated: boolean;
}

/**
 * Reads the first 64 KiB, decodes them, and closes the connection.
 *
 * @throws Node's error if the connection breaks before
 */
async function readBody(message: IncomingMessage): Promise<ResponseBody> {
  const sent = await readBytes(message);
  const plain = await decompress(sent.bytes, message.headers['content-encoding']);
  const truncated = sent.truncated || plain.truncated;
  const type = message.headers['content-type'] ?? '';
  const body = toText(plain.bytes, type, truncated);
  const json = truncated ? undefined : toJson(body, type);
  return { body, ...(json !== undefined && { json }), truncated };
}

interface Bytes {
  bytes: Buffer;
  truncated: boolean;
}

async function readBytes(message: IncomingMessage): Promise<Bytes> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('A body without an encoding is read as buffers');
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BODY_BYTES) break;
  }
  return {
    bytes: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES),
    truncated: size > MAX_BODY_BYTES || !message.complete,
  };
}

/** Decodes `Content-Encoding` up to the limit. Invalid data is returned as it was sent, or up to the error. */
async function decompress(bytes: Buffer, encoding: string | undefined): Promise<Bytes> {
  const decoder = bytes.length > 0 ? decoderFor(encoding?.trim().toLowerCase()) : null;
  if (!decoder) return { bytes, truncated: false };
  const chunks: Buffer[] = [];
  let size = 0;
  decoder.end(bytes);
  try {
    for await (const chunk of decoder) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('A decoder without an encoding gives buffers');
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BODY_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return size === 0 ? { bytes, truncated: false } : { bytes: Buffer.concat(chunks), truncated: true };
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES), truncated: size > MAX_BODY_BYTES };
}

function decoderFor(encoding: string | undefined): Unzip | BrotliDecompress | null {
  // The flush modes return the data of a truncated input instead of an error.
  if (encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate')
    return createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  return encoding === 'br' ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }) : null;
}

function toText(bytes: Buffer, type: string, truncated: boolean): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  // `stream` drops an incomplete last character.
  return toStorable(textDecoderFor(charset).decode(bytes, { stream: truncated }));
}

function textDecoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}

/** Replaces U+0000 and lone surrogates, which PostgreSQL's jsonb cannot store. */
export const toStorable = (text: string): string => toWellFormed(text.replaceAll('\u0000', '\uFFFD'));

function toJson(text: string, type: string): JsonValue | undefined {
  if (!/[/+]json\b/i.test(type) && !/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return toStorableJson(value, 0);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns undefined if the value is nested too deeply. */
function toStorableJson(value: JsonValue, depth: number): JsonValue | undefined {
  if (typeof value === 'string') return toStorable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_JSON_DEPTH) return undefined;
  const items = Array.isArray(value)
    ? value.map((item) => toStorableJson(item, depth + 1))
    : Object.values(value).map((item) => toStorableJson(item, depth + 1));
  const kept = items.filter((item) => item !== undefined);
  if (kept.length < items.length) return undefined;
  return Array.isArray(value)
    ? kept
    : Object.fromEntries(Object.keys(value).map((key, index) => [toStorable(key), kept[index] ?? null]));
}

function storedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    STORED_HEADERS.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, toStorable(String(headers[name])).slice(0, MAX_HEADER_LENGTH)]],
    ),
  );
}
