/**
 * The network that WEBHOOK steps see: names are resolved once, their addresses checked, and only a checked one is
 * connected to.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Config } from '../../../config.js';
import { DnsUnavailable, type Dns } from '../../../dns.js';
import { whyNotPublic } from './addresses.js';
import { WebhookFault } from './fault.js';

export interface Network {
  /** All addresses of a name; none when there is no such name. */
  resolve: (host: string) => Promise<string[]>;
  /** Why an address may not be reached, such as `a private address`; null when it may. */
  whyRefused: (address: string) => string | null;
  /** A PEM certificate that is trusted instead of the system's. */
  ca?: string;
}

/** A name without an address: it may get one, so this is as good as a connection that fails. */
export class UnknownHost extends Error {}

/** What of a process decides where its requests go. */
export interface Surroundings {
  dns: Pick<Dns, 'a' | 'aaaa'>;
  config: Pick<Config, 'DNS_SERVERS' | 'WEBHOOK_ALLOW_PRIVATE'>;
}

export const networkOf = (ctx: Surroundings): Network => ({
  resolve: (host) => addressesOf(ctx, host),
  whyRefused: ctx.config.WEBHOOK_ALLOW_PRIVATE ? () => null : whyNotPublic,
});

/**
 * Asks the configured name servers, and the system (its hosts file, a container's network) for a name that they don't
 * know: the embedded stub knows `.test` only.
 */
async function addressesOf({ dns, config }: Surroundings, name: string): Promise<string[]> {
  const host = name.replace(/\.$/, '');
  // Always the machine itself (RFC 6761, 6.3), whatever a server says.
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  if (config.DNS_SERVERS?.trim()) {
    const answers = await Promise.allSettled([dns.a(host), dns.aaaa(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  }
  return systemAddresses(host);
}

async function systemAddresses(host: string): Promise<string[]> {
  try {
    return (await systemLookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND') return [];
    throw new DnsUnavailable('The system can not resolve names', { cause: error });
  }
}

/**
 * The addresses of a URL's host that may be connected to, IPv4 first. Of several, those that may not are left out.
 *
 * @throws WebhookFault when there are only such that may not; UnknownHost, DnsUnavailable
 */
export async function checkedAddresses(network: Network, { hostname }: URL): Promise<string[]> {
  // The URL's parser has made one spelling of every way to write an IPv4 address: decimal, octal, hexadecimal, with
  // fewer parts.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const addresses = isIP(host) === 0 ? await network.resolve(host) : [host];
  if (addresses.length === 0) throw new UnknownHost(`There is no address for the name ${host}`);
  const allowed = addresses.filter((address) => network.whyRefused(address) === null);
  const [first] = addresses;
  if (allowed.length === 0 && first !== undefined) {
    const what = network.whyRefused(first);
    throw new WebhookFault(host === first ? `Not called: ${host} is ${what}` : `Not called: ${host} leads to ${what}`);
  }
  return allowed.sort((a, b) => isIP(a) - isIP(b));
}

/** A look-up for one connection, which knows the checked addresses and nothing else. */
export const pinned = (addresses: readonly string[]): LookupFunction => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, { all }, callback) => {
    const [first] = answers;
    if (!first) callback(new UnknownHost(`There is no address for the name ${host}`), '');
    else if (all) callback(null, answers);
    else callback(null, first.address, first.family);
  };
};
