/**
 * Restricts the requests of WEBHOOK steps to the public internet (contract, section 7). A name is resolved once, its
 * addresses are checked, and the connection is pinned to them. Redirects are checked in the same way.
 *
 * Address ranges: the IANA special-purpose address registries (RFC 6890 and its successors), and the metadata services
 * of the clouds, most of which are link-local. The tables are hand-written because `range()` of `ipaddr.js` 2.5
 * returns `unicast` for 168.63.129.16 and for addresses outside 2000::/3, such as 4000::1.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Config } from '../../../config.js';
import { DnsUnavailable, type Dns } from '../../../dns.js';
import { WebhookFault, type Headers, type RenderedRequest } from './request.js';

type AddressRange = readonly [network: string, bits: number, description: string];

const NOT_PUBLIC_V4: readonly AddressRange[] = [
  ['0.0.0.0', 8, 'an unspecified address'],
  ['10.0.0.0', 8, 'a private address'],
  ['100.64.0.0', 10, "a carrier's shared address"],
  ['127.0.0.0', 8, 'a loopback address'],
  ['169.254.0.0', 16, 'a link-local address'],
  ['172.16.0.0', 12, 'a private address'],
  ['192.0.0.0', 24, 'a reserved address'],
  ['192.0.2.0', 24, 'a documentation address'],
  ['192.88.99.0', 24, 'a 6to4 relay address'],
  ['192.168.0.0', 16, 'a private address'],
  ['198.18.0.0', 15, 'a benchmarking address'],
  ['198.51.100.0', 24, 'a documentation address'],
  ['203.0.113.0', 24, 'a documentation address'],
  ['224.0.0.0', 4, 'a multicast address'],
  ['240.0.0.0', 4, 'a reserved address'],
  // Azure's platform services, in every Azure network. The only metadata address outside the ranges above.
  ['168.63.129.16', 32, 'a metadata address'],
];

/** In IPv6, only 2000::/3 is public, except for these ranges. */
const NOT_PUBLIC_V6: readonly AddressRange[] = [
  // Includes Teredo (2001::/32), whose addresses contain an IPv4 address.
  ['2001::', 23, 'a reserved address'],
  ['2001:db8::', 32, 'a documentation address'],
  ['2002::', 16, 'a 6to4 address'],
  ['3fff::', 20, 'a documentation address'],
];

/** Descriptions of well-known ranges outside 2000::/3. */
const OTHER_V6: readonly AddressRange[] = [
  ['::', 128, 'an unspecified address'],
  ['::1', 128, 'a loopback address'],
  ['::ffff:0:0', 96, 'an IPv4 address in IPv6'],
  ['64:ff9b::', 96, 'a NAT64 address'],
  ['64:ff9b:1::', 48, 'a NAT64 address'],
  ['fc00::', 7, 'a private address'],
  ['fe80::', 10, 'a link-local address'],
  ['ff00::', 8, 'a multicast address'],
];

// One list per range: a BlockList with both families treats an IPv4 address as part of `::ffff:0:0/96`.
const toRule =
  (family: 'ipv4' | 'ipv6') =>
  ([network, bits, description]: AddressRange) => {
    const list = new BlockList();
    list.addSubnet(network, bits, family);
    return { description, matches: (address: string): boolean => list.check(address, family) };
  };

const RULES_V4 = NOT_PUBLIC_V4.map(toRule('ipv4'));
const RULES_V6 = [...NOT_PUBLIC_V6, ...OTHER_V6].map(toRule('ipv6'));
const PUBLIC_V6 = toRule('ipv6')(['2000::', 3, 'public']);

/**
 * Returns why an address is not public, such as `a private address`; null for an address of the public internet.
 *
 * @param address as from a resolver or a parsed URL, without brackets; text that is not an address is not public
 */
export function whyNotPublic(address: string): string | null {
  // An address with a zone, such as fe80::1%eth0, is valid only on the local link.
  if (address.includes('%')) return 'a link-local address';
  switch (isIP(address)) {
    case 4:
      return RULES_V4.find(({ matches }) => matches(address))?.description ?? null;
    case 6:
      return (
        RULES_V6.find(({ matches }) => matches(address))?.description ??
        (PUBLIC_V6.matches(address) ? null : 'a reserved address')
      );
    default:
      return 'not an address';
  }
}

/** Resolves and checks addresses. Tests replace it. */
export interface Network {
  /** Returns all addresses of a name; an empty list if the name does not exist. */
  resolve: (host: string) => Promise<string[]>;
  /** Returns why an address is refused, such as `a private address`; null if it is allowed. */
  whyRefused: (address: string) => string | null;
  /** A PEM certificate to trust instead of the system's. */
  ca?: string;
}

/** A name without an address. It may get one later, so the request is retried. */
export class UnknownHost extends Error {}

export interface NetworkContext {
  dns: Pick<Dns, 'a' | 'aaaa'>;
  config: Pick<Config, 'DNS_SERVERS' | 'WEBHOOK_ALLOW_PRIVATE'>;
}

export const networkOf = (ctx: NetworkContext): Network => ({
  resolve: (host) => resolveHost(ctx, host),
  whyRefused: ctx.config.WEBHOOK_ALLOW_PRIVATE ? () => null : whyNotPublic,
});

/**
 * Queries the configured name servers. For a name that they do not know, queries the system's resolver (its hosts file,
 * a container's network): the embedded DNS server knows only `.test`.
 */
async function resolveHost({ dns, config }: NetworkContext, name: string): Promise<string[]> {
  const host = name.replace(/\.$/, '');
  // Always this machine (RFC 6761, 6.3). The name servers are not queried.
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  if (config.DNS_SERVERS?.trim()) {
    const lookups = await Promise.allSettled([dns.a(host), dns.aaaa(host)]);
    const found = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    if (found.length > 0) return found;
    for (const lookup of lookups) if (lookup.status === 'rejected') throw lookup.reason;
  }
  return resolveBySystem(host);
}

async function resolveBySystem(host: string): Promise<string[]> {
  try {
    return (await systemLookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND') return [];
    throw new DnsUnavailable('The system cannot resolve names', { cause: error });
  }
}

/**
 * Returns the allowed addresses of a URL's host, IPv4 first.
 *
 * @throws WebhookFault if all of its addresses are refused; UnknownHost, DnsUnavailable
 */
export async function checkedAddresses(network: Network, { hostname }: URL): Promise<string[]> {
  // The URL parser has normalized every spelling of an IPv4 address: decimal, octal, hexadecimal, and short forms.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const addresses = isIP(host) === 0 ? await network.resolve(host) : [host];
  if (addresses.length === 0) throw new UnknownHost(`The host ${host} has no address.`);
  const allowed = addresses.filter((address) => network.whyRefused(address) === null);
  const [first] = addresses;
  if (allowed.length === 0 && first !== undefined) {
    const reason = network.whyRefused(first);
    throw new WebhookFault(`Not called: ${host} ${host === first ? 'is' : 'resolves to'} ${reason}.`);
  }
  return allowed.sort((a, b) => isIP(a) - isIP(b));
}

/** Returns a lookup function for one connection that knows only the checked addresses. */
export const pinnedLookup = (addresses: readonly string[]): LookupFunction => {
  const records = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, { all }, callback) => {
    const [first] = records;
    if (!first) callback(new UnknownHost(`The host ${host} has no address.`), '');
    else if (all) callback(null, records);
    else callback(null, first.address, first.family);
  };
};

/** A request with the redirects that have led to it. */
export interface Route extends Omit<RenderedRequest, 'method'> {
  method: string;
  redirects: number;
  /**
   * Whether every redirect has stayed on the step's host. Only that host gets signatures and credentials; a redirect
   * back does not restore the trust.
   */
  trusted: boolean;
}

const REDIRECTS_TO_GET = new Set([301, 302, 303]);
const REDIRECTS_WITH_METHOD = new Set([307, 308]);
/** Headers that any host may see. Any other header can be a credential. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/**
 * Returns the request that a redirect leads to (RFC 9110, 15.4); null if the response is not a redirect or has no
 * location.
 *
 * @throws WebhookFault if it leads to a URL that is not http or https
 */
export function nextRoute(
  route: Route,
  { statusCode = 0, headers: { location } }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
): Route | null {
  const toGet = REDIRECTS_TO_GET.has(statusCode);
  if (location === undefined || !(toGet || REDIRECTS_WITH_METHOD.has(statusCode))) return null;
  const url = resolveLocation(location, route.url);
  const trusted = route.trusted && isSameHost(route.url, url);
  const headers = trusted ? route.headers : filterHeaders(route.headers, (name) => HARMLESS_HEADERS.has(name));
  const { redirects, method, body } = route;
  const next = { url, redirects: redirects + 1, trusted };
  return toGet
    ? { ...next, method: 'GET', body: null, headers: filterHeaders(headers, (name) => !name.startsWith('content-')) }
    : { ...next, method, body, headers };
}

const filterHeaders = (headers: Headers, keeps: (name: string) => boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keeps(name)));

function resolveLocation(location: string, base: URL): URL {
  // Node reads headers as Latin-1, but non-ASCII characters of a URL are UTF-8.
  const target = Buffer.from(location, 'latin1').toString();
  const url = URL.canParse(target, base.href) ? new URL(target, base) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new WebhookFault('The receiver redirects to a URL that is not http or https.');
  // Node's client would send the user name and password as an Authorization header.
  Object.assign(url, { username: '', password: '', hash: '' });
  return url;
}

/** The same scheme, name, and port; or, as in most clients, from http to https on their default ports. */
const isSameHost = (from: URL, to: URL): boolean =>
  from.origin === to.origin ||
  (from.hostname === to.hostname &&
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    from.port === '' &&
    to.port === '');
