/**
 * One SMTP connection, kept open for mail after mail.
 */
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './smtp-url.js';
import { TransportError, type TransportErrorKind, type TransportStage } from './transport-error.js';

export interface SmtpTimeouts {
  /** Milliseconds to connect, with DNS, TLS and greeting. */
  connectMs: number;
  /**
   * Milliseconds without an answer. RFC 5321, 4.5.3.2, wants minutes: giving up on a server that is about to accept
   * leaves the outcome unknown.
   */
  replyMs: number;
}

export interface SmtpMail {
  from: string;
  to: string;
  raw: Buffer;
}

/** What nodemailer's errors carry; the fields are not always there. */
interface SmtpFailure extends Error {
  code?: string;
  response?: string;
  responseCode?: number;
  command?: string;
}

// Larger mails are handed over in pieces, so that a failure half-way is known to be half-way.
const ONE_PIECE = 256 * 1024;
const PIECE = 64 * 1024;

// 421: the server closes. 530–538: it wants credentials, or other ones.
const NOT_ABOUT_THE_MAIL = new Set([421, 530, 534, 535, 538]);

export class SmtpSession {
  readonly server: SmtpServer;
  /** Mails sent, or refused, over this connection. */
  mails = 0;
  lastUsed = Date.now();
  readonly #connection: SMTPConnection;
  #ended = false;
  /**
   * Told when the connection ends, since nodemailer forgets who waits for an answer when it is closed from our side.
   */
  #whenEnded: (() => void) | null = null;

  private constructor(server: SmtpServer, connection: SMTPConnection, onEnd: (session: SmtpSession) => void) {
    this.server = server;
    this.#connection = connection;
    // An error is told to whoever waits for an answer; while nobody does, the end that follows is all there is to know.
    connection.on('error', () => undefined);
    connection.once('end', () => {
      this.#ended = true;
      onEnd(this);
      // An error that ended it reaches the waiting callback right after this event, and says more.
      if (this.#whenEnded) queueMicrotask(this.#whenEnded);
    });
  }

  /**
   * Connects, upgrades to TLS and authenticates as the server's URL says.
   *
   * @param onEnd called once when the connection is gone, whoever ended it
   * @throws TransportError of kind `connection`, stage `connect`, whatever the server answered
   */
  static open(server: SmtpServer, timeouts: SmtpTimeouts, onEnd: (session: SmtpSession) => void): Promise<SmtpSession> {
    const connection = new SMTPConnection({
      ...server.options,
      logger: false,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.connectMs,
      dnsTimeout: timeouts.connectMs,
      socketTimeout: timeouts.replyMs,
      socketCloseTimeout: 1000,
    });
    return new Promise((resolve, reject) => {
      const session = new SmtpSession(server, connection, onEnd);
      const fail = (error: SmtpFailure) => {
        // Closing emits `end`: the first reason is the one that counts.
        reject(toTransportError(error, server, 'connection', 'connect'));
        connection.close();
      };
      connection.once('error', fail);
      connection.once('end', () => fail(new Error('The server closed the connection')));
      connection.connect((error) => {
        if (error) return fail(error);
        // A server that offers no AUTH refuses the mail if it wants one: then that answer says more than ours could.
        if (!server.credentials) return resolve(session);
        connection.login({ ...server.credentials }, (loginError) => (loginError ? fail(loginError) : resolve(session)));
      });
    });
  }

  /** Whether the connection can take a mail, as far as can be known without asking. */
  get alive(): boolean {
    const socket = this.#connection._socket;
    return (
      !this.#ended &&
      !this.#connection.destroyed &&
      Boolean(socket) &&
      socket !== null &&
      socket !== false &&
      socket.writable &&
      !socket.readableEnded
    );
  }

  /**
   * Hands one mail over, and leaves the connection ready for the next one, or closed.
   *
   * @returns the server's answer
   * @throws TransportError
   */
  async send(mail: SmtpMail): Promise<string> {
    try {
      const response = await this.#converse(mail);
      this.mails += 1;
      this.lastUsed = Date.now();
      return response;
    } catch (error) {
      this.mails += 1;
      this.lastUsed = Date.now();
      if (error instanceof TransportError && error.kind !== 'connection' && this.alive && (await this.#reset()))
        throw error;
      this.close();
      throw error;
    }
  }

  #converse({ from, to, raw }: SmtpMail): Promise<string> {
    const pieces = raw.length > ONE_PIECE ? Readable.from(piecesOf(raw), { objectMode: false }) : null;
    return new Promise<string>((resolve, reject) => {
      this.#whenEnded = () => reject(this.#explain(new Error('The connection was closed'), pieces));
      this.#connection.send({ from, to, size: raw.length }, pieces ?? raw, (failure: SmtpFailure | null, info) => {
        if (!failure && info) return resolve(info.response);
        reject(this.#explain(failure ?? new Error('The server gave no answer'), pieces));
      });
    }).finally(() => {
      this.#whenEnded = null;
    });
  }

  /** Names the kind and the stage of a failure. */
  #explain(failure: SmtpFailure, pieces: Readable | null): TransportError {
    const { responseCode: code, command } = failure;
    // Ours: the size that the server announced is exceeded, or an address can't be written into the envelope.
    if (code === undefined && command !== 'CONN' && (failure.code === 'EMESSAGE' || failure.code === 'EENVELOPE')) {
      return toTransportError(failure, this.server, 'permanent', 'envelope');
    }
    if (code !== undefined && command !== 'CONN') {
      // The answer to the content is told from the one to the DATA command by the error's code.
      const answered = failure.code === 'EMESSAGE' ? 'after-data' : command === 'DATA' ? 'data' : 'envelope';
      if (NOT_ABOUT_THE_MAIL.has(code))
        return toTransportError(failure, this.server, 'connection', answered === 'after-data' ? 'data' : answered);
      return toTransportError(failure, this.server, code >= 500 && code !== 503 ? 'permanent' : 'transient', answered);
    }
    return toTransportError(failure, this.server, 'connection', this.#lostAt(pieces));
  }

  /** Where a lost connection left the mail. The content goes out as soon as the server answers DATA with 354. */
  #lostAt(pieces: Readable | null): TransportStage {
    const last = this.#connection.lastServerResponse;
    if (last === false || !last.startsWith('3')) return 'envelope';
    return pieces !== null && !pieces.readableEnded ? 'data' : 'after-data';
  }

  /** Ends a refused mail's transaction (RFC 5321, 4.1.1.5); false when the connection is of no use any more. */
  #reset(): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      this.#whenEnded = () => resolve(false);
      this.#connection.reset((error) => resolve(!error));
    }).finally(() => {
      this.#whenEnded = null;
    });
  }

  /** Says goodbye, then closes; a server that doesn't answer gets two seconds. */
  quit(): void {
    if (!this.alive) return this.close();
    this.#connection.quit();
    setTimeout(() => this.close(), 2000).unref();
  }

  /** Closes at once; a mail on its way fails. */
  close(): void {
    this.#connection.close();
  }
}

function* piecesOf(raw: Buffer): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE) yield raw.subarray(at, at + PIECE);
}

function toTransportError(
  failure: SmtpFailure,
  server: SmtpServer,
  kind: TransportErrorKind,
  stage: TransportStage,
): TransportError {
  const { responseCode, response } = failure;
  return new TransportError(response ?? failure.message, {
    kind,
    stage,
    responseCode,
    response,
    server: server.name,
    cause: failure,
  });
}
