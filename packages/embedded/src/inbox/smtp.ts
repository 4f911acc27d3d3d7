/**
 * The inbox's SMTP server: takes every mail for every address, and acknowledges it once it is stored.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import libmime from 'libmime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerEnvelope, type SMTPServerSession } from 'smtp-server';
import type { Log } from '../../../../src/log.js';
import type { MailStore } from './store.js';

/** The largest mail that is taken, as announced by SIZE (RFC 1870). */
export const MAX_MAIL_BYTES = 50 * 1024 * 1024;

// A mail up to this size is held in memory while it arrives; a larger one goes to a file, so that many senders at once
// don't fill the memory.
const IN_MEMORY_BYTES = 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Makes the server; it doesn't listen yet. */
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
  // A client that goes away in the middle is no fault of the inbox.
  server.on('error', (error) => log.debug({ err: error }, 'inbox SMTP connection'));
  return server;

  async function acknowledge(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    callback: (error?: Error | null, message?: string) => void,
  ): Promise<void> {
    let id: string;
    try {
      id = await receive(stream, session, store);
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

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession, store: MailStore): Promise<string> {
  const { bytes, rest } = await collect(stream);
  if (!rest) return store.append({ ...summary(bytes, session.envelope), body: bytes });

  const name = `large-${randomUUID()}.eml`;
  const path = store.spoolPath(name);
  try {
    await pipeline(async function* spool() {
      yield bytes;
      for await (const chunk of rest) {
        // The remainder of a mail that is too large is read and thrown away, so that the answer reaches the sender.
        if (!stream.sizeExceeded) yield chunk;
      }
    }, createWriteStream(path));
    if (stream.sizeExceeded) throw new SmtpError(552, `larger than ${MAX_MAIL_BYTES} bytes`);
    return await store.append({ ...summary(bytes, session.envelope), body: { file: name, size: stream.byteLength } });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The first bytes of a mail, all of them when it is small; `rest` goes on where it is not. */
async function collect(stream: SMTPServerDataStream): Promise<{ bytes: Buffer; rest: AsyncIterable<Buffer> | null }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const iterator: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await iterator.next();
    if (next.done) return { bytes: Buffer.concat(chunks), rest: null };
    chunks.push(next.value);
    size += next.value.length;
    if (size > IN_MEMORY_BYTES)
      return { bytes: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => iterator } };
  }
}

function summary(
  head: Buffer,
  envelope: SMTPServerEnvelope,
): { from: string; to: string[]; subject: string; date: string } {
  const headers = headerFields(head);
  const sender = envelope.mailFrom ? envelope.mailFrom.address : '';
  return {
    from: headers.get('from') ?? sender,
    to: envelope.rcptTo.map((recipient) => recipient.address),
    subject: headers.get('subject') ?? '',
    date: new Date().toISOString(),
  };
}

/**
 * `From` and `Subject`, unfolded and decoded (RFC 2047), from the first lines of a mail; a full parse waits until
 * somebody looks at it.
 */
export function headerFields(head: Buffer): Map<string, string> {
  const text = head.subarray(0, HEAD_BYTES).toString('utf8');
  const block = text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const fields = new Map<string, string>();
  for (const line of block.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const match = /^(from|subject)[ \t]*:[ \t]*(.*)$/i.exec(line);
    const name = match?.[1]?.toLowerCase();
    if (!name || fields.has(name)) continue;
    fields.set(name, decode(match?.[2] ?? '').slice(0, 1000));
  }
  return fields;
}

function decode(value: string): string {
  if (!value.includes('=?')) return value;
  try {
    return libmime.decodeWords(value);
  } catch {
    // A made-up charset or broken encoding: shown as it came.
    return value;
  }
}
