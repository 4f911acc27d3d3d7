/** SEND_EMAIL: a template to the contact, or about the contact to another address. */
import type { ReachedStep } from '../sql/run.js';
import { isOverLimit } from '../../billing/sql/billing.js';
import { sendAndMoveOn } from '../sql/send.js';
import { isId, newId } from '../../../ids.js';
import type { SendEmailConfig } from '../../workflows/step-config.js';
import { moveOf, StepFault, type Run, type StepResult } from '../moves.js';
import { SENDING } from '../words.js';

/** A look at the queue costs the more the fewer emails it finds: those of this time share one. */
const HANDED_OVER_WITHIN = 250;

/**
 * The email row, which is the queue, is committed with the move; the dispatcher is told after it.
 *
 * A recipient who is not subscribed, or whose address is suppressed, is not mailed a MARKETING or HEADLESS template,
 * and nobody is when the project's limit of workflow emails is used up; the flow goes on. Without the template, or with
 * a sender whose domain is not verified at this moment, the execution fails.
 */
export async function sendEmail(
  run: Run,
  step: ReachedStep,
  { templateId, recipient }: SendEmailConfig,
): Promise<StepResult> {
  if (!isId(templateId)) throw new StepFault(SENDING.gone);
  const move = sendAndMoveOn(run.ctx.pool, {
    ...moveOf(run),
    stepExecutionId: step.stepExecutionId,
    emailId: newId(),
    messageId: newId(),
    templateId,
    customEmail: recipient.type === 'CUSTOM' ? recipient.customEmail : null,
    words: SENDING,
  });
  const { moved, sent } = await move.catch((error: unknown) => {
    // Another one took the last of the month at this moment: the next look knows.
    if (isOverLimit(error)) return { moved: null, sent: false };
    throw error;
  });
  if (sent) run.ctx.wake('emails', HANDED_OVER_WITHIN);
  return moved;
}
