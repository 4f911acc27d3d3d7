/**
 * An SMTP server that follows a seed: it splits, merges, and delays its replies at every byte, refuses commands, offers
 * different extensions on each connection, and closes, replies 421, or falls silent at any point.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export type Random = () => number;

/** A generator of numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Delivery {
  from: string;
  to: string;
  /** The content as it was sent, without dot-stuffing. */
  content: string;
}

export interface UnreliableServer {
  port: number;
  deliveries: Delivery[];
  /** How often each fault happened. */
  counts: Record<string, number>;
  stop: () => Promise<void>;
}

/** @param faults how often something goes wrong, from 0 to 1 */
export async function startUnreliableServer(random: Random, faults: number): Promise<UnreliableServer> {
  const deliveries: Delivery[] = [];
  const counts: Record<string, number> = {};
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    converse(socket, random, faults, deliveries, (name) => (counts[name] = (counts[name] ?? 0) + 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    deliveries,
    counts,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const REFUSALS = [
  '450 try later',
  '451 4.3.0 local error',
  '503 bad sequence',
  '550 5.1.1 unknown',
  '554-5.7.1 no\r\n554 5.7.1 thanks',
];
const END = Buffer.from('\r\n.\r\n');

function converse(
  socket: Socket,
  random: Random,
  faults: number,
  deliveries: Delivery[],
  count: (name: string) => void,
): void {
  const fails = (share = 1): boolean => random() < faults * share;
  const pick = (texts: string[]): string => texts[Math.floor(random() * texts.length)] ?? '';
  const output: Buffer[] = [];
  let isWriting = false;
  let isOver = false;
  let input = Buffer.alloc(0);
  let isData = false;
  let from: string | null = null;
  let to: string | null = null;

  const closeNow = (): void => {
    isOver = true;
    if (random() < 0.5) socket.destroy();
    else socket.end();
  };

  /** Writes the pending output in pieces of random sizes. */
  const flush = (): void => {
    if (isWriting || socket.destroyed) return;
    const pending = Buffer.concat(output.splice(0));
    if (pending.length === 0) return;
    const size = random() < 0.5 ? pending.length : 1 + Math.floor(random() * pending.length);
    if (fails(0.01)) {
      count('closed within a reply');
      return closeNow();
    }
    socket.write(pending.subarray(0, size));
    if (size === pending.length) return;
    output.unshift(pending.subarray(size));
    isWriting = true;
    const resume = (): void => {
      isWriting = false;
      flush();
    };
    if (random() < 0.9) setImmediate(resume);
    else setTimeout(resume, random() * 3);
  };

  const reply = (text: string): void => {
    if (isOver) return;
    if (fails(0.02)) {
      count('421 instead of a reply');
      output.push(Buffer.from('421 4.3.2 shutting down\r\n'));
      isOver = true;
      setImmediate(() => socket.end(Buffer.concat(output.splice(0))));
      return;
    }
    if (fails(0.02)) {
      count('closed instead of a reply');
      return closeNow();
    }
    if (fails(0.005)) {
      count('silent');
      isOver = true;
      return;
    }
    if (fails(0.005)) {
      count('garbage');
      output.push(Buffer.from(pick(['HTTP/1.1 400 Bad Request\r\n', '\r\n', '99 x\r\n', '250_ok\r\n'])));
      isOver = true;
      return flush();
    }
    const code = text.slice(0, 3);
    const lines = random() < 0.2 ? `${code}-a first line\r\n` : '';
    output.push(Buffer.from(`${lines}${text}\r\n`));
    if (random() < 0.7) flush();
    else setTimeout(flush, random() * 2);
  };

  const onCommand = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') {
      if (fails(0.05)) return reply('502 no EHLO');
      const offers = [
        'PIPELINING',
        'SIZE',
        'SIZE 100000000',
        '8BITMIME',
        'SMTPUTF8',
        'AUTH PLAIN',
        'ENHANCEDSTATUSCODES',
      ];
      const offered = offers.filter((name) => random() < (name === 'PIPELINING' ? 0.75 : 0.5));
      return reply(
        ['server', ...offered].map((name, index) => `250${index < offered.length ? '-' : ' '}${name}`).join('\r\n'),
      );
    }
    if (verb === 'RSET') {
      from = to = null;
      return reply(fails(0.05) ? '500 what' : '250 reset');
    }
    if (verb === 'QUIT') {
      reply('221 bye');
      isOver = true;
      setImmediate(() => socket.end());
      return;
    }
    if (verb === 'MAIL') {
      if (from !== null) throw new Error('MAIL within a transaction');
      from = /<(.*?)>/.exec(line)?.[1] ?? '';
      if (!fails(0.08)) return reply('250 sender ok');
      count('MAIL refused');
      // A server without a sender refuses RCPT too, except for broken ones.
      if (random() < 0.7) from = null;
      return reply(pick(REFUSALS));
    }
    if (verb === 'RCPT') {
      if (from === null) return reply('503 MAIL first');
      if (fails(0.08)) {
        count('RCPT refused');
        return reply(pick(REFUSALS));
      }
      to = /<(.*?)>/.exec(line)?.[1] ?? '';
      return reply(random() < 0.1 ? '251 will forward' : '250 recipient ok');
    }
    if (verb === 'DATA') {
      if (fails(0.04)) {
        count('DATA refused');
        return reply(pick(REFUSALS));
      }
      // Without a recipient, some servers accept DATA nevertheless (RFC 2920, 3.1).
      if (to === null && random() < 0.5) return reply('554 no valid recipients');
      isData = true;
      return reply('354 go ahead');
    }
    reply(verb === 'HELO' ? '250 server' : '500 unknown');
  };

  const onContent = (stuffed: Buffer): void => {
    isData = false;
    const content = stuffed.toString().replaceAll('\n..', '\n.').replace(/^\.\./, '.');
    const envelope = from !== null && to !== null ? { from, to } : null;
    from = to = null;
    if (!envelope) return reply(random() < 0.5 ? '554 no valid recipients' : '250 discarded');
    if (fails(0.02)) {
      count('closed before the content was accepted');
      return closeNow();
    }
    if (fails(0.08)) {
      count('content refused');
      return reply(pick(REFUSALS));
    }
    // 421 instead of a reply to the content means that it was not accepted.
    if (fails(0.03)) {
      count('421 to the content');
      output.push(Buffer.from('421 4.7.0 try later\r\n'));
      isOver = true;
      return flush();
    }
    deliveries.push({ ...envelope, content });
    if (fails(0.03)) {
      count('closed after the content was accepted');
      return closeNow();
    }
    accept();
  };

  /** Like `reply`, without the faults that contradict the delivery. */
  const accept = (): void => {
    output.push(Buffer.from(random() < 0.2 ? '250-2.0.0 queued\r\n250 2.0.0 thanks\r\n' : '250 2.0.0 queued\r\n'));
    if (random() < 0.7) flush();
    else setTimeout(flush, random() * 2);
  };

  /** Handles the next command or content. Returns false if it is not complete. */
  const readNext = (): boolean => {
    if (isOver) return false;
    if (isData) {
      // An empty content has no line end of its own before the final dot.
      const end = input.subarray(0, 3).equals(END.subarray(2)) ? -2 : input.indexOf(END);
      if (end === -1) return false;
      const content = input.subarray(0, end + 2);
      input = input.subarray(end + END.length);
      onContent(content);
      return true;
    }
    const end = input.indexOf('\r\n');
    if (end === -1) return false;
    const line = input.toString('utf8', 0, end);
    input = input.subarray(end + 2);
    onCommand(line);
    return true;
  };

  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (isOver) return;
    input = Buffer.concat([input, chunk]);
    if (isData && fails(0.005)) {
      count('421 within the content');
      isOver = true;
      socket.end('421 4.4.2 timeout\r\n');
      return;
    }
    while (readNext());
  });
  reply(fails(0.02) ? '554 no service' : '220 server ready');
}
