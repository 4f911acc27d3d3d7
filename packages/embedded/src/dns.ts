/**
 * The DNS server of the embedded default: authoritative for names under `.test` only. It never queries another server.
 *
 * Sources: RFC 1035 (messages, UDP and TCP transport, truncation), RFC 2308 (the SOA in negative responses), RFC 6761
 * (`.test`), RFC 6891 (EDNS size). It uses only dns-packet: the server of dns2 3.1.1 does not truncate UDP responses,
 * so a resolver does not repeat a query over TCP.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type Packet, type Question } from 'dns-packet';
import type { Log } from '../../../src/log.js';
import { LOOPBACK } from './ports.js';

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

const TTL_SECONDS = 1;
const MAX_UDP_BYTES = 512;
const MAX_EDNS_BYTES = 1232;
const TXT_STRING_BYTES = 255;
const MAX_CNAMES = 8;
const TCP_IDLE_MS = 10_000;
const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4 };

interface Outcome {
  rcode: number;
  answers: Answer[];
  authorities: Answer[];
}

/**
 * Starts the server on UDP and TCP. A port in use is replaced by a free one, with a warning. If `lookup` rejects, the
 * response is SERVFAIL.
 */
export async function startDnsStub({
  port,
  lookup,
  log,
}: {
  port: number;
  lookup: DnsLookup;
  log: Log;
}): Promise<DnsStub> {
  const respondSafely = async (message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer | null> => {
    try {
      return await respond(message, transport, lookup, log);
    } catch (error) {
      log.warn({ err: error }, 'a DNS query failed');
      return null;
    }
  };

  const { udp, tcp, port: bound } = await bindPorts(port, log);
  udp.on('message', (message, from) => {
    void respondSafely(message, 'udp').then((response) => {
      if (response) udp.send(response, from.port, from.address, () => undefined);
      return undefined;
    });
  });
  udp.on('error', (error) => log.warn({ err: error }, 'DNS over UDP'));
  const connections = new Set<Socket>();
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    serveTcp(socket, (message) => respondSafely(message, 'tcp'));
  });
  tcp.on('error', (error) => log.warn({ err: error }, 'DNS over TCP'));

  return {
    server: `${LOOPBACK}:${bound}`,
    async stop() {
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

async function respond(message: Buffer, transport: 'udp' | 'tcp', lookup: DnsLookup, log: Log): Promise<Buffer | null> {
  // Responding to a response could make two servers loop.
  if (message.length < 12 || message.readUInt8(2) & 0x80) return null;
  const query = decodeMessage(message);
  if (!query) return failure(message, RCODE.FORMERR);
  if ((message.readUInt8(2) >> 3) & 0x0f) return failure(message, RCODE.NOTIMP);
  const [question] = query.questions ?? [];
  if (!question || query.questions?.length !== 1) return failure(message, RCODE.FORMERR);

  const outcome = await resolveQuestion(question, lookup).catch((error: unknown): Outcome => {
    log.warn({ err: error }, 'the DNS records could not be read');
    return { rcode: RCODE.SERVFAIL, answers: [], authorities: [] };
  });
  const packet: Packet = {
    type: 'response',
    id: query.id,
    flags: dnsPacket.AUTHORITATIVE_ANSWER | (query.flag_rd ? dnsPacket.RECURSION_DESIRED : 0) | outcome.rcode,
    questions: [question],
    answers: outcome.answers,
    authorities: outcome.authorities,
  };
  const bytes = dnsPacket.encode(packet);
  if (transport === 'tcp' || bytes.length <= udpLimit(query)) return bytes;
  return dnsPacket.encode({
    ...packet,
    flags: (packet.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE,
    answers: [],
    authorities: [],
  });
}

function decodeMessage(message: Buffer): DecodedPacket | null {
  try {
    return dnsPacket.decode(message);
  } catch {
    // All malformed messages get the same response.
    return null;
  }
}

/** A response to a message of which only the header is readable. */
function failure(message: Buffer, rcode: number): Buffer {
  return dnsPacket.encode({ type: 'response', id: message.readUInt16BE(0), flags: rcode });
}

function udpLimit(query: DecodedPacket): number {
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  return opt?.type === 'OPT' ? Math.min(Math.max(opt.udpPayloadSize, MAX_UDP_BYTES), MAX_EDNS_BYTES) : MAX_UDP_BYTES;
}

async function resolveQuestion(question: Question, lookup: DnsLookup): Promise<Outcome> {
  const answers: Answer[] = [];
  let name = normalizeName(question.name);
  for (let hop = 0; hop <= MAX_CNAMES; hop++) {
    const records = isUnderTest(name) ? await lookup(name) : null;
    if (!records) return { rcode: hop === 0 ? RCODE.NXDOMAIN : RCODE.NOERROR, answers, authorities: [soa(name, name)] };

    // The response repeats the case of the query: some resolvers randomize it to detect forged responses.
    const owner = hop === 0 ? question.name : name;
    const matching = records.filter((record) => record.type === question.type);
    answers.push(...matching.map((record) => toAnswer(owner, record)));
    if (matching.length > 0) return { rcode: RCODE.NOERROR, answers, authorities: [] };

    const alias = records.find((record) => record.type === 'CNAME');
    if (!alias) return { rcode: RCODE.NOERROR, answers, authorities: [soa(name, name)] };
    answers.push(toAnswer(owner, alias));
    name = normalizeName(alias.value);
  }
  return { rcode: RCODE.SERVFAIL, answers: [], authorities: [] };
}

const normalizeName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const isUnderTest = (name: string): boolean => name.endsWith('.test');

function toAnswer(name: string, { type, value, priority }: DnsRecord): Answer {
  const common = { name, ttl: TTL_SECONDS, class: 'IN' } as const;
  switch (type) {
    case 'TXT':
      return { ...common, type, data: txtStrings(value) };
    case 'MX':
      return { ...common, type, data: { preference: priority ?? 10, exchange: value } };
    case 'SOA':
      return soa(name, value);
    default:
      return { ...common, type, data: value };
  }
}

function soa(name: string, primary: string): Answer {
  // `minimum` is the TTL of negative responses. It is short because a domain may be added at any time.
  return {
    name,
    type: 'SOA',
    ttl: TTL_SECONDS,
    class: 'IN',
    data: {
      mname: primary,
      rname: `hostmaster.${primary}`,
      serial: 1,
      refresh: 60,
      retry: 60,
      expire: 3600,
      minimum: TTL_SECONDS,
    },
  };
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
function serveTcp(socket: Socket, respondTo: (message: Buffer) => Promise<Buffer | null>): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const message = Buffer.from(pending.subarray(2, 2 + pending.readUInt16BE(0)));
      pending = pending.subarray(2 + message.length);
      void respondTo(message).then((response) => {
        if (!response) return socket.destroy();
        const length = Buffer.alloc(2);
        length.writeUInt16BE(response.length);
        return socket.write(Buffer.concat([length, response]));
      });
    }
  });
}

async function bindPorts(port: number, log: Log): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  // A free TCP port may be in use on UDP, so several attempts may be needed.
  for (let attempt = 0; ; attempt++) {
    const tcp = createServer();
    const udp = createSocket('udp4');
    try {
      tcp.listen(attempt === 0 ? port : 0, LOOPBACK);
      await once(tcp, 'listening');
      const address = tcp.address();
      if (address === null || typeof address === 'string') throw new Error('The DNS server has no port');
      udp.bind(address.port, LOOPBACK);
      await once(udp, 'listening');
      if (attempt > 0 && port !== 0)
        log.warn(
          { port, free: address.port },
          `Port ${port} is in use: the DNS stub listens on ${address.port}. Set EMBEDDED_DNS_PORT to choose one.`,
        );
      return { udp, tcp, port: address.port };
    } catch (error) {
      tcp.close();
      udp.close();
      if (attempt === 10) throw error;
    }
  }
}
