/** Notifications of Amazon SES over SNS (contract, section 8: `POST /webhooks/sns`). */
import type { Context } from '../../context.js';
import type { PoolClient } from 'pg';
import { applyFeedback } from './sql/feedback.js';
import { claimNotification, REMEMBERED_DAYS } from './sql/notifications.js';
import { enqueueHits } from '../tracking/sql.js';
import { ApiError, badRequest, forbidden } from '../../errors.js';
import { newId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';
import { CLICK_DELAY_MS, classifyRequest } from '../tracking/classify.js';
import { findEmail } from './origin.js';
import { readSes, type SesHit, type SesMail, type SesReport } from './ses.js';
import type { SnsMessage } from './sns-message.js';
import { createSnsClient } from './sns-verify.js';

/** SNS retries for days at most, so an older message is a replay that may be forgotten as applied. */
const MAX_MESSAGE_AGE_MS = (REMEMBERED_DAYS - 2) * 24 * 3600_000;
/** How long after SES accepted a mail its id may still be unknown here, because its record is not committed yet. */
const RECORD_DELAY_MS = 60_000;

export interface SnsWebhook {
  /**
   * Confirms a subscription or applies a notification. A repeated notification is applied once.
   *
   * @throws FORBIDDEN (403, signature or topic), BAD_REQUEST (400, too old), SERVICE_UNAVAILABLE (503, SNS retries)
   */
  receive: (message: SnsMessage) => Promise<void>;
}

/** Creates the receiver of SNS messages. Logs a warning if production has no `SNS_TOPIC_ARNS`. */
export function createSnsWebhook(ctx: Context): SnsWebhook {
  const { NODE_ENV, SNS_TOPIC_ARNS, SNS_API_BASE } = ctx.config;
  const topics = (SNS_TOPIC_ARNS ?? '')
    .split(',')
    .map((arn) => arn.trim())
    .filter(Boolean);
  const client = createSnsClient({ base: SNS_API_BASE });
  if (topics.length === 0 && NODE_ENV === 'production')
    ctx.log.warn(
      'SNS_TOPIC_ARNS is not set: POST /webhooks/sns rejects all messages. Set it to the topics of your SES',
    );

  /** Without a list, any AWS account could send forged feedback, so only development accepts all topics. */
  const checkTopic = (topicArn: string): void => {
    if (topics.includes(topicArn)) return;
    if (topics.length > 0) throw forbidden('This topic is not accepted. Its ARN is not in SNS_TOPIC_ARNS.');
    if (NODE_ENV === 'production')
      throw forbidden('No topic is accepted, because SNS_TOPIC_ARNS is not set. Set it to the ARN of your topic.');
    ctx.log.warn({ topicArn }, 'Accepted an SNS message of an unlisted topic; production rejects it (SNS_TOPIC_ARNS)');
  };

  return {
    async receive(message) {
      checkTopic(message.TopicArn);
      await client.verify(message);
      if (Date.parse(message.Timestamp) < Date.now() - MAX_MESSAGE_AGE_MS) throw badRequest('This message is too old.');
      switch (message.Type) {
        case 'SubscriptionConfirmation':
          await client.confirm(message);
          ctx.log.info({ topicArn: message.TopicArn }, 'Confirmed a subscription to an SNS topic');
          return;
        case 'UnsubscribeConfirmation':
          ctx.log.warn({ topicArn: message.TopicArn }, 'An SNS topic was unsubscribed and sends no more notifications');
          return;
        case 'Notification':
          return applyNotification(ctx, message);
        default:
          return message.Type satisfies never;
      }
    },
  };
}

async function applyNotification(ctx: Context, { MessageId, Message }: SnsMessage): Promise<void> {
  const report = readSes(Message, new Date());
  if (!report?.feedback && !report?.hit) return;
  const isNew = await withLockTimeout(
    ctx.pool,
    async (tx) => (await claimNotification(tx, 'sns', MessageId)) && applyReport(ctx, tx, report),
  );
  if (isNew && report.hit) ctx.wake('hits');
}

async function applyReport(ctx: Context, tx: PoolClient, { type, mail, feedback, hit }: SesReport): Promise<boolean> {
  const email = await findEmail(ctx, tx, namesOf(mail));
  if (!email) {
    // The error rolls the claim back. SNS retries, and then finds the record.
    if (isFresh(mail)) throw new ApiError('SERVICE_UNAVAILABLE', 'This mail is not known yet. Try again.');
    ctx.log.info({ type }, 'Ignored an SES notification about an unknown mail');
    return true;
  }
  if (feedback) await applyFeedback(tx, [{ ...feedback, emailId: email.id }]);
  if (hit) await enqueueHits(tx, [toHit(email.id, hit)]);
  return true;
}

/**
 * `messageId` is SES's own id, which is also the left part of the Message-ID that SES assigns. A stand-in for SES can
 * have our Message-ID there, or its left part.
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
  return age >= -RECORD_DELAY_MS && age < RECORD_DELAY_MS;
}

/** Classifies a request that SES received as if it had come to us. */
function toHit(emailId: string, { kind, url, at, userAgent, ip }: SesHit) {
  const verdict = classifyRequest({ kind, method: 'GET', headers: { 'user-agent': userAgent ?? undefined } });
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
    delayMs: kind === 'click' && !verdict.machine ? CLICK_DELAY_MS : 0,
  };
}
