/** Decides what happens to an email: before it is composed, and after the mail server's reply. Pure. */
import type { SmtpResult } from '../../mail/smtp/job.js';
import { MAX_ATTEMPTS, retryDelay } from '../emails/retry.js';
import type { DeliveryResult } from '../emails/sql/delivery.js';
import { AMBIGUOUS_ERROR } from '../emails/sql/liveness.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { suppressionRefusal, type AddressedEmail } from '../suppressions/refusal.js';
import type { EmailResult } from './sql/settle.js';
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

/** An email that is about to be composed, and what may have changed since it was accepted. */
export interface AcceptedEmail extends AddressedEmail {
  isProjectDisabled: boolean;
  /** Whether the email requires a subscribed contact and the contact is not subscribed. */
  isUnsubscribed: boolean;
}

const cancel = (error: string): Decision => decision(State.CANCELLED, { error });

/** Returns the result of an email that requires a subscribed contact, if the contact is not subscribed any more. */
export const refuseUnsubscribed = (): Decision => cancel('The contact unsubscribed before this email was handed over.');

/** Returns why an email is not sent: its project, address, or contact has changed. Null: send it. */
export function refuseEmail(email: AcceptedEmail): Decision | null {
  if (email.isProjectDisabled && email.source !== 'PLATFORM')
    return cancel('The project was disabled before this email was handed over.');
  const refused = suppressionRefusal(email);
  if (refused !== null) return cancel(refused);
  return email.isUnsubscribed ? refuseUnsubscribed() : null;
}

/** Returns why an email of a campaign is not sent. The ledger stops the campaigns of disabled projects. */
export const refuseRecipient = (
  { suppressed, contactSubscribed }: Pick<CampaignEmail, 'suppressed' | 'contactSubscribed'>,
  type: EmailTypeName,
): Decision | null =>
  refuseEmail({
    source: 'CAMPAIGN',
    type,
    suppressed,
    isProjectDisabled: false,
    isUnsubscribed: type !== 'TRANSACTIONAL' && contactSubscribed !== true,
  });

/** Returns the result of an email that no retry can send. */
export const failPermanently = (error: string, response: string | null = null): Decision =>
  decision(State.FAILED, { error, response });

/** Returns the result of an email that is due again later, or FAILED after the last attempt. */
export function retryLater(attempts: number, error: string, rest: Partial<Decision> = {}): Decision {
  return attempts >= MAX_ATTEMPTS
    ? decision(State.FAILED, { ...rest, error: `${error} (gave up after ${attempts} attempts)` })
    : decision(State.RETRY, { ...rest, error, retryMs: retryDelay(attempts) });
}

const LOST_REPLY = 'The mail server rejected this email. Its reply was lost with the worker.';

/** What is known about an email of a lost worker. */
export type LostResult = Pick<Decision, 'state'> & Partial<Pick<Decision, 'error' | 'response' | 'isAmbiguous'>>;

/** Returns the result of an email of a lost worker. @param attempts including this one */
export function decideLost(
  { state, error = null, response = null, isAmbiguous = false }: LostResult,
  attempts: number,
  policy: 'skip' | 'resend',
): Decision {
  switch (state) {
    case State.UNKNOWN:
      return policy === 'skip'
        ? decision(state, { response, error: AMBIGUOUS_ERROR, isAmbiguous: true })
        : decision(State.RETRY, { error, response, isAmbiguous: true });
    case State.RETRY:
      return retryLater(attempts, error ?? LOST_REPLY, { response, isAmbiguous });
    case State.FAILED:
      return decision(state, { error: error ?? LOST_REPLY, response, isAmbiguous });
    default:
      return decision(state, { error, response, isAmbiguous });
  }
}

const STATUSES = {
  [State.SENT]: 'SENT',
  [State.FAILED]: 'FAILED',
  [State.CANCELLED]: 'CANCELLED',
  [State.UNKNOWN]: 'FAILED',
  [State.RETRY]: 'PENDING',
} as const;

/** Returns the result of a claimed email as it is recorded. */
export const toDeliveryResult = (id: string, { state, isAmbiguous, ...rest }: Decision): DeliveryResult => ({
  id,
  status: STATUSES[state],
  ambiguous: isAmbiguous,
  ...rest,
});

/** Returns the result of a claimed email that is due again after `retryMs`. This is not an attempt. */
export const releaseClaimed = (id: string, retryMs: number): DeliveryResult => ({
  id,
  status: 'PENDING',
  error: null,
  response: null,
  retryMs,
  untried: true,
});

/** Returns the result of an email whose message was deleted. */
export const failDeleted = (): Decision => failPermanently('The content of this email was deleted.');

/**
 * Returns the result of an email that could not be composed.
 *
 * @param reason why no attempt can succeed; null if another one may
 * @param attempts including this one
 */
export const decideUncomposed = (reason: string | null, attempts: number): Decision =>
  reason === null ? retryLater(attempts, 'The email could not be composed. See the log.') : failPermanently(reason);

/** Returns the result of an email that was handed over or rejected. @param attempts including this one */
export function decideReply(result: Exclude<SmtpResult, { outcome: 'unsent' }>, attempts: number): Decision {
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
  }
}

/**
 * Returns the result of an email that was offered to the SMTP client; null if nothing was handed over for a reason
 * that is independent of the email, so that it is offered again.
 *
 * @param attempts including this one
 */
export function decideResult(result: SmtpResult, attempts: number): Decision | null {
  if (result.outcome !== 'unsent') return decideReply(result, attempts);
  return isRefusedByClosing(result) ? retryLater(attempts, result.error, { response: result.response }) : null;
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
