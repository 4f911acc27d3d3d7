/** Messages of Amazon SNS as posted to an HTTP endpoint, and their signed text. Pure. */
import { z } from 'zod';

const TYPES = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const;

export const SnsMessage = z.object({
  Type: z.enum(TYPES),
  MessageId: z.string().min(1).max(200),
  TopicArn: z.string().min(1).max(500),
  Subject: z.string().nullish(),
  Message: z.string(),
  Timestamp: z.iso.datetime({ offset: true }),
  SignatureVersion: z.string(),
  Signature: z.string().min(1).max(2000),
  SigningCertURL: z.string().max(1000),
  /** In confirmations only, like `Token`. */
  SubscribeURL: z.string().max(2000).optional(),
  Token: z.string().max(2000).optional(),
});

export type SnsMessage = z.infer<typeof SnsMessage>;

const NOTIFICATION_FIELDS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const;
const CONFIRMATION_FIELDS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;

/** Returns the signed text: the names and values of the present fields in this order, each on its own line. */
export function signedText(message: SnsMessage): string {
  const names = message.Type === 'Notification' ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS;
  return names
    .map((name) => (message[name] === undefined || message[name] === null ? '' : `${name}\n${message[name]}\n`))
    .join('');
}

/** Returns the hash of a signature version (RSA, PKCS #1 v1.5), or null for an unknown version. */
export function hashOfVersion(version: string): 'sha1' | 'sha256' | null {
  if (version === '1') return 'sha1';
  return version === '2' ? 'sha256' : null;
}

/** The hosts that Amazon's own validators accept. */
const SNS_HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;

/**
 * Returns a URL that SNS may use for a certificate or a confirmation; null for another host, scheme, or port, or with
 * credentials.
 *
 * @param base replaces Amazon's hosts: only URLs of this origin are accepted
 */
export function pinnedUrl(text: string, base?: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  if (base !== undefined) return url.origin === new URL(base).origin ? url : null;
  return url.protocol === 'https:' && url.port === '' && SNS_HOST.test(url.hostname) ? url : null;
}

/**
 * Returns the URL of a signing certificate; null for anything else. Other paths of SNS's host belong to its API, whose
 * responses can contain text of an attacker.
 */
export function certificateUrl(text: string, base?: string): URL | null {
  const url = pinnedUrl(text, base);
  return url && /^\/[\w.-]+\.pem$/.test(url.pathname) && url.search === '' ? url : null;
}
