/** An email for the SMTP client, and its result. */

export interface SmtpJob {
  /** The envelope sender, which receives bounces. */
  from: string;
  to: string;
  /** The finished message, with CRLF line ends and not dot-stuffed. */
  content: Buffer;
  /** Whether no line of the content begins with a dot, so that it need not be searched for dots to stuff. */
  hasNoLeadingDots?: boolean;
  /** Called exactly once. Must not throw. */
  onResult: (result: SmtpResult) => void;
  /**
   * Called before and after the hooks of the handover, right before the content is written. If it returns false, nothing
   * is written, the connection is closed, and the result is `unsent`. Default: true. Must not throw.
   */
  canHandOver?: () => boolean;
  /** For hooks of the handover: notes that the content is about to be written. */
  noteHandOver?: () => void;
  /**
   * Takes the email that must be handed over right after the result of this one. Until that result, its source does not
   * return it. It is announced with the content of this one, if no other urgent email waits, which saves a round trip.
   * Default: none. Must not throw.
   */
  takeSuccessor?: () => SmtpJob | null;
}

/**
 * How far an email got. `connect`: nothing was written. `envelope`: at most its addresses were written. `data`: its
 * content was not written completely, or the server refused to receive it. `after-data`: the content was written.
 */
export type SmtpStage = 'connect' | 'envelope' | 'data' | 'after-data';

/** `response` is the server's reply, for example `250 2.0.0 Ok`; `server` is `host:port`. */
export type SmtpResult =
  | { outcome: 'accepted'; response: string; server: string }
  /**
   * The server rejected this email: permanently (5xx) or temporarily (4xx). `response` is null if the client rejected
   * it, because an address is malformed or the server does not accept its size.
   */
  | {
      outcome: 'rejected';
      permanent: boolean;
      stage: SmtpStage;
      error: string;
      response: string | null;
      server: string | null;
    }
  /** The connection ended after the content was written and before the reply. The server may have accepted it. */
  | { outcome: 'inDoubt'; error: string; server: string }
  /**
   * The email was not handed over, because the server, the network, or our credentials failed. This is not an attempt:
   * the source can offer the email again. `response` is the server's reply, if that is the reason.
   */
  | { outcome: 'unsent'; stage: SmtpStage; error: string; response: string | null; server: string | null };
