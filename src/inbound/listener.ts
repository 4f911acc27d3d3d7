/**
 * The SMTP listener for bounces, feedback reports, and inbound mail.
 *
 * A 250 reply to the content means that all effects of the mail are committed. A temporary failure gets a 451 reply,
 * and the sender retries. A mail for an unknown address gets a 550 reply before its content. The listener never relays
 * mail and never sends mail in reply.
 */
import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Context } from '../context.js';
import { isPassing } from '../db/errors.js';
import { sendingHost } from '../address.js';
import { ApiError } from '../errors.js';
import { createMailThreads } from './mail-threads.js';
import { receiveMail } from './receive.js';
import { createRecipients, type Recipient } from './recipients.js';
import { SmtpReply, tryLater } from './reply.js';

export interface InboundListener {
  port: number;
  /** Accepts no more mails, finishes mails with complete content, then closes all connections. */
  stop: () => Promise<void>;
}

const IDLE_TIMEOUT_MS = 60_000;
/** A large mail on a slow line takes minutes. */
const MAX_CONNECTION_MS = 15 * 60_000;
const CONNECTION_SWEEP_MS = 30_000;
const MAX_RECIPIENTS = 100;
/** Unknown addresses per connection; more of them means that the client searches for valid addresses. */
const MAX_UNKNOWN_ADDRESSES = 10;
/** Each mail in progress holds a connection of the pool, which sending also needs. */
const MAX_CONCURRENT_MAILS = 4;
/** Memory for contents that arrive or wait, as a multiple of the largest mail. */
const MAX_BUFFERED_MAILS = 4;
const PROJECT_RATE = { limit: 600, windowMs: 60_000 };
const MAX_RATE_KEYS = 10_000;
const STOP_TIMEOUT_MS = 15_000;

/**
 * Listens for mail.
 *
 * @throws the listen error (EADDRINUSE, EACCES), or an error from reading the certificate
 */
export async function startInboundListener(
  ctx: Context,
  { port, host }: { port: number; host: string },
): Promise<InboundListener> {
  const { config, log } = ctx;
  const ownHost = sendingHost(config.PUBLIC_URL);
  const recipients = createRecipients(ctx);
  const projectRate = createRateLimit(PROJECT_RATE);
  const threads = createMailThreads({ maxParsers: MAX_CONCURRENT_MAILS });
  const maxSize = config.INBOUND_MAX_MB * 1024 * 1024;
  const unknownAddresses = new Map<string, number>();
  const connectedAt = new Map<string, number>();
  const connectionsByIp = new Map<string, number>();
  const limit = pLimit(MAX_CONCURRENT_MAILS);
  const inProgress = new Set<Promise<void>>();
  let bufferedBytes = 0;

  const checkRecipient = async (address: string, { id }: SMTPServerSession): Promise<void> => {
    try {
      const recipient = await recipients.resolve(ctx.pool, address);
      if (recipient.kind === 'mailbox' && !projectRate.tryCount(recipient.projectId))
        throw new SmtpReply(451, '4.7.1 Too many mails for this project, try again later');
    } catch (error) {
      if (!(error instanceof SmtpReply) || error.responseCode < 500) throw error;
      const count = (unknownAddresses.get(id) ?? 0) + 1;
      unknownAddresses.set(id, count);
      throw count > MAX_UNKNOWN_ADDRESSES ? new SmtpReply(421, '4.7.0 Too many unknown addresses') : error;
    }
  };

  /**
   * Returns the content, or null if there is no memory for it. It reads the stream to its end in both cases, because
   * the client reads the reply only after it has sent everything.
   */
  const readContent = async (stream: SMTPServerDataStream): Promise<Buffer | null> => {
    let chunks: Buffer[] | null = [];
    let ownBytes = 0;
    try {
      for await (const chunk of stream) {
        if (!Buffer.isBuffer(chunk) || !chunks) continue;
        ownBytes += chunk.length;
        bufferedBytes += chunk.length;
        if (stream.sizeExceeded || bufferedBytes > MAX_BUFFERED_MAILS * maxSize) chunks = null;
        else chunks.push(chunk);
        if (chunks) continue;
        bufferedBytes -= ownBytes;
        ownBytes = 0;
      }
      return chunks && Buffer.concat(chunks);
    } finally {
      bufferedBytes -= ownBytes;
    }
  };

  const processMail = async (raw: Buffer, session: SMTPServerSession): Promise<void> => {
    const { envelope, remoteAddress, hostNameAppearsAs } = session;
    const resolved: Recipient[] = [];
    for (const { address } of envelope.rcptTo) resolved.push(await recipients.resolve(ctx.pool, address));
    const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    const mail = await limit(() => threads.parse(raw));
    // Outside the limit: a slow DNS must not hold up other mails. Return paths need no check, because the token
    // decides.
    const authentication = resolved.some(({ kind }) => kind === 'mailbox')
      ? await threads.authenticate({
          raw,
          signatures: mail.header('dkim-signature').length,
          sender,
          ip: remoteAddress,
          helo: hostNameAppearsAs,
          host: ownHost,
          dnsServers: config.DNS_SERVERS,
        })
      : null;
    await limit(() => receiveMail(ctx, { sender, recipients: resolved, mail, authentication }));
  };

  const acceptMail = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> => {
    const raw = await readContent(stream);
    // The server itself rejects a mail that is too large, and ignores this reply.
    if (!raw) throw new SmtpReply(452, '4.3.1 Not enough memory for this mail, try again later');
    bufferedBytes += raw.length;
    try {
      await processMail(raw, session);
    } finally {
      bufferedBytes -= raw.length;
    }
  };

  /** Returns the error reply for `task`, or null if it succeeds. */
  const errorReplyOf = async (task: Promise<void>): Promise<SmtpReply | null> => {
    try {
      await task;
      return null;
    } catch (error) {
      if (error instanceof SmtpReply) return error;
      if (!isPassing(error) && !(error instanceof ApiError))
        log.error({ err: error }, 'The SMTP listener could not process an inbound mail');
      // The sender keeps the mail and retries, so an error of ours loses nothing.
      return tryLater();
    }
  };

  const sendReply = async (
    task: Promise<void>,
    callback: (error?: Error | null, message?: string) => void,
  ): Promise<void> => {
    const errorReply = await errorReplyOf(task);
    callback(errorReply, errorReply ? undefined : 'Accepted');
  };

  const server = new SMTPServer({
    name: ownHost,
    banner: 'Sendloom',
    size: maxSize,
    rejectOversized: true,
    maxClients: config.INBOUND_CONNECTIONS,
    maxRecipients: MAX_RECIPIENTS,
    authOptional: true,
    ...tlsOptions(config),
    disableReverseLookup: true,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: 1000,
    logger: false,
    onConnect: (session, callback) => {
      const count = (connectionsByIp.get(session.remoteAddress) ?? 0) + 1;
      connectionsByIp.set(session.remoteAddress, count);
      connectedAt.set(session.id, Date.now());
      // One client must not use all connections.
      callback(
        count > Math.ceil(config.INBOUND_CONNECTIONS / 2)
          ? new SmtpReply(421, '4.7.0 Too many connections from your address')
          : null,
      );
    },
    onClose: ({ id, remoteAddress }) => {
      unknownAddresses.delete(id);
      if (!connectedAt.delete(id)) return;
      const left = (connectionsByIp.get(remoteAddress) ?? 1) - 1;
      if (left > 0) connectionsByIp.set(remoteAddress, left);
      else connectionsByIp.delete(remoteAddress);
    },
    onRcptTo: ({ address }, session, callback) => void sendReply(checkRecipient(address, session), callback),
    onData: (stream, session, callback) => {
      const replied = sendReply(acceptMail(stream, session), callback);
      inProgress.add(replied);
      void replied.finally(() => inProgress.delete(replied));
    },
  });
  server.on('error', (error: unknown) => log.debug({ err: error }, 'A connection of the SMTP listener failed'));

  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => {
      server.server.off('error', reject);
      resolve();
    });
  });
  const sweep = setInterval(() => {
    for (const connection of server.connections)
      if ((connectedAt.get(connection.session.id) ?? Date.now()) < Date.now() - MAX_CONNECTION_MS)
        connection.send(421, '4.4.2 The connection is open for too long');
  }, CONNECTION_SWEEP_MS);
  sweep.unref();

  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async stop() {
      clearInterval(sweep);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        Promise.all(inProgress),
        new Promise((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS))),
      ]);
      clearTimeout(timer);
      for (const connection of server.connections) connection.send(421, '4.3.2 Closing, try again later');
      await closed;
      await threads.close();
    },
  };
}

/**
 * STARTTLS with the operator's certificate. Without one, the listener accepts unencrypted mail, as RFC 3207 requires.
 */
function tlsOptions({ INBOUND_TLS_CERT: cert, INBOUND_TLS_KEY: key }: Context['config']) {
  return cert !== undefined && key !== undefined
    ? { cert: readFileSync(cert), key: readFileSync(key), disabledCommands: ['AUTH'] }
    : { disabledCommands: ['AUTH', 'STARTTLS'] };
}

export interface RateLimit {
  /** Counts one; returns false if the limit of the current window is reached. */
  tryCount: (key: string) => boolean;
}

/** Counts per key in fixed windows that begin with the first count. In this process only: it protects our resources. */
export function createRateLimit({ limit, windowMs }: { limit: number; windowMs: number }): RateLimit {
  const windows = new LRUCache<string, { count: number }>({ max: MAX_RATE_KEYS, ttl: windowMs });
  return {
    tryCount(key) {
      const window = windows.get(key) ?? { count: 0 };
      if (window.count === 0) windows.set(key, window);
      return ++window.count <= limit;
    },
  };
}
