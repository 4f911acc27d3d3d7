/** SEND_EMAIL: sends a template to the contact, or to another address about the contact. */
import { isId, newId } from '../../../ids.js';
import { isOverLimit } from '../../billing/sql/billing.js';
import type { SendEmailConfig } from '../../workflows/step-config.js';
import { moveBase, StepFault, type Run, type StepResult } from '../moves.js';
import type { ReachedStep } from '../sql/state.js';
import { sendAndMove } from '../sql/send.js';
import { SENDING } from '../words.js';

/** Emails queued within this time share one wake-up of the dispatcher, because a claim of few emails is expensive. */
const EMAIL_WAKE_DELAY_MS = 250;

/**
 * Commits the email's row, which is the queue, together with the move; then wakes the dispatcher.
 *
 * The email is skipped, and the flow continues, if the recipient of a MARKETING or HEADLESS template is not subscribed
 * or is suppressed, or if the project has reached its limit for workflow emails. The execution fails if the template
 * does not exist, is an incomplete draft, or if the sender's domain is not verified.
 */
export async function sendEmail(
  run: Run,
  { stepExecutionId }: ReachedStep,
  { templateId, recipient, sendWindow }: SendEmailConfig,
): Promise<StepResult> {
  if (!isId(templateId)) throw new StepFault(SENDING.gone);
  const sending = sendAndMove(run.ctx.pool, {
    ...moveBase(run),
    stepExecutionId,
    emailId: newId(),
    messageId: newId(),
    templateId,
    customEmail: recipient.type === 'CUSTOM' ? recipient.customEmail : null,
    sendWindow: sendWindow ?? null,
    summaries: SENDING,
  });
  const { moved, sent } = await sending.catch((error: unknown) => {
    // Another email took the last one of the month at the same time. The next attempt reads the new count.
    if (isOverLimit(error)) return { moved: { kind: 'lost' as const }, sent: false };
    throw error;
  });
  if (sent) run.ctx.wake('emails', EMAIL_WAKE_DELAY_MS);
  return moved;
}
