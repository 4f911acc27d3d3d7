/** SEND_EMAIL: a template to the contact, or about the contact to another address. */
import type { ReachedStep } from '../../../db/sql/execution-run.js';
import { sendAndMoveOn } from '../../../db/sql/execution-send.js';
import { isId, newId } from '../../../ids.js';
import type { SendEmailConfig } from '../../workflows/step-config.js';
import { moveOf, StepFault, type Run, type StepResult } from '../moves.js';
import { SENDING } from '../words.js';

/** A look at the queue costs the more the fewer emails it finds: those of this time share one. */
const HANDED_OVER_WITHIN = 250;

/**
 * The email row, which is the queue, is committed with the move; the dispatcher is told after it.
 *
 * A recipient who is not subscribed is not mailed a MARKETING or HEADLESS template, and the flow goes on. Without the template, or with a sender
 * whose domain is not verified at this moment, the execution fails.
 */
export async function sendEmail(run: Run, step: ReachedStep, { templateId, recipient }: SendEmailConfig): Promise<StepResult> {
  if (!isId(templateId)) throw new StepFault(SENDING.gone);
  const { moved, sent } = await sendAndMoveOn(run.ctx.pool, {
    ...moveOf(run),
    stepExecutionId: step.stepExecutionId,
    emailId: newId(),
    messageId: newId(),
    templateId,
    customEmail: recipient.type === 'CUSTOM' ? recipient.customEmail : null,
    words: SENDING,
  });
  if (sent) run.ctx.wake('emails', HANDED_OVER_WITHIN);
  return moved;
}
