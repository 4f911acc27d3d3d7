/** The hosts that WEBHOOK steps can reach: real servers on private addresses of this machine, and real DNS. */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { callOver } from '../../src/domain/executions/webhook/call.js';
import { whyNotPublic } from '../../src/domain/executions/webhook/guard.js';
import { networkOf, type Network } from '../../src/domain/executions/webhook/guard.js';
import { DnsUnavailable } from '../../src/dns.js';
import { startDnsStub } from '../../packages/embedded/src/dns.js';
import { createLog } from '../../src/log.js';
import { TEST_CERTIFICATE } from '../helpers/certificate.js';
import { startZone, type TestZone } from '../helpers/dns.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { networkWith, webhookCall } from '../helpers/webhooks.js';

let zone: TestZone;
let receiver: Receiver;
/** As in production: this machine cannot be reached. */
let strict: Network;
/** As in development. */
let open: Network;
/** As in production, as if 127.0.0.1 were a public address. */
let fromOutside: Network;

beforeAll(async () => {
  zone = await startZone();
  // On every address of this machine.
  receiver = await startReceiver({ host: '0.0.0.0' });
  strict = networkWith(zone.server);
  open = networkWith(zone.server, { allowPrivate: true });
  fromOutside = { ...strict, whyRefused: (address) => (address === '127.0.0.1' ? null : whyNotPublic(address)) };
  return async () => {
    await receiver.stop();
    await zone.stop();
  };
});

afterEach(() => {
  zone.clear();
  receiver.requests.length = 0;
  receiver.answer((response) => response.end('ok'));
});

const at = (host: string, path = ''): string => `http://${host}:${receiver.port}${path}`;

describe('private addresses', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '127.000.000.001',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '10.0.0.1',
    '192.168.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
  ])('%s is a permanent failure without a connection', async (host) => {
    const before = receiver.connections();
    const result = await callOver(strict, webhookCall({ url: at(host) }));
    expect(result).toMatchObject({
      outcome: 'failure',
      statusCode: null,
      reason: expect.stringMatching(/^Not called: .* (is|resolves to) an? /),
    });
    expect(receiver.connections()).toBe(before);
  });

  test.each([
    ['A', '127.0.0.1', 'a loopback address'],
    ['A', '10.1.2.3', 'a private address'],
    ['A', '169.254.169.254', 'a link-local address'],
    ['AAAA', '::1', 'a loopback address'],
    ['AAAA', '::ffff:127.0.0.1', 'an IPv4 address in IPv6'],
    ['AAAA', 'fd00:ec2::254', 'a private address'],
    ['AAAA', '64:ff9b::7f00:1', 'a NAT64 address'],
  ])('a name with %s %s is a permanent failure without a connection', async (type, value, what) => {
    zone.publish([{ name: 'inside.test', type, value }]);
    const before = receiver.connections();
    expect(await callOver(strict, webhookCall({ url: at('inside.test') }))).toMatchObject({
      outcome: 'failure',
      reason: `Not called: inside.test resolves to ${what}.`,
    });
    expect(receiver.connections()).toBe(before);
  });

  test('a name that is an alias of a private name is rejected', async () => {
    zone.publish([
      { name: 'alias.test', type: 'CNAME', value: 'inside.test' },
      { name: 'inside.test', type: 'A', value: '127.0.0.1' },
    ]);
    expect(await callOver(strict, webhookCall({ url: at('alias.test') }))).toMatchObject({
      outcome: 'failure',
      reason: 'Not called: alias.test resolves to a loopback address.',
    });
  });

  test('are reachable with WEBHOOK_ALLOW_PRIVATE', async () => {
    zone.publish([{ name: 'inside.test', type: 'A', value: '127.0.0.1' }]);
    for (const host of ['127.0.0.1', '2130706433', 'localhost', 'a.localhost', 'inside.test']) {
      expect(await callOver(open, webhookCall({ url: at(host, '/x') })), host).toMatchObject({
        outcome: 'success',
        statusCode: 200,
        body: 'ok',
      });
    }
    expect(receiver.requests.map(({ url }) => url)).toEqual(Array.from({ length: 5 }, () => '/x'));
  });

  test('a name with several addresses is reached only at its public ones', async () => {
    zone.publish([
      { name: 'mixed.test', type: 'A', value: '127.0.0.2' },
      { name: 'mixed.test', type: 'A', value: '10.0.0.1' },
      { name: 'mixed.test', type: 'A', value: '127.0.0.1' },
      { name: 'mixed.test', type: 'AAAA', value: '::1' },
    ]);
    const seen: Array<string | undefined> = [];
    receiver.answer((response) => {
      seen.push(response.socket?.localAddress);
      response.end();
    });
    expect(await callOver(fromOutside, webhookCall({ url: at('mixed.test') }))).toMatchObject({ outcome: 'success' });
    expect(seen).toEqual(['127.0.0.1']);
  });

  test.each([
    ['127.0.0.2', 'is a loopback address'],
    ['[::1]', 'is a loopback address'],
    ['0x7f000002', 'is a loopback address'],
    ['169.254.169.254', 'is a link-local address'],
    ['inside.test', 'resolves to a loopback address'],
  ])('a redirect to %s is a permanent failure', async (host, reason) => {
    zone.publish([{ name: 'inside.test', type: 'A', value: '127.0.0.2' }]);
    receiver.answer((response) => response.writeHead(307, { location: at(host, '/secret') }).end());
    const result = await callOver(fromOutside, webhookCall({ url: at('127.0.0.1', '/first') }));
    expect(result).toMatchObject({
      outcome: 'failure',
      reason: expect.stringContaining(reason),
      url: new URL(at(host, '/secret')).href,
      redirects: 1,
    });
    expect(receiver.requests.map(({ url }) => url)).toEqual(['/first']);
  });
});

describe('names', () => {
  test('a name is resolved once, and the connection uses the checked address even if the DNS changes', async () => {
    const asked: string[] = [];
    const rebinding = await startDnsStub({
      port: 0,
      log: createLog('silent'),
      async lookup(name) {
        asked.push(name);
        // The first responses, for A and AAAA, are public addresses. All later ones are private.
        return [{ type: 'A', value: asked.length <= 2 ? '127.0.0.1' : '127.0.0.2' }];
      },
    });
    try {
      const seen: Array<string | undefined> = [];
      receiver.answer((response) => {
        seen.push(response.socket?.localAddress);
        response.end();
      });
      const network: Network = { ...fromOutside, resolve: networkWith(rebinding.server).resolve };
      expect(await callOver(network, webhookCall({ url: at('rebind.test') }))).toMatchObject({ outcome: 'success' });
      expect(seen).toEqual(['127.0.0.1']);
      expect(asked).toEqual(['rebind.test', 'rebind.test']);
      // The next attempt resolves the name again and gets a private address.
      expect(await callOver(network, webhookCall({ url: at('rebind.test') }))).toMatchObject({
        outcome: 'failure',
        reason: 'Not called: rebind.test resolves to a loopback address.',
      });
      expect(seen).toHaveLength(1);
    } finally {
      await rebinding.stop();
    }
  });

  test('a name that changes its address between two redirects is checked each time', async () => {
    let inside = false;
    receiver.answer((response, { url }) => {
      inside = true;
      response.writeHead(302, { location: url === '/1' ? '/2' : '/3' }).end();
    });
    const network: Network = { ...fromOutside, resolve: async () => [inside ? '10.0.0.1' : '127.0.0.1'] };
    expect(await callOver(network, webhookCall({ url: at('rebind.test', '/1') }))).toMatchObject({
      outcome: 'failure',
      reason: 'Not called: rebind.test resolves to a private address.',
    });
    expect(receiver.requests).toHaveLength(1);
  });

  test('a name that the configured servers cannot resolve is resolved by the system', async () => {
    expect(await callOver(open, webhookCall({ url: at('unknown.invalid') }))).toMatchObject({
      outcome: 'retry',
      reason: expect.stringMatching(/^The host unknown\.invalid has no address\.$|^The DNS servers do not respond.$/),
    });
    expect(zone.asked('unknown.invalid')).toBe(0);
    expect(zone.asked('unknown.test')).toBe(0);
    expect(await callOver(open, webhookCall({ url: at('unknown.test') }))).toMatchObject({ outcome: 'retry' });
    expect(zone.asked('unknown.test')).toBe(2);
  });

  test('a failing DNS server causes a retry', async () => {
    zone.become('failing');
    expect(await callOver(open, webhookCall({ url: at('any.test') }))).toMatchObject({
      outcome: 'retry',
      reason: 'The DNS servers do not respond.',
    });
  });

  test('a DNS failure for one address family does not matter if the other one has an address', async () => {
    const broken = async (): Promise<string[]> => {
      throw new DnsUnavailable('The test wants a failing server');
    };
    const addresses = async (): Promise<string[]> => ['127.0.0.1'];
    const config = { DNS_SERVERS: zone.server, WEBHOOK_ALLOW_PRIVATE: false };
    expect(await networkOf({ dns: { a: addresses, aaaa: broken }, config }).resolve('half.test')).toEqual([
      '127.0.0.1',
    ]);
    expect(await networkOf({ dns: { a: broken, aaaa: addresses }, config }).resolve('half.test')).toEqual([
      '127.0.0.1',
    ]);
    await expect(networkOf({ dns: { a: broken, aaaa: async () => [] }, config }).resolve('half.test')).rejects.toThrow(
      DnsUnavailable,
    );
  });

  test('the next address is tried if the first one refuses the connection', async () => {
    const one = await startReceiver();
    try {
      const network: Network = { ...open, resolve: async () => ['127.0.0.2', '127.0.0.1'] };
      expect(await callOver(network, webhookCall({ url: `http://several.test:${one.port}/` }))).toMatchObject({
        outcome: 'success',
        body: 'ok',
      });
    } finally {
      await one.stop();
    }
  });

  test('an unresponsive DNS server delays a request by at most its timeout', async () => {
    zone.become('silent');
    const result = await callOver(open, webhookCall({ url: at('silent.test') }), 500);
    expect(result).toMatchObject({
      outcome: 'retry',
      reason: 'The receiver did not send a complete response within 0.5 seconds.',
    });
    expect(result.durationMs).toBeLessThan(5000);
  });

  test('proxy variables of the environment are ignored', async () => {
    const proxy = await startReceiver();
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])
      vi.stubEnv(name, proxy.origin);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    vi.stubEnv('NO_PROXY', '');
    try {
      expect(await callOver(open, webhookCall({ url: at('127.0.0.1') }))).toMatchObject({
        outcome: 'success',
        body: 'ok',
      });
      expect(proxy.connections()).toBe(0);
    } finally {
      vi.unstubAllEnvs();
      await proxy.stop();
    }
  });
});

describe('TLS', () => {
  let secure: Receiver;
  let trusting: Network;

  beforeAll(async () => {
    secure = await startReceiver({ tls: TEST_CERTIFICATE });
    trusting = { ...open, ca: TEST_CERTIFICATE.cert };
    return () => secure.stop();
  });

  const publish = () =>
    zone.publish(['secure.test', 'wrong.test'].map((name) => ({ name, type: 'A', value: '127.0.0.1' })));

  test('a certificate for the host name of the URL is accepted, although the connection is to an address', async () => {
    publish();
    expect(await callOver(trusting, webhookCall({ url: `https://secure.test:${secure.port}/x` }))).toMatchObject({
      outcome: 'success',
      statusCode: 200,
      url: `https://secure.test:${secure.port}/x`,
    });
    expect(secure.requests.at(-1)?.headers.host).toBe(`secure.test:${secure.port}`);
  });

  test('a certificate for another name is rejected before anything is sent', async () => {
    publish();
    const before = secure.requests.length;
    expect(await callOver(trusting, webhookCall({ url: `https://wrong.test:${secure.port}/x` }))).toMatchObject({
      outcome: 'retry',
      reason: "The receiver's certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID).",
    });
    expect(secure.requests).toHaveLength(before);
  });

  test('an untrusted certificate is rejected before anything is sent', async () => {
    publish();
    const before = secure.requests.length;
    expect(await callOver(open, webhookCall({ url: `https://secure.test:${secure.port}/x` }))).toMatchObject({
      outcome: 'retry',
      reason: "The receiver's certificate is not valid (DEPTH_ZERO_SELF_SIGNED_CERT).",
    });
    expect(secure.requests).toHaveLength(before);
  });

  test('an https server without TLS causes a retry', async () => {
    expect(await callOver(trusting, webhookCall({ url: `https://127.0.0.1:${receiver.port}/x` }))).toMatchObject({
      outcome: 'retry',
      reason: expect.stringMatching(/^The TLS handshake with the receiver failed|^The receiver closed/),
    });
  });
});
