/**
 * Why a mail was not handed over, in terms of what to do next.
 */

/**
 * `transient`: the server refused this mail for now (4xx). `permanent`: it refused it for good (5xx). `connection`: the
 * server, the network or our credentials failed, which says nothing about this mail.
 */
export type TransportErrorKind = 'transient' | 'permanent' | 'connection';

/**
 * How far the mail got. `connect`: nothing of it was written. `envelope`: addresses at most. `data`: its content was
 * not handed over completely, or the server says that it didn't take it. `after-data`: the content was handed over.
 */
export type TransportStage = 'connect' | 'envelope' | 'data' | 'after-data';

export interface TransportErrorOptions {
  kind: TransportErrorKind;
  stage: TransportStage;
  responseCode?: number;
  response?: string;
  server?: string;
  cause?: unknown;
}

export class TransportError extends Error {
  readonly kind: TransportErrorKind;
  readonly stage: TransportStage;
  /** The SMTP reply code, where the server answered. */
  readonly responseCode?: number;
  /** The server's answer. It may name the recipient: store it with the email, keep it out of logs. */
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

  /** Whether the server may have accepted the mail although no answer came: sending it again could deliver it twice. */
  get ambiguous(): boolean {
    return this.kind === 'connection' && this.stage === 'after-data';
  }
}
