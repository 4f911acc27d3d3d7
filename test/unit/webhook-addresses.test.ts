import { expect, test } from 'vitest';
import { whyNotPublic } from '../../src/domain/executions/webhook/addresses.js';

test.each([
  ['0.0.0.0', 'an unspecified address'],
  ['0.1.2.3', 'an unspecified address'],
  ['10.0.0.0', 'a private address'],
  ['10.255.255.255', 'a private address'],
  ['100.64.0.1', "a carrier's shared address"],
  ['100.127.255.255', "a carrier's shared address"],
  // Alibaba's metadata service
  ['100.100.100.200', "a carrier's shared address"],
  ['127.0.0.1', 'a loopback address'],
  ['127.255.255.254', 'a loopback address'],
  // AWS, Google, Azure, DigitalOcean; AWS's task metadata
  ['169.254.169.254', 'a link-local address'],
  ['169.254.170.2', 'a link-local address'],
  ['168.63.129.16', 'a metadata address'],
  ['172.16.0.1', 'a private address'],
  ['172.31.255.255', 'a private address'],
  // Oracle's metadata service
  ['192.0.0.192', 'a reserved address'],
  ['192.0.2.1', 'a documentation address'],
  ['192.88.99.1', 'a 6to4 relay address'],
  ['192.168.1.1', 'a private address'],
  ['198.18.0.1', 'a benchmarking address'],
  ['198.19.255.255', 'a benchmarking address'],
  ['198.51.100.7', 'a documentation address'],
  ['203.0.113.7', 'a documentation address'],
  ['224.0.0.1', 'a multicast address'],
  ['239.255.255.255', 'a multicast address'],
  ['240.0.0.1', 'a reserved address'],
  ['255.255.255.255', 'a reserved address'],
  ['::', 'an unspecified address'],
  ['::1', 'a loopback address'],
  ['0:0:0:0:0:0:0:1', 'a loopback address'],
  ['::127.0.0.1', 'a reserved address'],
  ['::ffff:127.0.0.1', 'an IPv4 address in IPv6'],
  ['::ffff:7f00:1', 'an IPv4 address in IPv6'],
  ['::ffff:8.8.8.8', 'an IPv4 address in IPv6'],
  ['::ffff:0:8.8.8.8', 'a reserved address'],
  ['64:ff9b::a9fe:a9fe', 'a NAT64 address'],
  ['64:ff9b:1::1', 'a NAT64 address'],
  ['100::1', 'a reserved address'],
  ['2001::1', 'a reserved address'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'a reserved address'],
  ['2001:20::1', 'a reserved address'],
  ['2001:db8::1', 'a documentation address'],
  ['2002:7f00:1::', 'a 6to4 address'],
  ['2002:a9fe:a9fe::1', 'a 6to4 address'],
  ['3fff::1', 'a documentation address'],
  ['4000::1', 'a reserved address'],
  ['5f00::1', 'a reserved address'],
  ['fc00::1', 'a private address'],
  // AWS's metadata service over IPv6
  ['fd00:ec2::254', 'a private address'],
  ['fe80::1', 'a link-local address'],
  ['fe80::1%eth0', 'a link-local address'],
  ['fec0::1', 'a reserved address'],
  ['ff02::1', 'a multicast address'],
  ['example.com', 'not an address'],
  ['', 'not an address'],
  ['127.1', 'not an address'],
])('%s is %s', (address, is) => {
  expect(whyNotPublic(address)).toBe(is);
});

test.each(['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '223.255.255.255', '2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:81b::200e', '2003::1'])(
  '%s is public',
  (address) => {
    expect(whyNotPublic(address)).toBeNull();
  },
);
