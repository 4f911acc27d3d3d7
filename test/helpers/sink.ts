/**
 * A mail server that keeps a record of what it took, for tests that ask who was mailed how often. It refuses, holds
 * back, dies and comes back when it is told to.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SMTPServer } from 'smtp-server';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';

export interface SinkMail {
  to: string;
  messageId: string;
}

export interface Sink {
  /** As for `SMTP_URL`; the same after a death. */
  url: string;
  /** What was taken, in that order. */
  mails: SinkMail[];
  /** Mails that were refused. */
  refused: number;
  /** How often each recipient was mailed. */
  counts(): Map<string, number>;
  /** Resolves in the very moment in which the `count`-th mail is taken. */
  reached(count: number): Promise<void>;
  /** Refuses every mail with this answer, such as `[451, 'later']`, until it is called with null. */
  refuse(answer: readonly [code: number, message: string] | null): void;
  /** Reads mails, and answers none of them until the returned function is called: then all are taken, or refused. */
  hold(): () => void;
  /** Mails that were read and wait for their answer. */
  held(): number;
  /**
   * Closes the port and every connection. What was answered has reached the client; what was not is not taken. So each
   * mail has one outcome on both sides, and a second copy is the sender's fault.
   */
  die(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
}

const MESSAGE_ID = /^message-id:\s*(<[^>]+>)/im;

export async function startSink(): Promise<Sink> {
  const port = await freePort();
  const mails: SinkMail[] = [];
  const waiters: Array<{ count: number; resolve: () => void }> = [];
  let refusal: readonly [number, string] | null = null;
  let holding: Array<() => void> | null = null;
  let running: { stop: () => Promise<void> } | null = null;
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
    async die() {
      // Those that are held are never taken.
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

  const receive: Receive = (to, messageId, answer) => {
    const judge = (): void => {
      if (refusal) {
        sink.refused++;
        answer(Object.assign(new Error(refusal[1]), { responseCode: refusal[0] }));
        return;
      }
      take({ to, messageId });
      answer(null);
    };
    if (holding) holding.push(judge);
    else judge();
  };

  await sink.revive();
  return sink;
}

type Receive = (to: string, messageId: string, answer: (error: Error | null) => void) => void;

async function listen(port: number, receive: Receive): Promise<{ stop: () => Promise<void> }> {
  let dying = false;
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, callback) {
      void headOf(stream).then((head) => {
        // Half a mail is none: its sender is gone.
        if (dying || head === null) return;
        const [, messageId = ''] = MESSAGE_ID.exec(head) ?? [];
        receive(session.envelope.rcptTo[0]?.address ?? '', messageId, callback);
      });
    },
  });
  // A client that is killed is no news.
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
    async stop() {
      dying = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // The end after the last answer, and not a reset, which could overtake it.
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
 * Reads the whole message, and gives its first piece, which holds the header; null when the connection ended before the
 * message did.
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
