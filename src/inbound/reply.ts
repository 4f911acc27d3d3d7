/** The error replies of the SMTP listener. */

/**
 * An SMTP reply with its enhanced status code (RFC 3463). Its text must not quote the mail or an internal error.
 */
export class SmtpReply extends Error {
  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
    this.name = 'SmtpReply';
  }
}

export const noSuchAddress = (): SmtpReply => new SmtpReply(550, '5.1.1 This address does not exist');
export const tryLater = (): SmtpReply => new SmtpReply(451, '4.3.0 Temporary failure, try again later');
