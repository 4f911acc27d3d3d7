/** Notifications of Amazon SES, which come by SNS (contract, section 8: `POST /webhooks/sns`). */
import type { Context } from '../../context.js';
import type { PoolClient } from 'pg';
import { applyFeedback } from './sql/feedback.js';
import { claimNotification, REMEMBERED_DAYS } from './sql/notifications.js';
import { enqueueHits } from '../tracking/sql.js';
import { ApiError, badRequest, forbidden } from '../../errors.js';
import { newId } from '../../ids.js';
import { givingWay } from '../give-way.js';
import { HOLD, judgeRequest } from '../tracking/judge.js';
import { findEmail } from './origin.js';
import { readSes, type SesHit, type SesMail, type SesSaying } from './ses.js';
import type { SnsMessage } from './sns-message.js';
import type { SnsClient } from './sns-verify.js';

/**
 * SNS gives up after an hour by default, after days at most: what is older is a replay, and may be forgotten as
 * applied.
 */
const OLDEST = (REMEMBERED_DAYS - 2) * 24 * 3600_000;
/** How long after SES took a mail its id may still be unknown here: the record of its acceptance is under way. */
const FRESH = 60_000;

/**
 * Takes a message of SNS: confirms a subscription, or applies a notification, once however often and however parallel
 * it comes.
 *
 * @throws FORBIDDEN (403, signature, topic), BAD_REQUEST (400, too old), SERVICE_UNAVAILABLE (503, SNS repeats it)
 */
export async function receiveSns(ctx: Context, client: SnsClient, message: SnsMessage): Promise<void> {
  const topics = (ctx.config.SNS_TOPIC_ARNS ?? '')
    .split(',')
    .map((arn) => arn.trim())
    .filter(Boolean);
  if (topics.length > 0 && !topics.includes(message.TopicArn))
    throw forbidden('Messages of this topic are not taken here (SNS_TOPIC_ARNS).');
  await client.verify(message);
  if (Date.parse(message.Timestamp) < Date.now() - OLDEST) throw badRequest('This message is too old.');
  switch (message.Type) {
    case 'SubscriptionConfirmation':
      await client.confirm(message);
      ctx.log.info({ topicArn: message.TopicArn }, 'A subscription to an SNS topic was confirmed');
      return;
    case 'UnsubscribeConfirmation':
      ctx.log.warn({ topicArn: message.TopicArn }, 'An SNS topic was unsubscribed: its notifications come no more');
      return;
    case 'Notification':
      return applyNotification(ctx, message);
    default:
      return message.Type satisfies never;
  }
}

async function applyNotification(ctx: Context, { MessageId, Message }: SnsMessage): Promise<void> {
  const saying = readSes(Message, new Date());
  if (!saying?.feedback && !saying?.hit) return;
  const isNew = await givingWay(
    ctx.pool,
    async (tx) => (await claimNotification(tx, 'sns', MessageId)) && apply(ctx, tx, saying),
  );
  if (isNew && saying.hit) ctx.wake('hits');
}

async function apply(ctx: Context, tx: PoolClient, { type, mail, feedback, hit }: SesSaying): Promise<boolean> {
  const email = await findEmail(ctx, tx, namesOf(mail));
  if (!email) {
    // Rolls the claim back: SNS comes again, and finds the record.
    if (isFresh(mail)) throw new ApiError('SERVICE_UNAVAILABLE', 'This mail is not known yet. Try again.');
    ctx.log.info({ type }, 'A notification of SES is about a mail that is not known here');
    return true;
  }
  if (feedback) await applyFeedback(tx, [{ ...feedback, emailId: email.id }]);
  if (hit) await enqueueHits(tx, [toHit(email.id, hit)]);
  return true;
}

/**
 * `messageId` is the mail server's own, and the left part of a Message-ID: what stands for SES and keeps ours may name
 * a mail by it, in part or whole.
 */
const namesOf = ({ source, messageId = '', headers, commonHeaders }: SesMail) => ({
  returnPaths: source === undefined ? [] : [source],
  messageIds: [
    ...(headers ?? []).filter(({ name }) => name.toLowerCase() === 'message-id').map(({ value }) => value),
    commonHeaders?.messageId ?? '',
    messageId.includes('@') ? messageId : `${messageId}@ses`,
  ],
  serverIds: messageId === '' || messageId.length > 200 ? [] : [messageId],
});

function isFresh({ timestamp }: SesMail): boolean {
  const age = Date.now() - Date.parse(timestamp ?? '');
  return age >= -FRESH && age < FRESH;
}

/** SES saw the request, we judge it, as if it had come here. */
function toHit(emailId: string, { kind, url, at, userAgent, ip }: SesHit) {
  const verdict = judgeRequest({ kind, method: 'GET', headers: { 'user-agent': userAgent ?? undefined } });
  return {
    id: newId(),
    emailId,
    kind,
    url,
    ...verdict,
    userAgent,
    ip,
    at,
    ageMs: 0,
    holdMs: kind === 'click' && !verdict.machine ? HOLD : 0,
  };
}
