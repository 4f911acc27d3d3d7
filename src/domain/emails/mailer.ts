/** Delivers a claimed email: compose, hand over. */
import type { Context } from '../../context.js';
import type { ClaimedEmail, DeliveryResult } from './sql/delivery.js';
import { contactOfAddress } from '../executions/sql/send.js';
import type { Transport } from '../../mail/smtp/transport.js';
import { TransportError } from '../../mail/smtp/errors.js';
import { clientSpan } from '../../trace.js';
import { suppressionRefusal } from '../suppressions/refusal.js';
import { createComposer, unsendableReason, type Composer, type Recipient } from './compose.js';
import { MAX_ATTEMPTS, retryDelay } from './retry.js';
import { readWorkflowVariables } from './workflow-variables.js';

export interface Delivered extends DeliveryResult {
  /** Whether the mail server was unreachable; null if no connection was needed. */
  transportDown: boolean | null;
}

export interface Mailer {
  /** Hands over one claimed email. Never throws: every failure is a result to record. */
  deliver: (email: ClaimedEmail) => Promise<Delivered>;
}

export function createMailer(ctx: Context, transport: Transport, composer: Composer = createComposer(ctx)): Mailer {
  return {
    async deliver(email) {
      const result = (status: DeliveryResult['status'], rest: Partial<Delivered> = {}): Delivered => ({
        id: email.id,
        status,
        error: null,
        response: null,
        retryMs: 0,
        transportDown: null,
        ...rest,
      });
      const retry = (error: string, rest: Partial<Delivered> = {}) =>
        email.attempts >= MAX_ATTEMPTS
          ? result('FAILED', { error: `${error} (gave up after ${email.attempts} attempts)`, ...rest })
          : result('PENDING', { error, retryMs: retryDelay(email.attempts), ...rest });
      try {
        if (email.projectDisabled && email.source !== 'PLATFORM')
          return result('CANCELLED', { error: 'The project was disabled before this email was handed over.' });
        const refused = suppressionRefusal(email);
        if (refused !== null) return result('CANCELLED', { error: refused });
        const recipient = await recipientOf(ctx, email);
        // The contact may have unsubscribed since the snapshot, or while a workflow's email waited.
        if (recipient.isUnsubscribed)
          return result('CANCELLED', { error: 'The contact unsubscribed before this email was handed over.' });
        const loaded = await composer.load(email);
        if (!loaded) return result('FAILED', { error: 'The content of this email was deleted.' });
        const raw = await composer.compose(email, recipient, loaded);
        const from = composer.envelopeFrom(email.id, loaded);
        const span = {
          'sendloom.email_id': email.id,
          'sendloom.project_id': email.projectId,
          'sendloom.source': email.source,
          'sendloom.attempt': email.attempts,
        };
        const { response } = await clientSpan(
          'SMTP send',
          span,
          recipient.workflow?.trace ?? loaded.message.trace,
          () => transport.send({ from, to: email.toEmail, raw }),
        );
        return result('SENT', { response, transportDown: false });
      } catch (error) {
        if (error instanceof TransportError) {
          const { kind, message, response } = error;
          const transportDown = kind === 'connection' || (response === undefined ? null : false);
          if (kind === 'permanent')
            return result('FAILED', { error: message, response: response ?? null, transportDown });
          return retry(message, { response: response ?? null, transportDown, ambiguous: error.ambiguous });
        }
        const reason = unsendableReason(error);
        if (reason !== null) return result('FAILED', { error: reason });
        ctx.log.error({ err: error, emailId: email.id }, 'An email could not be composed');
        return retry('The email could not be composed. See the log.');
      }
    },
  };
}

interface CheckedRecipient extends Recipient {
  /** Whether the email requires a subscribed contact and the contact is not subscribed. */
  isUnsubscribed: boolean;
}

async function recipientOf(
  { pool }: Context,
  { source, type, projectId, contactId, contactSubscribed, toEmail, variables }: ClaimedEmail,
): Promise<CheckedRecipient> {
  const workflow = source === 'WORKFLOW' ? readWorkflowVariables(variables) : null;
  const isUnsubscribed =
    type !== 'TRANSACTIONAL' && (source === 'CAMPAIGN' || source === 'WORKFLOW') && contactSubscribed !== true;
  if (!workflow?.about) return { contactId, isUnsubscribed, workflow };
  // The email is about a contact but goes to another address, which can belong to a contact with its own subscription.
  const found = type === 'TRANSACTIONAL' ? null : await contactOfAddress(pool, projectId, toEmail);
  return { contactId: found?.id ?? null, isUnsubscribed: found?.subscribed === false, workflow };
}
