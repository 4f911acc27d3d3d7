/**
 * The signed links of an email: unsubscribe, subscribe, manage preferences.
 *
 * A link contains the contact and, if known, the email. It does not expire, because an unsubscribe link must work as
 * long as the email exists.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { createTrackingLinks, type TrackingLinks } from './tracking-links.js';

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

const UUID_BYTES = 16;
// 128 bits cannot be guessed and keep the link short.
const MAC_BYTES = 16;

/**
 * @param options.secretKey the installation's `SECRET_KEY`
 * @param options.publicUrl the URL at which readers reach the API, without a trailing slash
 */
export function createLinks(options: { secretKey: string; publicUrl: string }): Links {
  const base = options.publicUrl.replace(/\/+$/, '');
  const keys: Record<LinkPurpose, KeyObject> = {
    unsubscribe: deriveKey(options.secretKey, 'link:unsubscribe:v1'),
    subscribe: deriveKey(options.secretKey, 'link:subscribe:v1'),
    manage: deriveKey(options.secretKey, 'link:manage:v1'),
  };
  const url = (purpose: LinkPurpose) => (contactId: string, emailId?: string) =>
    `${base}/${purpose}/${createToken(keys[purpose], contactId, emailId)}`;
  const unsubscribeUrl = url('unsubscribe');
  return {
    unsubscribeUrl,
    subscribeUrl: url('subscribe'),
    manageUrl: url('manage'),
    oneClickUrl: unsubscribeUrl,
    verify: (token, purpose) => readToken(keys[purpose], token),
    tracking: createTrackingLinks(options),
  };
}

function createToken(key: KeyObject, contactId: string, emailId?: string): string {
  const payload = Buffer.from(hexOf(contactId) + (emailId === undefined ? '' : hexOf(emailId)), 'hex');
  return Buffer.concat([payload, sign(key, payload)]).toString('base64url');
}

function readToken(key: KeyObject, token: string): LinkTarget | null {
  const bytes = Buffer.from(token, 'base64url');
  const ids = (bytes.length - MAC_BYTES) / UUID_BYTES;
  // Accept only one spelling of a token: the decoder skips unknown characters.
  if ((ids !== 1 && ids !== 2) || bytes.toString('base64url') !== token) return null;
  const payload = bytes.subarray(0, ids * UUID_BYTES);
  if (!timingSafeEqual(sign(key, payload), bytes.subarray(payload.length))) return null;
  const contactId = uuidOf(payload.subarray(0, UUID_BYTES));
  return ids === 1 ? { contactId } : { contactId, emailId: uuidOf(payload.subarray(UUID_BYTES)) };
}

const sign = (key: KeyObject, payload: Buffer): Buffer =>
  createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);

function hexOf(uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  if (hex.length !== 2 * UUID_BYTES || !/^[\da-f]+$/i.test(hex))
    throw new TypeError('A link needs the UUID of a contact.');
  return hex;
}

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
