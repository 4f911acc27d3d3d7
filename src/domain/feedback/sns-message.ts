/** Messages of Amazon SNS, as they are posted to an HTTP endpoint, and what of them is signed. Pure. */
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
  /** Of confirmations. */
  SubscribeURL: z.string().max(2000).optional(),
  Token: z.string().max(2000).optional(),
});

export type SnsMessage = z.infer<typeof SnsMessage>;

const OF_NOTIFICATIONS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const;
const OF_CONFIRMATIONS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;

/** The text that is signed: names and values on lines of their own, in this order, those that are there. */
export function signedText(message: SnsMessage): string {
  const names = message.Type === 'Notification' ? OF_NOTIFICATIONS : OF_CONFIRMATIONS;
  return names
    .map((name) => (message[name] === undefined || message[name] === null ? '' : `${name}\n${message[name]}\n`))
    .join('');
}

/** The hash that a signature version is made with (RSA, PKCS #1 v1.5); null for a version that there isn't. */
export function hashOfVersion(version: string): 'sha1' | 'sha256' | null {
  if (version === '1') return 'sha1';
  return version === '2' ? 'sha256' : null;
}

/** Amazon's own hosts for SNS, as its validators pin them. */
const HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;

/**
 * An address that SNS may name, for a certificate or to confirm; null for any other: another host, scheme or port, with
 * credentials.
 *
 * @param base what stands for SNS instead of Amazon's hosts: then addresses of this origin alone
 */
export function pinnedUrl(text: string, base?: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  if (base !== undefined) return url.origin === new URL(base).origin ? url : null;
  return url.protocol === 'https:' && url.port === '' && HOST.test(url.hostname) ? url : null;
}

/**
 * The address of a signing certificate; null for anything else. A path of SNS's API could answer with what its caller
 * wants.
 */
export function certificateUrl(text: string, base?: string): URL | null {
  const url = pinnedUrl(text, base);
  return url && /^\/[\w.-]+\.pem$/.test(url.pathname) && url.search === '' ? url : null;
}
