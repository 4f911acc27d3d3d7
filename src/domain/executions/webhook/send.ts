/** One HTTP request to one host, over a connection of its own. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Headers } from './headers.js';
import { checkedAddresses, pinned, type Network } from './network.js';

export interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body: string | null;
}

/** Time for each of a name's addresses, as long as there is another one to try. */
const NEXT_ADDRESS_MS = 2000;

/**
 * Sends a request, and answers once the receiver's headers are there. Follows no redirect.
 *
 * An agent of its own for each request, so that no proxy of the environment comes between, and no connection is used
 * that was made, and checked, for somebody else.
 *
 * @throws WebhookFault for an address that may not be reached, `signal`'s reason once it is aborted, UnknownHost,
 * DnsUnavailable, or Node's error
 */
export async function send(
  network: Network,
  { url, method, headers, body }: Hop,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await unlessAborted(checkedAddresses(network, url), signal);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  // Node itself says it of some methods only: of a DELETE the receiver would take the body for a second request.
  const sized = body === null ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const options = {
    method,
    headers: sized,
    agent: false,
    signal,
    lookup: pinned(addresses),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    ca: network.ca,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options);
    outgoing.on('response', (answer) => {
      // What goes wrong from here on is told to whoever reads the body; a body that nobody reads may end as it likes.
      answer.on('error', () => undefined);
      resolve(answer);
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
