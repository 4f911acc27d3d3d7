/**
 * The signed links of an email: unsubscribe, subscribe, manage preferences.
 *
 * A link contains the contact and, if known, the email. It does not expire, because an unsubscribe link must work as
 * long as the email exists.
 */
import { timingSafeEqual } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { createMac } from './mac.js';
import { createTrackingLinks, type TrackingLinks } from './tracking-links.js';
import { UUID_BYTES, uuidOf, writeUuid } from './uuid-bytes.js';

const PURPOSES = ['unsubscribe', 'subscribe', 'manage'] as const;
export type LinkPurpose = (typeof PURPOSES)[number];

export interface LinkTarget {
  contactId: string;
  /** The email that contained the link, for its statistics. */
  emailId?: string;
}

export interface Links {
  /** The page that asks the reader for confirmation, `/unsubscribe/<token>`. */
  unsubscribeUrl: (contactId: string, emailId?: string) => string;
  subscribeUrl: (contactId: string, emailId?: string) => string;
  /** The reader's preferences, `/manage/<token>`. */
  manageUrl: (contactId: string, emailId?: string) => string;
  /** For `List-Unsubscribe` (RFC 8058): the same URL as `unsubscribeUrl`. A POST unsubscribes without confirmation. */
  oneClickUrl: (contactId: string, emailId?: string) => string;
  /** Reads a token. Returns null for a token that was not created here for this purpose. */
  verify: (token: string, purpose: LinkPurpose) => LinkTarget | null;
  /** The pixel and the redirects that count opens and clicks. */
  tracking: TrackingLinks;
}

// 128 bits cannot be guessed and keep the link short.
const MAC_BYTES = 16;

/**
 * @param options.secretKey the installation's `SECRET_KEY`
 * @param options.publicUrl the URL at which readers reach the API, without a trailing slash
 */
export function createLinks(options: { secretKey: string; publicUrl: string }): Links {
  const base = options.publicUrl.replace(/\/+$/, '');
  const tokens: Record<LinkPurpose, Tokens> = {
    unsubscribe: createTokens(options.secretKey, 'link:unsubscribe:v1'),
    subscribe: createTokens(options.secretKey, 'link:subscribe:v1'),
    manage: createTokens(options.secretKey, 'link:manage:v1'),
  };
  const url = (purpose: LinkPurpose) => (contactId: string, emailId?: string) =>
    `${base}/${purpose}/${tokens[purpose].create(contactId, emailId)}`;
  const unsubscribeUrl = url('unsubscribe');
  return {
    unsubscribeUrl,
    subscribeUrl: url('subscribe'),
    manageUrl: url('manage'),
    oneClickUrl: unsubscribeUrl,
    verify: (token, purpose) => tokens[purpose].read(token),
    tracking: createTrackingLinks(options),
  };
}

interface Tokens {
  create: (contactId: string, emailId?: string) => string;
  read: (token: string) => LinkTarget | null;
}

function createTokens(secretKey: string, purpose: string): Tokens {
  const mac = createMac(deriveKey(secretKey, purpose), 2 * UUID_BYTES);
  const macOf = (payload: string): string => mac.digest(payload).slice(0, MAC_BYTES);
  // Reused for every token. This is safe because `create` is synchronous.
  const bytes = Buffer.alloc(2 * UUID_BYTES + MAC_BYTES);
  return {
    create(contactId, emailId) {
      const length = emailId === undefined ? UUID_BYTES : 2 * UUID_BYTES;
      if (!writeUuid(contactId, bytes, 0) || (emailId !== undefined && !writeUuid(emailId, bytes, UUID_BYTES)))
        throw new TypeError('A link needs the UUID of a contact.');
      bytes.write(macOf(bytes.toString('latin1', 0, length)), length, 'latin1');
      return bytes.toString('base64url', 0, length + MAC_BYTES);
    },
    read(token) {
      const given = Buffer.from(token, 'base64url');
      const ids = (given.length - MAC_BYTES) / UUID_BYTES;
      // Accept only one spelling of a token: the decoder skips unknown characters.
      if ((ids !== 1 && ids !== 2) || given.toString('base64url') !== token) return null;
      const payload = given.subarray(0, ids * UUID_BYTES);
      const code = Buffer.from(macOf(payload.toString('latin1')), 'latin1');
      if (!timingSafeEqual(code, given.subarray(payload.length))) return null;
      const contactId = uuidOf(payload.subarray(0, UUID_BYTES));
      return ids === 1 ? { contactId } : { contactId, emailId: uuidOf(payload.subarray(UUID_BYTES)) };
    },
  };
}
