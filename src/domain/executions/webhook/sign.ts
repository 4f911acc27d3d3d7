/**
 * Signs webhook requests by the Standard Webhooks specification 1.0 (symmetric signatures, `whsec_` secrets), so that a
 * receiver can verify the sender and reject replays.
 *
 * The signature is one call of node:crypto. The package `standardwebhooks` 1.1 computes it with an HMAC in JavaScript
 * (`fast-sha256`) and would not make this file shorter.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../../../context.js';
import { notFound } from '../../../errors.js';
import { decryptSecret, encryptSecret } from '../../../mail/secrets.js';
import { findWebhookSecret, storeWebhookSecret } from '../sql/webhook.js';

const SECRET_PREFIX = 'whsec_';
/** The specification requires 24 to 64. */
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and base64. */
export const newWebhookSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export interface SignedMessage {
  /** The same for every attempt. Receivers use it to detect repeats. */
  id: string;
  /** The system's time. Receivers reject messages that are more than a few minutes old. */
  sentAt: Date;
  /** The bytes to send; empty for a request without a body. */
  body: string;
}

/**
 * Returns the headers `webhook-id`, `webhook-timestamp` (in seconds), and `webhook-signature` (`v1,` and the
 * HMAC-SHA256 in base64).
 */
export function signatureHeaders(
  secret: string,
  { id, sentAt, body }: SignedMessage,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/**
 * Returns the project's secret, `whsec_…`. The first call creates it, and it never changes.
 *
 * @throws PROJECT_NOT_FOUND (404); Error if SECRET_KEY is not the key that encrypted it
 */
export async function webhookSecret(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  projectId: string,
): Promise<string> {
  const known = await findWebhookSecret(pool, projectId);
  if (known !== null) return decryptSecret(config.SECRET_KEY, known);
  await storeWebhookSecret(pool, projectId, encryptSecret(config.SECRET_KEY, newWebhookSecret()));
  // A concurrent call may have stored its secret first.
  const stored = await findWebhookSecret(pool, projectId);
  if (stored === null) throw notFound('PROJECT');
  return decryptSecret(config.SECRET_KEY, stored);
}
