import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promises as dns } from 'node:dns';
import dnsPacket from 'dns-packet';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDnsStub, type DnsRecord, type DnsStub } from '../../packages/embedded/src/dns.js';

const longValue = `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`;
const hugeValue = 'x'.repeat(1500);
const records: Record<string, DnsRecord[]> = {
  'example.test': [
    { type: 'A', value: '127.0.0.1' },
    { type: 'MX', value: 'mail.example.test', priority: 20 },
    { type: 'NS', value: 'ns.example.test' },
    { type: 'SOA', value: 'ns.example.test' },
    { type: 'TXT', value: 'v=spf1 -all' },
  ],
  'key._domainkey.example.test': [{ type: 'TXT', value: longValue }],
  'huge.example.test': [{ type: 'TXT', value: hugeValue }],
  'alias.example.test': [{ type: 'CNAME', value: 'example.test' }],
  'loop.example.test': [{ type: 'CNAME', value: 'loop.example.test' }],
};
const asked: string[] = [];

let stub: DnsStub;
let resolver: dns.Resolver;

beforeAll(async () => {
  stub = await startDnsStub({
    port: 0,
    log: pino({ level: 'silent' }),
    lookup: async (name) => {
      asked.push(name);
      if (name === 'broken.test') throw new Error('no database');
      return records[name] ?? null;
    },
  });
  resolver = new dns.Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([stub.server]);
});

afterAll(() => stub.stop());

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'an answer',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );

describe('the DNS stub', () => {
  test('returns TXT, MX, A, NS, and SOA records of a name under .test in any case', async () => {
    expect(await resolver.resolveTxt('Example.TEST')).toEqual([['v=spf1 -all']]);
    expect(await resolver.resolveMx('example.test')).toEqual([{ exchange: 'mail.example.test', priority: 20 }]);
    expect(await resolver.resolve4('example.test')).toEqual(['127.0.0.1']);
    expect(await resolver.resolveNs('example.test')).toEqual(['ns.example.test']);
    expect(await resolver.resolveSoa('example.test')).toMatchObject({ nsname: 'ns.example.test' });
  });

  test('splits a long TXT value into strings of at most 255 bytes', async () => {
    const [strings = []] = await resolver.resolveTxt('key._domainkey.example.test');
    expect(strings.map((one) => one.length)).toEqual([255, longValue.length - 255]);
    expect(strings.join('')).toBe(longValue);
  });

  test('truncates a large response over UDP and sends all of it over TCP', async () => {
    const raw = createSocket('udp4');
    const [host = '', port = ''] = stub.server.split(':');
    raw.send(
      dnsPacket.encode({ type: 'query', id: 7, questions: [{ type: 'TXT', name: 'huge.example.test' }] }),
      Number(port),
      host,
    );
    const [message]: [Buffer] = (await once(raw, 'message')) as [Buffer];
    raw.close();
    expect(dnsPacket.decode(message)).toMatchObject({ id: 7, flag_tc: true, answers: [] });

    const [strings = []] = await resolver.resolveTxt('huge.example.test');
    expect(strings.join('')).toBe(hugeValue);
  });

  test('follows an alias and fails for a circular one', async () => {
    expect(await resolver.resolve4('alias.example.test')).toEqual(['127.0.0.1']);
    expect(await resolver.resolveCname('alias.example.test')).toEqual(['example.test']);
    expect(await code(resolver.resolve4('loop.example.test'))).toBe('ESERVFAIL');
  });

  test('distinguishes a missing name from a missing record type', async () => {
    expect(await code(resolver.resolveTxt('other.test'))).toBe('ENOTFOUND');
    expect(await code(resolver.resolve6('example.test'))).toBe('ENODATA');
  });

  test('returns no records outside .test and looks none up', async () => {
    asked.length = 0;
    expect(await code(resolver.resolve4('localhost.example'))).toBe('ENOTFOUND');
    expect(await code(resolver.resolveTxt('example.com'))).toBe('ENOTFOUND');
    expect(await code(resolver.resolveTxt('nottest'))).toBe('ENOTFOUND');
    expect(asked).toEqual([]);
  });

  test('returns SERVFAIL if the lookup fails', async () => {
    expect(await code(resolver.resolveTxt('broken.test'))).toBe('ESERVFAIL');
  });

  test('survives malformed messages over UDP and TCP', async () => {
    const [host = '', port = ''] = stub.server.split(':');
    const raw = createSocket('udp4');
    for (const bad of [
      Buffer.alloc(0),
      Buffer.from([1]),
      Buffer.alloc(12, 0xff),
      Buffer.concat([Buffer.from([0, 1, 1, 0, 0, 9, 0, 9, 0, 9, 0, 9]), Buffer.alloc(40, 0xc0)]),
      Buffer.alloc(3000, 7),
    ]) {
      await new Promise((resolve) => raw.send(bad, Number(port), host, resolve));
    }
    raw.close();
    const socket = connect(Number(port), host);
    socket.end(Buffer.concat([Buffer.from([0, 20]), Buffer.alloc(20, 0xff), Buffer.from([255])]));
    socket.resume();
    await once(socket, 'close');
    expect(await resolver.resolve4('example.test')).toEqual(['127.0.0.1']);
  });

  test('uses a free port if the given one is in use', async () => {
    const second = await startDnsStub({
      port: Number(stub.server.split(':')[1]),
      log: pino({ level: 'silent' }),
      lookup: async () => null,
    });
    expect(second.server).not.toBe(stub.server);
    await second.stop();
  });
});
