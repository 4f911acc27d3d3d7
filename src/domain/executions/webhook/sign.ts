/**
 * Standard Webhooks: how a receiver knows that a request is ours, and not an old one again.
 *
 * Source: the Standard Webhooks specification 1.0 (symmetric signatures, `whsec_` secrets).
 */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and base64. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export interface Signed {
  /** The same for every attempt: receivers know a repeat by it. */
  id: string;
  /** By the system's clock: receivers refuse what is older than some minutes. */
  sentAt: Date;
  /** The bytes that are sent; empty for a request without a body. */
  body: string;
}

/**
 * The headers `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature` (`v1,` and base64 of an HMAC-SHA256).
 */
export function signatureHeaders(
  secret: string,
  { id, sentAt, body }: Signed,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
