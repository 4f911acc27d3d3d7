/**
 * Which addresses the requests of WEBHOOK steps may reach: those of the public internet, and nothing inside (contract,
 * section 7). Pure.
 *
 * Sources: the IANA special-purpose address registries (RFC 6890 and its successors); the metadata services of the
 * clouds, most of which are link-local already.
 */
import { BlockList, isIP } from 'node:net';

const NOT_PUBLIC_V4: ReadonlyArray<readonly [network: string, bits: number, is: string]> = [
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
  // Azure's platform, the same in every network of it, and the one such address outside of the ranges above.
  ['168.63.129.16', 32, 'a metadata address'],
];

/** Of IPv6 only 2000::/3 is public; inside it these are not. */
const NOT_PUBLIC_V6: ReadonlyArray<readonly [network: string, bits: number, is: string]> = [
  // Among them Teredo (2001::/32), which has an IPv4 address inside.
  ['2001::', 23, 'a reserved address'],
  ['2001:db8::', 32, 'a documentation address'],
  ['2002::', 16, 'a 6to4 address'],
  ['3fff::', 20, 'a documentation address'],
];

/** Names for the best known of what lies outside of 2000::/3. */
const OTHER_V6: typeof NOT_PUBLIC_V6 = [
  ['::', 128, 'an unspecified address'],
  ['::1', 128, 'a loopback address'],
  ['::ffff:0:0', 96, 'an IPv4 address in IPv6'],
  ['64:ff9b::', 96, 'a NAT64 address'],
  ['64:ff9b:1::', 48, 'a NAT64 address'],
  ['fc00::', 7, 'a private address'],
  ['fe80::', 10, 'a link-local address'],
  ['ff00::', 8, 'a multicast address'],
];

// A list for each network: BlockList itself takes an IPv4 address for one in `::ffff:0:0/96`.
const rule =
  (family: 'ipv4' | 'ipv6') =>
  ([network, bits, is]: readonly [string, number, string]) => {
    const list = new BlockList();
    list.addSubnet(network, bits, family);
    return { is, has: (address: string): boolean => list.check(address, family) };
  };

const RULES_V4 = NOT_PUBLIC_V4.map(rule('ipv4'));
const RULES_V6 = [...NOT_PUBLIC_V6, ...OTHER_V6].map(rule('ipv6'));
const PUBLIC_V6 = rule('ipv6')(['2000::', 3, 'public']);

/**
 * What an address is that must not be reached, such as `a private address`; null for one of the public internet.
 *
 * @param address as a resolver or a parsed URL gives it, without brackets; what is no address counts as not public
 */
export function whyNotPublic(address: string): string | null {
  // fe80::1%eth0: a zone makes sense on the local link only.
  if (address.includes('%')) return 'a link-local address';
  switch (isIP(address)) {
    case 4:
      return RULES_V4.find(({ has }) => has(address))?.is ?? null;
    case 6:
      return RULES_V6.find(({ has }) => has(address))?.is ?? (PUBLIC_V6.has(address) ? null : 'a reserved address');
    default:
      return 'not an address';
  }
}
