/**
 * The SMTP listener: bounces, feedback reports, inbound mail.
 *
 * 250 to a mail's content says that everything it brings about is committed. What can't be taken now is a 451, and
 * comes again. What isn't for us is a 550 before its content: nothing is relayed and nothing is answered by mail.
 */
import { readFileSync } from 'node:fs';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Context } from '../context.js';
import { isPassing } from '../db/pool.js';
import { sendingHost } from '../domain/domains/records.js';
import { ApiError } from '../errors.js';
import { createParser } from './parser.js';
import { createRate } from './rate.js';
import { receiveMail } from './receive.js';
import { createRecipients, type Recipient } from './recipients.js';
import { SmtpReply, tryLater } from './reply.js';

export interface InboundListener {
  port: number;
  /** Takes no more mails, finishes those whose content has come, then closes every connection. */
  stop: () => Promise<void>;
}

const IDLE_MS = 60_000;
/** A conversation with a mail on a slow line takes minutes. */
const LONGEST_MS = 15 * 60_000;
const MOST_RECIPIENTS = 100;
/** Addresses of one connection that aren't ours: who tries more is looking for some. */
const MOST_REFUSED = 10;
/** Mails that are parsed and applied at a time: each holds a connection of the pool, which sending needs too. */
const AT_ONCE = 4;
/** Memory for contents that come in or wait, in mails of the largest size. */
const BUDGET = 4;
const OF_PROJECT = { most: 600, withinMs: 60_000 };
const GRACE_MS = 15_000;

/**
 * Listens for mail.
 *
 * @throws the listen error (EADDRINUSE, EACCES); what reading the certificate throws
 */
export async function startInboundListener(
  ctx: Context,
  { port, host }: { port: number; host: string },
): Promise<InboundListener> {
  const { config, log } = ctx;
  const recipients = createRecipients(ctx);
  const rate = createRate(OF_PROJECT);
  const parser = createParser();
  const size = config.INBOUND_MAX_MB * 1024 * 1024;
  const refused = new Map<string, number>();
  const since = new Map<string, number>();
  const byAddress = new Map<string, number>();
  const turns = createTurns(AT_ONCE);
  const busy = new Set<Promise<void>>();
  let held = 0;

  const admit = async (address: string, { id }: SMTPServerSession): Promise<void> => {
    try {
      const recipient = await recipients.resolve(ctx.pool, address);
      if (recipient.kind === 'mailbox' && !rate.take(recipient.projectId))
        throw new SmtpReply(451, '4.7.1 Too many mails at a time, try again later');
    } catch (error) {
      if (!(error instanceof SmtpReply) || error.responseCode < 500) throw error;
      const count = (refused.get(id) ?? 0) + 1;
      refused.set(id, count);
      throw count > MOST_REFUSED ? new SmtpReply(421, '4.7.0 Too many addresses that are not here') : error;
    }
  };

  /**
   * The content; null when there is no memory for it: it is read to its end all the same, so that the answer is heard.
   */
  const collect = async (stream: SMTPServerDataStream): Promise<Buffer | null> => {
    let chunks: Buffer[] | null = [];
    let mine = 0;
    try {
      for await (const chunk of stream) {
        if (!Buffer.isBuffer(chunk) || !chunks) continue;
        mine += chunk.length;
        held += chunk.length;
        if (stream.sizeExceeded || held > BUDGET * size) chunks = null;
        else chunks.push(chunk);
        if (chunks) continue;
        held -= mine;
        mine = 0;
      }
      return chunks && Buffer.concat(chunks);
    } finally {
      held -= mine;
    }
  };

  const take = async (stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> => {
    const raw = await collect(stream);
    // What is too large is refused by the server, whatever this says.
    if (!raw) throw new SmtpReply(452, '4.3.1 There is no room for this mail, try again later');
    held += raw.length;
    try {
      await turns.run(async () => {
        const known: Recipient[] = [];
        for (const { address } of envelope.rcptTo) known.push(await recipients.resolve(ctx.pool, address));
        await receiveMail(ctx, {
          sender: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          recipients: known,
          mail: await parser.parse(raw),
        });
      });
    } finally {
      held -= raw.length;
    }
  };

  /** What is said to the client once `task` has ended: null for a 250. */
  const refusalOf = async (task: Promise<void>): Promise<SmtpReply | null> => {
    try {
      await task;
      return null;
    } catch (error) {
      if (error instanceof SmtpReply) return error;
      // The sender keeps the mail, so nothing is lost by a fault of ours either.
      if (!isPassing(error) && !(error instanceof ApiError))
        log.error({ err: error }, 'An inbound mail could not be taken');
      return tryLater();
    }
  };

  const answer = async (
    task: Promise<void>,
    callback: (error?: Error | null, message?: string) => void,
  ): Promise<void> => {
    const refusal = await refusalOf(task);
    callback(refusal, refusal ? undefined : 'Taken');
  };

  const server = new SMTPServer({
    name: sendingHost(config.PUBLIC_URL),
    banner: 'Sendloom',
    size,
    rejectOversized: true,
    maxClients: config.INBOUND_CONNECTIONS,
    maxRecipients: MOST_RECIPIENTS,
    authOptional: true,
    ...tlsOf(config),
    disableReverseLookup: true,
    socketTimeout: IDLE_MS,
    closeTimeout: 1000,
    logger: false,
    onConnect: (session, callback) => {
      const count = (byAddress.get(session.remoteAddress) ?? 0) + 1;
      byAddress.set(session.remoteAddress, count);
      since.set(session.id, Date.now());
      // One client must not take every place.
      callback(
        count > Math.ceil(config.INBOUND_CONNECTIONS / 2)
          ? new SmtpReply(421, '4.7.0 Too many connections from your address')
          : null,
      );
    },
    onClose: ({ id, remoteAddress }) => {
      refused.delete(id);
      if (!since.delete(id)) return;
      const left = (byAddress.get(remoteAddress) ?? 1) - 1;
      if (left > 0) byAddress.set(remoteAddress, left);
      else byAddress.delete(remoteAddress);
    },
    onRcptTo: ({ address }, session, callback) => void answer(admit(address, session), callback),
    onData: (stream, session, callback) => {
      const taking = answer(take(stream, session), callback);
      busy.add(taking);
      void taking.finally(() => busy.delete(taking));
    },
  });
  // Clients that go away in the middle are no news.
  server.on('error', (error: unknown) => log.debug({ err: error }, 'A connection of the SMTP listener'));

  await new Promise<void>((done, fail) => {
    server.server.once('error', fail);
    server.listen(port, host, () => {
      server.server.off('error', fail);
      done();
    });
  });
  const sweep = setInterval(() => {
    for (const connection of server.connections)
      if ((since.get(connection.session.id) ?? Date.now()) < Date.now() - LONGEST_MS)
        connection.send(421, '4.4.2 This takes too long');
  }, 30_000);
  sweep.unref();

  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async stop() {
      clearInterval(sweep);
      const closed = new Promise<void>((done) => server.close(() => done()));
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([Promise.all(busy), new Promise((done) => (timer = setTimeout(done, GRACE_MS)))]);
      clearTimeout(timer);
      for (const connection of server.connections) connection.send(421, '4.3.2 Closing, try again later');
      await closed;
      await parser.close();
    },
  };
}

/**
 * STARTTLS with a certificate of the operator's; without one mails come as they did before there was TLS, which senders
 * allow for.
 */
function tlsOf({ INBOUND_TLS_CERT: cert, INBOUND_TLS_KEY: key }: Context['config']) {
  return cert !== undefined && key !== undefined
    ? { cert: readFileSync(cert), key: readFileSync(key), disabledCommands: ['AUTH'] }
    : { disabledCommands: ['AUTH', 'STARTTLS'] };
}

/** Lets `limit` tasks run at a time, in the order in which they came. */
function createTurns(limit: number): { run: (task: () => Promise<void>) => Promise<void> } {
  const waiting: Array<() => void> = [];
  let running = 0;
  return {
    async run(task) {
      if (running >= limit) await new Promise<void>((go) => waiting.push(go));
      else running += 1;
      try {
        await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
