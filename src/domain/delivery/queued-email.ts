/** Composes an email that belongs to no campaign, or decides that it is not sent. */
import type { Context } from '../../context.js';
import { unsendableReason, type Composer, type Recipient } from '../emails/compose.js';
import { originalOf } from '../emails/copies.js';
import type { ClaimedEmail } from '../emails/sql/delivery.js';
import { readWorkflowVariables } from '../emails/workflow-variables.js';
import { contactOfAddress } from '../executions/sql/send.js';
import { decideUncomposed, failDeleted, refuseEmail, refuseUnsubscribed, type Decision } from './decide.js';

export interface ComposedEmail {
  /** The envelope sender. */
  from: string;
  content: Buffer;
  trace: string | null;
}

/** Composes an email, or decides that it is not sent. Never throws. */
export async function composeQueued(
  ctx: Context,
  composer: Composer,
  email: ClaimedEmail,
): Promise<ComposedEmail | Decision> {
  const { source, type, suppressed, projectDisabled } = email;
  try {
    const recipient = await readRecipient(ctx, email);
    const { isUnsubscribed, workflow } = recipient;
    const refusal = refuseEmail({ source, type, suppressed, isProjectDisabled: projectDisabled, isUnsubscribed });
    if (refusal) return refusal;
    const message = await composer.load(email);
    if (!message) return failDeleted();
    const original = await originalOf(ctx.pool, email, message.message);
    if (isUnsubscribedMarketing(original)) return refuseUnsubscribed();
    const contactId = original === email ? recipient.contactId : original.contactId;
    return {
      from: composer.envelopeFrom(email.id, message),
      content: await composer.compose(original, { contactId, workflow }, message),
      trace: workflow?.trace ?? message.message.trace,
    };
  } catch (error) {
    const reason = unsendableReason(error);
    if (reason === null) ctx.log.error({ err: error, emailId: email.id }, 'An email could not be composed');
    return decideUncomposed(reason, email.attempts);
  }
}

/**
 * Whether an email of `POST /v1/send` is marketing to a contact that unsubscribed while it waited. A copy has the contact of its
 * original.
 */
const isUnsubscribedMarketing = ({ source, type, contactSubscribed }: ClaimedEmail): boolean =>
  source === 'TRANSACTIONAL' && type === 'MARKETING' && contactSubscribed === false;

interface CheckedRecipient extends Recipient {
  /** Whether the email requires a subscribed contact and the contact is not subscribed. */
  isUnsubscribed: boolean;
}

async function readRecipient(
  { pool }: Context,
  { source, type, projectId, contactId, contactSubscribed, toEmail, variables }: ClaimedEmail,
): Promise<CheckedRecipient> {
  const workflow = source === 'WORKFLOW' ? readWorkflowVariables(variables) : null;
  // The contact may have unsubscribed while the email waited.
  const isUnsubscribed = type !== 'TRANSACTIONAL' && source === 'WORKFLOW' && contactSubscribed !== true;
  if (!workflow?.about) return { contactId, isUnsubscribed, workflow };
  // The email is about a contact but goes to another address, which can belong to a contact with its own subscription.
  const found = type === 'TRANSACTIONAL' ? null : await contactOfAddress(pool, projectId, toEmail);
  return { contactId: found?.id ?? null, isUnsubscribed: found?.subscribed === false, workflow };
}
