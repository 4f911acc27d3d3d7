/**
 * The DNS server of the embedded default: authoritative for what lies under `.test`, and for nothing else. It never
 * asks another server.
 *
 * Sources: RFC 1035 (messages, UDP and TCP transport, truncation), RFC 2308 (negative answers carry the SOA), RFC 6761
 * (`.test`), RFC 6891 (EDNS size).
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type Packet, type Question } from 'dns-packet';
import type { Log } from '../../../src/log.js';

export interface DnsRecord {
  type: 'TXT' | 'CNAME' | 'MX' | 'A' | 'AAAA' | 'NS' | 'SOA';
  /** An SOA's is its primary name server. */
  value: string;
  /** Of an MX; default 10. */
  priority?: number;
}

/** The records of a name (lower case, no final dot); null when there is no such name. */
export type DnsLookup = (name: string) => Promise<DnsRecord[] | null>;

export interface DnsStub {
  /** `127.0.0.1:<port>`, for `Resolver.setServers` */
  server: string;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
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
 * Starts the server on UDP and TCP; a taken port is replaced by a free one, and said.
 *
 * A `lookup` that rejects is answered with SERVFAIL.
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
  const reply = async (message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer | null> => {
    try {
      return await respond(message, transport, lookup, log);
    } catch (error) {
      log.warn({ err: error }, 'a DNS question could not be answered');
      return null;
    }
  };

  const { udp, tcp, port: bound } = await bind(port, log);
  udp.on('message', (message, from) => {
    void reply(message, 'udp').then((answer) => {
      if (answer) udp.send(answer, from.port, from.address, () => undefined);
      return undefined;
    });
  });
  udp.on('error', (error) => log.warn({ err: error }, 'DNS over UDP'));
  const connections = new Set<Socket>();
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    serveTcp(socket, (message) => reply(message, 'tcp'));
  });
  tcp.on('error', (error) => log.warn({ err: error }, 'DNS over TCP'));

  return {
    server: `${HOST}:${bound}`,
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
  // An answer to an answer would let two servers talk forever.
  if (message.length < 12 || message.readUInt8(2) & 0x80) return null;
  const query = decode(message);
  if (!query) return failure(message, RCODE.FORMERR);
  if ((message.readUInt8(2) >> 3) & 0x0f) return failure(message, RCODE.NOTIMP);
  const [question] = query.questions ?? [];
  if (!question || query.questions?.length !== 1) return failure(message, RCODE.FORMERR);

  const outcome = await resolve(question, lookup).catch((error: unknown): Outcome => {
    log.warn({ err: error }, 'DNS records could not be read');
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

function decode(message: Buffer): DecodedPacket | null {
  try {
    return dnsPacket.decode(message);
  } catch {
    // Whatever is wrong with it, the answer is the same: FORMERR.
    return null;
  }
}

/** An answer to a message that can't be read beyond its header. */
function failure(message: Buffer, rcode: number): Buffer {
  return dnsPacket.encode({ type: 'response', id: message.readUInt16BE(0), flags: rcode });
}

function udpLimit(query: DecodedPacket): number {
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  return opt?.type === 'OPT' ? Math.min(Math.max(opt.udpPayloadSize, MAX_UDP_BYTES), MAX_EDNS_BYTES) : MAX_UDP_BYTES;
}

async function resolve(question: Question, lookup: DnsLookup): Promise<Outcome> {
  const answers: Answer[] = [];
  const asked = clean(question.name);
  let name = asked;
  for (let hop = 0; hop <= MAX_CNAMES; hop++) {
    const records = isUnderTest(name) ? await lookup(name) : null;
    if (!records) return { rcode: hop === 0 ? RCODE.NXDOMAIN : RCODE.NOERROR, answers, authorities: [soa(name, name)] };

    // The question's own spelling of the name comes back: some resolvers mix its case to recognise forged answers.
    const owner = hop === 0 ? question.name : name;
    const matching = records.filter((record) => record.type === question.type);
    answers.push(...matching.map((record) => toAnswer(owner, record)));
    if (matching.length > 0) return { rcode: RCODE.NOERROR, answers, authorities: [] };

    const alias = records.find((record) => record.type === 'CNAME');
    if (!alias) return { rcode: RCODE.NOERROR, answers, authorities: [soa(name, name)] };
    answers.push(toAnswer(owner, alias));
    name = clean(alias.value);
  }
  return { rcode: RCODE.SERVFAIL, answers: [], authorities: [] };
}

const clean = (name: string): string => name.toLowerCase().replace(/\.$/, '');

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
  // The last number is how long "no such name" may be remembered: as short as can be, for a domain may be added the
  // next second.
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

/** One TXT value as character-strings of at most 255 bytes (RFC 1035, 3.3): a 2048-bit DKIM key needs two. */
function txtStrings(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const strings: Buffer[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += TXT_STRING_BYTES)
    strings.push(bytes.subarray(at, at + TXT_STRING_BYTES));
  return strings;
}

/** Messages with a two-byte length before each, several on one connection (RFC 1035, 4.2.2). */
function serveTcp(socket: Socket, reply: (message: Buffer) => Promise<Buffer | null>): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const message = Buffer.from(pending.subarray(2, 2 + pending.readUInt16BE(0)));
      pending = pending.subarray(2 + message.length);
      void reply(message).then((answer) => {
        if (!answer) return socket.destroy();
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        return socket.write(Buffer.concat([length, answer]));
      });
    }
  });
}

async function bind(port: number, log: Log): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  // A free TCP port may be taken on UDP: a few tries find one that is free on both.
  for (let attempt = 0; ; attempt++) {
    const tcp = createServer();
    const udp = createSocket('udp4');
    try {
      tcp.listen(attempt === 0 ? port : 0, HOST);
      await once(tcp, 'listening');
      const address = tcp.address();
      if (address === null || typeof address === 'string') throw new Error('the DNS server has no port');
      udp.bind(address.port, HOST);
      await once(udp, 'listening');
      if (attempt > 0 && port !== 0)
        log.warn(
          { port, free: address.port },
          `port ${port} is taken: the DNS stub listens on ${address.port} (set EMBEDDED_DNS_PORT for another one)`,
        );
      return { udp, tcp, port: address.port };
    } catch (error) {
      tcp.close();
      udp.close();
      if (attempt === 10) throw error;
    }
  }
}
