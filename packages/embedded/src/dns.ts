/**
 * The DNS server of the embedded default: authoritative for names under `.test` only. It never queries another server.
 *
 * Sources: RFC 1035 (messages, UDP and TCP transport, truncation), RFC 6761 (`.test`). It uses only dns-packet: the
 * server of dns2 3.1.1 does not truncate UDP responses, so a resolver does not repeat a query over TCP.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import dnsPacket, { type Answer, type Packet, type Question } from 'dns-packet';
import type { Log } from '../../../src/log.js';
import { choosePort, LOOPBACK, retryTakenPort } from './ports.js';

export interface DnsRecord {
  type: 'TXT' | 'CNAME' | 'MX' | 'A' | 'AAAA' | 'NS' | 'SOA';
  /** For an SOA: the primary name server. */
  value: string;
  /** For an MX. Default 10. */
  priority?: number;
}

/** The records of a name (lower case, no final dot); null if the name does not exist. */
export type DnsLookup = (name: string) => Promise<DnsRecord[] | null>;

export interface DnsStub {
  /** `127.0.0.1:<port>`, for `Resolver.setServers` */
  server: string;
  stop(): Promise<void>;
}

export interface DnsStubOptions {
  /** 0 for any. A port in use is replaced by a free one. */
  port: number;
  /** If it rejects, the response is SERVFAIL. */
  lookup: DnsLookup;
  log: Log;
}

const TTL_SECONDS = 1;
const MAX_UDP_BYTES = 512;
const MAX_TCP_BYTES = 65_535;
const TXT_STRING_BYTES = 255;
const MAX_CNAMES = 8;
const TCP_IDLE_MS = 10_000;
const RCODE = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 };

/** Starts the server on UDP and TCP. It drops malformed messages. */
export async function startDnsStub(options: DnsStubOptions): Promise<DnsStub> {
  return retryTakenPort(() => openDnsStub(options));
}

async function openDnsStub({ port: preferred, lookup, log }: DnsStubOptions): Promise<DnsStub> {
  const port = await choosePort({ preferred, server: 'the DNS stub', variable: 'EMBEDDED_DNS_PORT', log });
  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    serveTcp(socket, (message) => respond(message, MAX_TCP_BYTES));
  });
  const udp = createSocket('udp4', (message, from) => {
    void respond(message, MAX_UDP_BYTES).then((response) => {
      if (response) udp.send(response, from.port, from.address, () => undefined);
      return undefined;
    });
  });
  for (const server of [tcp, udp]) server.on('error', (error) => log.warn({ err: error }, 'the DNS stub failed'));
  tcp.listen(port, LOOPBACK);
  udp.bind(port, LOOPBACK);
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);

  /** A response that is too large is truncated, so that the resolver repeats the query over TCP. */
  async function respond(message: Buffer, maxBytes: number): Promise<Buffer | null> {
    try {
      const query = dnsPacket.decode(message);
      const [question] = query.questions ?? [];
      // A response to a response could make two servers loop.
      if (query.type !== 'query' || !question) return null;
      const { rcode, answers } = await resolveQuestion(question, lookup).catch((error: unknown) => {
        log.warn({ err: error }, 'the DNS records could not be read');
        return { rcode: RCODE.SERVFAIL, answers: [] };
      });
      const flags = dnsPacket.AUTHORITATIVE_ANSWER | (query.flag_rd ? dnsPacket.RECURSION_DESIRED : 0) | rcode;
      const packet: Packet = { type: 'response', id: query.id, flags, questions: [question], answers };
      const bytes = dnsPacket.encode(packet);
      if (bytes.length <= maxBytes) return bytes;
      return dnsPacket.encode({ ...packet, flags: flags | dnsPacket.TRUNCATED_RESPONSE, answers: [] });
    } catch (error) {
      log.debug({ err: error }, 'the DNS stub dropped a malformed message');
      return null;
    }
  }

  return {
    server: `${LOOPBACK}:${port}`,
    async stop() {
      for (const socket of connections) socket.destroy();
      const closed = [once(tcp, 'close'), once(udp, 'close')];
      tcp.close();
      udp.close();
      await Promise.all(closed);
    },
  };
}

async function resolveQuestion(question: Question, lookup: DnsLookup): Promise<{ rcode: number; answers: Answer[] }> {
  const answers: Answer[] = [];
  let name = normalizeName(question.name);
  for (let hop = 0; hop <= MAX_CNAMES; hop++) {
    const records = name.endsWith('.test') ? await lookup(name) : null;
    if (!records) return { rcode: hop === 0 ? RCODE.NXDOMAIN : RCODE.NOERROR, answers };

    // The response repeats the case of the query: some resolvers randomize it to detect forged responses.
    const owner = hop === 0 ? question.name : name;
    const matching = records.filter((record) => record.type === question.type);
    answers.push(...matching.map((record) => toAnswer(owner, record)));
    const alias = records.find((record) => record.type === 'CNAME');
    if (matching.length > 0 || !alias) return { rcode: RCODE.NOERROR, answers };
    answers.push(toAnswer(owner, alias));
    name = normalizeName(alias.value);
  }
  return { rcode: RCODE.SERVFAIL, answers: [] };
}

/** The name in lower case, without a final dot. */
export const normalizeName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

function toAnswer(name: string, { type, value, priority }: DnsRecord): Answer {
  const common = { name, ttl: TTL_SECONDS, class: 'IN' } as const;
  switch (type) {
    case 'TXT':
      return { ...common, type, data: txtStrings(value) };
    case 'MX':
      return { ...common, type, data: { preference: priority ?? 10, exchange: value } };
    case 'SOA': {
      const timing = { serial: 1, refresh: 60, retry: 60, expire: 3600, minimum: TTL_SECONDS };
      return { ...common, type, data: { mname: value, rname: `hostmaster.${value}`, ...timing } };
    }
    default:
      return { ...common, type, data: value };
  }
}

/** Splits a TXT value into strings of at most 255 bytes (RFC 1035, 3.3). A 2048-bit DKIM key needs two. */
function txtStrings(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const strings: Buffer[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += TXT_STRING_BYTES)
    strings.push(bytes.subarray(start, start + TXT_STRING_BYTES));
  return strings;
}

/** Serves messages with a two-byte length prefix, several on one connection (RFC 1035, 4.2.2). */
function serveTcp(socket: Socket, respond: (message: Buffer) => Promise<Buffer | null>): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const message = Buffer.from(pending.subarray(2, 2 + pending.readUInt16BE(0)));
      pending = pending.subarray(2 + message.length);
      void respond(message).then((response) => {
        if (!response) return socket.destroy();
        const length = Buffer.alloc(2);
        length.writeUInt16BE(response.length);
        return socket.write(Buffer.concat([length, response]));
      });
    }
  });
}
