/** `GET /emails/:id` */
import type { ApiContext } from '../../context.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { messageIdOf } from './message-id.js';
import type { Copies } from './sql/copies.js';
import { renderSubjects } from './subjects.js';

/**
 * Returns an email with its status, times, source, and error.
 *
 * @throws EMAIL_NOT_FOUND (404)
 */
export async function getEmail(ctx: ApiContext, projectId: string, id: string) {
  const row = isId(id)
    ? await ctx.prisma.email.findFirst({
        where: { id, projectId },
        omit: {
          projectId: true,
          messageId: true,
          tracked: true,
          isOrdered: true,
          claimedBy: true,
          claimedAt: true,
          variables: true,
          stepExecutionId: true,
        },
        include: { message: { select: { from: true, fromName: true, replyTo: true, subject: true, copies: true } } },
      })
    : null;
  if (!row) throw notFound('EMAIL');
  const {
    message: { copies: stored, ...message },
    toEmail,
    ...email
  } = row;
  const copies = stored as Copies | null;
  const [originalId = id, ...copyIds] = copies?.emailIds ?? [];
  const [{ subject } = message] = await renderSubjects(ctx, projectId, [{ id, subject: message.subject }]);
  return {
    ...email,
    ...message,
    subject,
    to: toEmail,
    statusDetail: statusDetailOf(email),
    nextAttemptAt: email.status === 'PENDING' || email.status === 'SCHEDULED' ? await nextAttemptAt(ctx, row) : null,
    messageId: `<${messageIdOf(originalId, message.from)}>`,
    cc: copies?.cc.map((address) => address.email) ?? [],
    copyOf: originalId === id ? null : originalId,
    copies: originalId === id ? copyIds : [],
  };
}

/** Of an email without a time of its own (src/domain/delivery/sql/chunks.ts). */
const HELD_YEAR = 9999;

/** Returns `unknown` for an email whose outcome a crash hid, under AMBIGUOUS_SEND=skip. */
export const statusDetailOf = ({ status, ambiguous }: { status: string; ambiguous: boolean }): 'unknown' | null =>
  status === 'FAILED' && ambiguous ? 'unknown' : null;

/**
 * Returns when an email that waits is due; null if it belongs to a chunk of a campaign, which a worker sends soon, or waits for
 * the winner of a variant test.
 */
async function nextAttemptAt(
  { prisma }: ApiContext,
  {
    id,
    status,
    campaignId,
    nextAttemptAt: dueAt,
  }: { id: string; status: string; campaignId: string | null; nextAttemptAt: Date },
): Promise<Date | null> {
  if (campaignId === null) return dueAt;
  if (status === 'SCHEDULED') return dueAt.getUTCFullYear() < HELD_YEAR ? dueAt : null;
  const retry = await prisma.campaignRetry.findUnique({ where: { campaignId_emailId: { campaignId, emailId: id } } });
  return retry?.dueAt ?? null;
}
