/** Decides what happens to an email of a campaign: before it is composed, and after the mail server's reply. Pure. */
import type { SmtpResult } from '../../mail/smtp/job.js';
import { MAX_ATTEMPTS, retryDelay } from '../emails/retry.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { suppressionRefusal } from '../suppressions/refusal.js';
import type { EmailResult } from './sql/chunks.js';
import type { CampaignEmail } from './sql/recipients.js';
import { State } from './states.js';

/** A result without the fields that do not depend on the decision. */
export type Decision = Pick<EmailResult, 'state' | 'error' | 'response' | 'retryMs' | 'isAmbiguous'>;

const decision = (state: EmailResult['state'], rest: Partial<Decision> = {}): Decision => ({
  state,
  error: null,
  response: null,
  retryMs: 0,
  isAmbiguous: false,
  ...rest,
});

/** Returns why an email is not sent: its contact unsubscribed or was suppressed since the snapshot. Null: send it. */
export function refuseRecipient(
  { suppressed, contactSubscribed }: Pick<CampaignEmail, 'suppressed' | 'contactSubscribed'>,
  type: EmailTypeName,
): Decision | null {
  const refused = suppressionRefusal({ source: 'CAMPAIGN', type, suppressed });
  if (refused !== null) return decision(State.CANCELLED, { error: refused });
  if (type !== 'TRANSACTIONAL' && contactSubscribed !== true)
    return decision(State.CANCELLED, { error: 'The contact unsubscribed before this email was handed over.' });
  return null;
}

/** Returns the result of an email that no retry can send. */
export const failPermanently = (error: string, response: string | null = null): Decision =>
  decision(State.FAILED, { error, response });

/** Returns the result of an email that is due again later, or FAILED after the last attempt. */
export function retryLater(attempts: number, error: string, rest: Partial<Decision> = {}): Decision {
  return attempts >= MAX_ATTEMPTS
    ? decision(State.FAILED, { ...rest, error: `${error} (gave up after ${attempts} attempts)` })
    : decision(State.RETRY, { ...rest, error, retryMs: retryDelay(attempts) });
}

/**
 * Returns the result of an email that was offered to the SMTP client; null if nothing was handed over for a reason
 * that is independent of the email, so that it is offered again.
 *
 * @param attempts including this one
 */
export function decideResult(result: SmtpResult, attempts: number): Decision | null {
  switch (result.outcome) {
    case 'accepted':
      return decision(State.SENT, { response: result.response });
    case 'rejected':
      return result.permanent
        ? failPermanently(result.error, result.response)
        : retryLater(attempts, result.error, { response: result.response });
    case 'inDoubt':
      // RFC 5321 expects a client to repeat it, with the same Message-ID.
      return retryLater(attempts, result.error, { isAmbiguous: true });
    case 'unsent':
      return isRefusedByClosing(result) ? retryLater(attempts, result.error, { response: result.response }) : null;
  }
}

/**
 * Whether the server replied 421 to the envelope: it closes the connection (RFC 5321, 3.8). On a connection that was
 * used before, the SMTP client repeats the envelope on another one. So this was the first email of its connection, and
 * the email itself may be the reason. If it counts as an attempt, the next email probes the server, and one email whose
 * envelope always gets a 421 does not delay the others. A server that replies 421 to every envelope gets one email after
 * each pause, so only these emails lose an attempt.
 */
const isRefusedByClosing = ({ stage, response }: Extract<SmtpResult, { outcome: 'unsent' }>): boolean =>
  stage !== 'connect' && response !== null && response.startsWith('421');
