/** `GET /emails/:id` */
import type { Context } from '../../context.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { messageIdOf } from './message-id.js';

/**
 * Returns an email with its status, times, source, and error.
 *
 * @throws EMAIL_NOT_FOUND (404)
 */
export async function getEmail(ctx: Context, projectId: string, id: string) {
  const row = isId(id)
    ? await ctx.prisma.email.findFirst({
        where: { id, projectId },
        omit: {
          projectId: true,
          messageId: true,
          tracked: true,
          claimedBy: true,
          claimedAt: true,
          variables: true,
          stepExecutionId: true,
        },
        include: { message: { select: { from: true, fromName: true, replyTo: true, subject: true } } },
      })
    : null;
  if (!row) throw notFound('EMAIL');
  const { message, toEmail, nextAttemptAt, ...email } = row;
  return {
    ...email,
    ...message,
    to: toEmail,
    nextAttemptAt: email.status === 'PENDING' ? nextAttemptAt : null,
    messageId: `<${messageIdOf(email.id, message.from)}>`,
  };
}
