/** Why an email was not handed over, in terms of what to do next. */
import type { SmtpStage } from './job.js';

/**
 * `transient`: the server rejected this email temporarily (4xx). `permanent`: it rejected the email permanently (5xx).
 * `connection`: the server, the network, or our credentials failed, independently of this email.
 */
export type TransportErrorKind = 'transient' | 'permanent' | 'connection';

// 421: the server closes. 530–538: it requires credentials or rejects ours.
const SERVER_FAILURES = new Set([421, 530, 534, 535, 538]);

/** Whether a reply is about the server or our credentials, not about the email. */
export const isServerFailure = (code: number): boolean => SERVER_FAILURES.has(code);

export interface TransportErrorOptions {
  kind: TransportErrorKind;
  stage: SmtpStage;
  responseCode?: number;
  response?: string;
  server?: string;
  cause?: unknown;
}

export class TransportError extends Error {
  readonly kind: TransportErrorKind;
  readonly stage: SmtpStage;
  /** The SMTP reply code, if the server replied. */
  readonly responseCode?: number;
  /** The server's reply. It can contain the recipient's address: store it with the email and do not log it. */
  readonly response?: string;
  /** `host:port` */
  readonly server?: string;

  constructor(message: string, options: TransportErrorOptions) {
    super(message, { cause: options.cause });
    this.name = 'TransportError';
    this.kind = options.kind;
    this.stage = options.stage;
    this.responseCode = options.responseCode;
    this.response = options.response;
    this.server = options.server;
  }
}

export const closedError = (): TransportError =>
  new TransportError('The SMTP client is closed.', { kind: 'connection', stage: 'connect' });
