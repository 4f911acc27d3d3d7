/** Where a redirect leads, and what of a request goes along (RFC 9110, 15.4; contract, section 7). Pure. */
import type { IncomingMessage } from 'node:http';
import { WebhookFault } from './fault.js';
import { harmless, withoutBody } from './headers.js';
import type { RenderedRequest } from './render.js';

export interface Route extends Omit<RenderedRequest, 'method'> {
  method: string;
  /** Redirects until here. */
  redirects: number;
  /**
   * Whether this is still the host that the step names: what is signed or secret stays with it. Once left, it is not
   * trusted again.
   */
  trusted: boolean;
}

const TO_GET = new Set([301, 302, 303]);
const SAME_METHOD = new Set([307, 308]);

/**
 * The request that a redirect asks for; null when the answer is none, or names no place.
 *
 * @throws WebhookFault when it leads to anything but http and https
 */
export function nextRoute(
  route: Route,
  { statusCode = 0, headers: { location } }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
): Route | null {
  const toGet = TO_GET.has(statusCode);
  if (location === undefined || !(toGet || SAME_METHOD.has(statusCode))) return null;
  const url = resolve(location, route.url);
  const trusted = route.trusted && isSameHost(route.url, url);
  const headers = trusted ? route.headers : harmless(route.headers);
  const { redirects, method, body } = route;
  const next = { url, redirects: redirects + 1, trusted };
  return toGet
    ? { ...next, method: 'GET', body: null, headers: withoutBody(headers) }
    : { ...next, method, body, headers };
}

function resolve(location: string, base: URL): URL {
  // Node reads headers as Latin-1, but what is not ASCII in a URL is UTF-8.
  const target = Buffer.from(location, 'latin1').toString();
  const url = URL.canParse(target, base.href) ? new URL(target, base) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new WebhookFault('The receiver redirects to something that is not an http or https address');
  // Node's client would send them as the header Authorization.
  Object.assign(url, { username: '', password: '', hash: '' });
  return url;
}

/** The same scheme, name and port; or, as in most clients, from http to https on their usual ports. */
const isSameHost = (from: URL, to: URL): boolean =>
  from.origin === to.origin ||
  (from.hostname === to.hostname &&
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    from.port === '' &&
    to.port === '');
