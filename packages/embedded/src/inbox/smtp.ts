/** The inbox's SMTP server: accepts every mail for every address, and acknowledges it when it is stored. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Log } from '../../../../src/log.js';
import type { MailStore } from './store.js';

/** The largest accepted mail, announced with SIZE (RFC 1870). */
const MAX_MAIL_BYTES = 50 * 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_FIELD_CHARACTERS = 1000;

/** Creates the server without listening. */
export function createSmtpServer(store: MailStore, log: Log): SMTPServer {
  const server = new SMTPServer({
    name: 'inbox.test',
    banner: 'Sendloom inbox',
    size: MAX_MAIL_BYTES,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    maxClients: 1000,
    socketTimeout: 5 * 60_000,
    closeTimeout: 1000,
    logger: false,
    onData: (stream, session, callback) => void acknowledge(stream, session, callback),
  });
  // Clients may disconnect at any time.
  server.on('error', (error) => log.debug({ err: error }, 'an inbox SMTP connection failed'));
  return server;

  async function acknowledge(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    callback: (error?: Error | null, message?: string) => void,
  ): Promise<void> {
    let id: string;
    try {
      id = await storeMail(stream, session, store);
    } catch (error) {
      if (error instanceof SmtpError) return callback(error);
      log.error({ err: error }, 'the inbox could not store a mail');
      return callback(new SmtpError(451, 'could not be stored'));
    }
    callback(null, `stored as ${id}`);
  }
}

class SmtpError extends Error {
  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Writes a mail to its file while it arrives. Like in store.ts, the writes are synchronous: the inbox has its own thread, in which
 * asynchronous ones took 1 ms per mail to switch to other threads and back.
 */
async function storeMail(stream: SMTPServerDataStream, session: SMTPServerSession, store: MailStore): Promise<string> {
  const id = store.newId();
  const file = store.fileOf(id);
  const head: Buffer[] = [];
  let headBytes = 0;
  try {
    const fd = openSync(file, 'w');
    try {
      for await (const chunk of stream) {
        if (headBytes < MAX_HEADER_BYTES) head.push(chunk);
        headBytes += chunk.length;
        // The rest of a mail that is too large is read and dropped, so that the sender receives the reply.
        if (!stream.sizeExceeded) writeFileSync(fd, chunk);
      }
    } finally {
      closeSync(fd);
    }
    if (stream.sizeExceeded) throw new SmtpError(552, `larger than ${MAX_MAIL_BYTES} bytes`);
    const { from, subject } = await parseHead(Buffer.concat(head));
    const { mailFrom, rcptTo } = session.envelope;
    store.append({
      id,
      from: from ?? (mailFrom ? mailFrom.address : ''),
      to: rcptTo.map(({ address }) => address),
      subject: subject ?? '',
      date: new Date().toISOString(),
      size: stream.byteLength,
    });
    return id;
  } catch (error) {
    // The SMTP server replies when it has read the mail.
    stream.resume();
    await rm(file, { force: true });
    throw error;
  }
}

/** The decoded From and Subject. The complete mail is parsed only when it is viewed. */
async function parseHead(head: Buffer): Promise<{ from?: string; subject?: string }> {
  const [block = ''] = head
    .subarray(0, MAX_HEADER_BYTES)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1);
  const { from, subject } = await simpleParser(Buffer.from(block, 'latin1'));
  return { from: from?.text.slice(0, MAX_FIELD_CHARACTERS), subject: subject?.slice(0, MAX_FIELD_CHARACTERS) };
}
