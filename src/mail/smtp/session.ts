/** One SMTP connection, kept open for several emails. Uses nodemailer 10's SMTPConnection. */
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './url.js';
import { TransportError, type TransportErrorKind, type TransportStage } from './errors.js';

export interface SmtpTimeouts {
  /** Timeout for connecting, including DNS, TLS, and greeting, in milliseconds. */
  connectMs: number;
  /**
   * Timeout for a reply, in milliseconds. RFC 5321, 4.5.3.2, requires minutes: a timeout while the server is about to
   * accept leaves the outcome unknown.
   */
  replyMs: number;
}

export interface SmtpMail {
  from: string;
  to: string;
  raw: Buffer;
}

/** The fields of nodemailer's errors, all optional. */
interface SmtpFailure extends Error {
  code?: string;
  response?: string;
  responseCode?: number;
  command?: string;
}

// Larger emails are written in pieces, so that a failure before the last piece is known to be one.
const ONE_PIECE = 256 * 1024;
const PIECE = 64 * 1024;

// 421: the server closes. 530–538: it requires credentials or rejects ours.
const NOT_ABOUT_THE_MAIL = new Set([421, 530, 534, 535, 538]);

export class SmtpSession {
  readonly server: SmtpServer;
  /** Emails sent or rejected over this connection. */
  mails = 0;
  lastUsed = Date.now();
  readonly #connection: SMTPConnection;
  #ended = false;
  /** Called when the connection ends, because nodemailer drops pending callbacks when our side closes it. */
  #whenEnded: (() => void) | null = null;

  private constructor(server: SmtpServer, connection: SMTPConnection, onEnd: (session: SmtpSession) => void) {
    this.server = server;
    this.#connection = connection;
    // The callback that waits for a reply receives the error. Without one, the `end` event that follows is enough.
    connection.on('error', () => undefined);
    connection.once('end', () => {
      this.#ended = true;
      onEnd(this);
      // The error that ended the connection reaches the waiting callback right after this event and is more specific.
      if (this.#whenEnded) queueMicrotask(this.#whenEnded);
    });
  }

  /**
   * Connects, upgrades to TLS, and authenticates as the server's URL requires.
   *
   * @param onEnd called once when either side has ended the connection
   * @throws TransportError of kind `connection`, stage `connect`, for every reply of the server
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
        // Closing emits `end`. Only the first reason counts.
        reject(toTransportError(error, server, 'connection', 'connect'));
        connection.close();
      };
      connection.once('error', fail);
      connection.once('end', () => fail(new Error('The server closed the connection')));
      connection.connect((error) => {
        if (error) return fail(error);
        // A server without AUTH that requires it rejects the email itself, with a more specific reply.
        if (!server.credentials) return resolve(session);
        connection.login({ ...server.credentials }, (loginError) => (loginError ? fail(loginError) : resolve(session)));
      });
    });
  }

  /** Whether the connection seems usable, without contacting the server. */
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
   * Sends one email. Afterwards the connection is ready for the next one, or closed.
   *
   * @returns the server's reply
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

  /** Determines the kind and the stage of a failure. */
  #explain(failure: SmtpFailure, pieces: Readable | null): TransportError {
    const { responseCode: code, command } = failure;
    // Raised by nodemailer: the email exceeds the server's SIZE, or an address is malformed.
    if (code === undefined && command !== 'CONN' && (failure.code === 'EMESSAGE' || failure.code === 'EENVELOPE')) {
      return toTransportError(failure, this.server, 'permanent', 'envelope');
    }
    if (code !== undefined && command !== 'CONN') {
      // The error's code distinguishes the reply to the content from the reply to the DATA command.
      const answered = failure.code === 'EMESSAGE' ? 'after-data' : command === 'DATA' ? 'data' : 'envelope';
      if (NOT_ABOUT_THE_MAIL.has(code))
        return toTransportError(failure, this.server, 'connection', answered === 'after-data' ? 'data' : answered);
      return toTransportError(failure, this.server, code >= 500 && code !== 503 ? 'permanent' : 'transient', answered);
    }
    return toTransportError(failure, this.server, 'connection', this.#lostAt(pieces));
  }

  /** Returns how far the email got on a lost connection. The content is written when the server replies 354 to DATA. */
  #lostAt(pieces: Readable | null): TransportStage {
    const last = this.#connection.lastServerResponse;
    if (last === false || !last.startsWith('3')) return 'envelope';
    return pieces !== null && !pieces.readableEnded ? 'data' : 'after-data';
  }

  /** Resets the transaction of a rejected email (RFC 5321, 4.1.1.5). Returns false if the connection is unusable. */
  #reset(): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      this.#whenEnded = () => resolve(false);
      this.#connection.reset((error) => resolve(!error));
    }).finally(() => {
      this.#whenEnded = null;
    });
  }

  /** Sends QUIT, then closes, after two seconds at the latest. */
  quit(): void {
    if (!this.alive) return this.close();
    this.#connection.quit();
    setTimeout(() => this.close(), 2000).unref();
  }

  /** Closes immediately. An email in transfer fails. */
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
