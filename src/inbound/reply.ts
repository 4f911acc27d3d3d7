/** What the listener says instead of 250. */

/**
 * An SMTP answer with its enhanced status code (RFC 3463). The listener's own words only: nothing of the mail, nothing
 * of an error.
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

export const noSuchAddress = (): SmtpReply => new SmtpReply(550, '5.1.1 There is no such address here');
export const tryLater = (): SmtpReply => new SmtpReply(451, '4.3.0 This can not be taken now, try again later');
