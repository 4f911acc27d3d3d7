/**
 * A mail server that records accepted mails, for tests that count mails per recipient. Tests can let it reject mails,
 * delay its replies, stop, and restart.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SMTPServer } from 'smtp-server';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';

export interface SinkMail {
  to: string;
  messageId: string;
  subject: string;
}

export interface Sink {
  /** As for `SMTP_URL`. A restart keeps it. */
  url: string;
  /** Accepted mails, in order. */
  mails: SinkMail[];
  /** The number of rejected mails. */
  refused: number;
  /** The number of accepted mails by recipient. */
  counts(): Map<string, number>;
  /** Resolves as soon as `count` mails are accepted. */
  reached(count: number): Promise<void>;
  /** Rejects every mail with this reply, such as `[451, 'later']`, until it is called with null. */
  refuse(answer: readonly [code: number, message: string] | null): void;
  /** Reads mails without a reply until the returned function is called. */
  hold(): () => void;
  /** The number of mails without a reply. */
  held(): number;
  /** The number of open connections. */
  connections(): number;
  /**
   * Closes the port and every connection. The client has received all replies, and mails without a reply are not
   * accepted. So each mail has the same outcome on both sides, and a second copy is an error of the sender.
   */
  die(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
}

const MESSAGE_ID = /^message-id:\s*(<[^>]+>)/im;
const SUBJECT = /^subject: (.*)\r$/im;

export async function startSink(): Promise<Sink> {
  const port = await freePort();
  const mails: SinkMail[] = [];
  const waiters: Array<{ count: number; resolve: () => void }> = [];
  let refusal: readonly [number, string] | null = null;
  let holding: Array<() => void> | null = null;
  let running: Listener | null = null;
  const sink: Sink = {
    url: `smtp://${LOOPBACK}:${port}`,
    mails,
    refused: 0,
    counts() {
      const counts = new Map<string, number>();
      for (const { to } of mails) counts.set(to, (counts.get(to) ?? 0) + 1);
      return counts;
    },
    reached: (count) =>
      new Promise((resolve) => {
        if (mails.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    refuse(answer) {
      refusal = answer;
    },
    hold() {
      const mine: Array<() => void> = [];
      holding = mine;
      return () => {
        if (holding === mine) holding = null;
        for (const judge of mine.splice(0)) judge();
      };
    },
    held: () => holding?.length ?? 0,
    connections: () => running?.connections() ?? 0,
    async die() {
      // Mails without a reply are not accepted.
      holding = null;
      await running?.stop();
      running = null;
    },
    async revive() {
      running = await listen(port, receive);
    },
    close: () => sink.die(),
  };

  const take = (mail: SinkMail): void => {
    mails.push(mail);
    for (const { count, resolve } of waiters) if (mails.length >= count) resolve();
  };

  const receive: Receive = (mail, answer) => {
    const judge = (): void => {
      if (refusal) {
        sink.refused++;
        answer(Object.assign(new Error(refusal[1]), { responseCode: refusal[0] }));
        return;
      }
      take(mail);
      answer(null);
    };
    if (holding) holding.push(judge);
    else judge();
  };

  await sink.revive();
  return sink;
}

type Receive = (mail: SinkMail, answer: (error: Error | null) => void) => void;

interface Listener {
  connections: () => number;
  stop: () => Promise<void>;
}

async function listen(port: number, receive: Receive): Promise<Listener> {
  let dying = false;
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, callback) {
      void headOf(stream).then((head) => {
        // An incomplete mail is not accepted.
        if (dying || head === null) return;
        const [, messageId = ''] = MESSAGE_ID.exec(head) ?? [];
        const [, subject = ''] = SUBJECT.exec(head) ?? [];
        receive({ to: session.envelope.rcptTo[0]?.address ?? '', messageId, subject }, callback);
      });
    },
  });
  // Killed clients cause connection errors.
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    connections: () => sockets.size,
    async stop() {
      dying = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Close after the last reply. A reset could overtake it.
      await Promise.all(
        [...sockets].map(
          (socket) =>
            new Promise<void>((resolve) => {
              socket.once('close', () => resolve());
              socket.end();
              setTimeout(() => socket.destroy(), 1000).unref();
            }),
        ),
      );
      await closed;
    },
  };
}

/**
 * Reads the whole message. Returns its beginning, which contains the header, or null if the connection closed before
 * the end of the message.
 */
async function headOf(stream: Readable): Promise<string | null> {
  let head = '';
  try {
    for await (const chunk of stream) if (head.length < 8192) head += String(chunk);
    return head;
  } catch {
    return null;
  }
}
