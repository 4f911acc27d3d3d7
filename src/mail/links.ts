/**
 * The signed links of an email: unsubscribe, subscribe, manage preferences.
 *
 * A link contains the contact and, if known, the email. It does not expire, because an unsubscribe link must work as
 * long as the email exists. The `mailto:` address of `List-Unsubscribe` has the same token in base32, with a shorter
 * code: `u-<token>@<host>`. Its local part has 63 of at most 64 characters (RFC 5321, 4.5.3.1.1).
 */
import { timingSafeEqual } from 'node:crypto';
import { createAddressTokens, type AddressTarget } from './address-token.js';
import { decodeBase32, encodeBase32 } from './base32.js';
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

/** What `List-Unsubscribe` contains (RFC 8058). */
export interface UnsubscribeTargets {
  /** A POST unsubscribes without confirmation. */
  url: string;
  /** A mail to this address unsubscribes; absent without inbound mail. */
  mailto?: string;
}

/** What an address of `List-Unsubscribe` identifies. */
export interface MailedTarget {
  /** Null if the recipient of the email is not a contact. */
  contactId: string | null;
  emailId: string;
  /** The part after the `@`, in lower case. */
  host: string;
}

export interface Links {
  /** The page that asks the reader for confirmation, `/unsubscribe/<token>`. */
  unsubscribeUrl: (contactId: string, emailId?: string) => string;
  subscribeUrl: (contactId: string, emailId?: string) => string;
  /** The reader's preferences, `/manage/<token>`. */
  manageUrl: (contactId: string, emailId?: string) => string;
  /** For `List-Unsubscribe` (RFC 8058): the same URL as `unsubscribeUrl`. A POST unsubscribes without confirmation. */
  oneClickUrl: (contactId: string, emailId?: string) => string;
  /** The recipient of an email as `List-Unsubscribe` names it; with an address if the recipient is not a contact. */
  unsubscribeTargets: (target: Required<LinkTarget> | AddressTarget) => UnsubscribeTargets;
  /** Reads a token. Returns null for a token that was not created here for this purpose. */
  verify: (token: string, purpose: LinkPurpose) => LinkTarget | null;
  /** Reads the token of an unsubscribe link of a recipient who is not a contact. Returns null for every other token. */
  verifyAddress: (token: string) => AddressTarget | null;
  /** Reads an address of `List-Unsubscribe` in any letter case. Returns null for every other address. */
  readUnsubscribeAddress: (address: string) => MailedTarget | null;
  /** The pixel and the redirects that count opens and clicks. */
  tracking: TrackingLinks;
}

// 128 bits cannot be guessed and keep the link short.
const MAC_BYTES = 16;
/** 48 bits are enough in an address, because each guess costs an SMTP conversation with the listener. */
const MAILED_MAC_BYTES = 6;
const MAILED_BYTES = 2 * UUID_BYTES + MAILED_MAC_BYTES;
// Without a plus sign, which some mail programs read as a space in a URI.
const MAILED_PREFIX = 'u-';
const MAILED_LOCAL_PART = new RegExp(`^${MAILED_PREFIX}([a-z2-7]{${Math.ceil((MAILED_BYTES * 8) / 5)}})$`);
/** In the token of an address, instead of the contact, if the recipient is not one. */
const NO_CONTACT = '00000000-0000-0000-0000-000000000000';

/**
 * @param options.secretKey the installation's `SECRET_KEY`
 * @param options.publicUrl the URL at which readers reach the API, without a trailing slash
 * @param options.mailHost a name whose MX is the listener; absent without inbound mail
 */
export function createLinks(options: { secretKey: string; publicUrl: string; mailHost?: string }): Links {
  const base = options.publicUrl.replace(/\/+$/, '');
  const tokens: Record<LinkPurpose, Tokens> = {
    unsubscribe: createTokens(options.secretKey, 'link:unsubscribe:v1'),
    subscribe: createTokens(options.secretKey, 'link:subscribe:v1'),
    manage: createTokens(options.secretKey, 'link:manage:v1'),
  };
  const url = (purpose: LinkPurpose) => (contactId: string, emailId?: string) =>
    `${base}/${purpose}/${tokens[purpose].create(contactId, emailId)}`;
  const unsubscribeUrl = url('unsubscribe');
  const addressTokens = createAddressTokens(options.secretKey);
  const { mailHost } = options;
  return {
    unsubscribeUrl,
    subscribeUrl: url('subscribe'),
    manageUrl: url('manage'),
    oneClickUrl: unsubscribeUrl,
    unsubscribeTargets(target) {
      if ('contactId' in target) {
        const { contactId, emailId } = target;
        if (mailHost === undefined) return { url: unsubscribeUrl(contactId, emailId) };
        const { token, mailed } = tokens.unsubscribe.createBoth(contactId, emailId);
        return { url: `${base}/unsubscribe/${token}`, mailto: `${MAILED_PREFIX}${mailed}@${mailHost}` };
      }
      const url = `${base}/unsubscribe/${addressTokens.create(target)}`;
      if (mailHost === undefined) return { url };
      const { mailed } = tokens.unsubscribe.createBoth(NO_CONTACT, target.emailId);
      return { url, mailto: `${MAILED_PREFIX}${mailed}@${mailHost}` };
    },
    verify: (token, purpose) => tokens[purpose].read(token),
    verifyAddress: (token) => addressTokens.read(token),
    readUnsubscribeAddress(address) {
      const lower = address.toLowerCase();
      const at = lower.lastIndexOf('@');
      const [, mailed] = MAILED_LOCAL_PART.exec(lower.slice(0, at)) ?? [];
      const target = at === -1 || mailed === undefined ? null : tokens.unsubscribe.readMailed(mailed);
      if (!target) return null;
      const { contactId, emailId } = target;
      return {
        contactId: contactId === NO_CONTACT ? null : contactId,
        emailId,
        host: lower.slice(at + 1).replace(/\.$/, ''),
      };
    },
    tracking: createTrackingLinks(options),
  };
}

interface Tokens {
  create: (contactId: string, emailId?: string) => string;
  /** Returns the token for a link and the one for an address, with one code. */
  createBoth: (contactId: string, emailId: string) => { token: string; mailed: string };
  read: (token: string) => LinkTarget | null;
  /** Reads a token of an address, in lower case. */
  readMailed: (mailed: string) => Required<LinkTarget> | null;
}

function createTokens(secretKey: string, purpose: string): Tokens {
  const mac = createMac(deriveKey(secretKey, purpose), 2 * UUID_BYTES);
  const macOf = (payload: string): string => mac.digest(payload).slice(0, MAC_BYTES);
  // Reused for every token. This is safe because the functions are synchronous.
  const bytes = Buffer.alloc(2 * UUID_BYTES + MAC_BYTES);
  /** Returns the length of the token. */
  const writeToken = (contactId: string, emailId?: string): number => {
    const length = emailId === undefined ? UUID_BYTES : 2 * UUID_BYTES;
    if (!writeUuid(contactId, bytes, 0) || (emailId !== undefined && !writeUuid(emailId, bytes, UUID_BYTES)))
      throw new TypeError('A link needs the UUID of a contact.');
    bytes.write(macOf(bytes.toString('latin1', 0, length)), length, 'latin1');
    return length + MAC_BYTES;
  };
  return {
    create: (contactId, emailId) => bytes.toString('base64url', 0, writeToken(contactId, emailId)),
    createBoth(contactId, emailId) {
      const token = bytes.toString('base64url', 0, writeToken(contactId, emailId));
      return { token, mailed: encodeBase32(bytes.subarray(0, MAILED_BYTES)) };
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
    readMailed(mailed) {
      const given = decodeBase32(mailed);
      const payload = given.subarray(0, 2 * UUID_BYTES);
      const code = Buffer.from(macOf(payload.toString('latin1')).slice(0, MAILED_MAC_BYTES), 'latin1');
      // Accept only one spelling: the last character has an unused bit.
      if (!timingSafeEqual(code, given.subarray(payload.length)) || encodeBase32(given) !== mailed) return null;
      return { contactId: uuidOf(payload.subarray(0, UUID_BYTES)), emailId: uuidOf(payload.subarray(UUID_BYTES)) };
    },
  };
}
