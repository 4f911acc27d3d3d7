/**
 * The links that count opens and clicks: a pixel, and a redirect per link of an email.
 *
 * All links of an email contain the same token: the email's id and an authentication code. A redirect also contains its
 * target and the target's code, which all emails share. So an email costs one code, a redirect works without the
 * database, and it only leads to targets of our emails. Links do not expire, because they must work as long as the email
 * exists.
 */
import { timingSafeEqual } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { LRUCache } from 'lru-cache';
import { createMac, MAC_LENGTH } from './mac.js';
import { UUID_BYTES, uuidOf, writeUuid } from './uuid-bytes.js';

const ID_LENGTH = 22;
export const TRACKING_TOKEN_LENGTH = ID_LENGTH + MAC_LENGTH;
const TARGET_AT = TRACKING_TOKEN_LENGTH + MAC_LENGTH;

/** The API's maximum for a path parameter. Email clients break URLs of more than 2,000 characters. */
const MAX_TOKEN_LENGTH = 1994;
const MAX_TARGET_LENGTH = MAX_TOKEN_LENGTH - TARGET_AT;

/** The tracking URLs of one email. */
export interface EmailTracking {
  /** The part that its URLs have in common and that differs between emails: TRACKING_TOKEN_LENGTH characters. */
  token: string;
  pixelUrl: () => string;
  /**
   * Returns the redirect to a URL, or null if the link is not tracked: it is not an absolute http or https URL, it is one
   * of our own pages, or it is too long.
   *
   * The redirect leads to the URL as a browser would request it (WHATWG URL): trimmed and percent-encoded.
   *
   * @param label the name of the link in reports, if it is not empty
   */
  clickUrl: (url: string, label?: string) => string | null;
}

export interface TrackingLinks {
  of: (emailId: string) => EmailTracking;
  /** Returns the URLs with any text in place of the token, to find the token's places in a template. */
  withToken: (token: string) => EmailTracking;
  /** Returns the email of a pixel's token; null for a token that was not created here for this purpose. */
  readOpen: (token: string) => string | null;
  /** Returns the email and the target of a redirect's token; null for a token that was not created here. */
  readClick: (token: string) => { emailId: string; url: string; label?: string } | null;
}

/** Our own pages and links are not tracked, even if an author copied one into an email. */
const OWN_PATHS = ['unsubscribe', 'subscribe', 'manage', 'o', 'c'];

/**
 * @param options.secretKey the installation's `SECRET_KEY`
 * @param options.publicUrl the URL at which readers reach the API, without a trailing slash
 */
export function createTrackingLinks(options: { secretKey: string; publicUrl: string }): TrackingLinks {
  const base = options.publicUrl.replace(/\/+$/, '');
  const own = OWN_PATHS.map((path) => `${new URL(base).href.replace(/\/+$/, '')}/${path}/`);
  const emailMac = createMac(deriveKey(options.secretKey, 'link:open:v1'), ID_LENGTH);
  const targetMac = createMac(deriveKey(options.secretKey, 'link:target:v1'), MAX_TARGET_LENGTH);
  const readEarlierClick = createEarlierClickReader(options.secretKey);

  const targetOf = (labeled: string): { target: string | null } => {
    const { url, label } = splitLabel(labeled);
    const href = webAddress(url);
    if (href === null || own.some((prefix) => href.startsWith(prefix))) return { target: null };
    const target = Buffer.from(withLabel(href, label)).toString('base64url');
    return { target: target.length <= MAX_TARGET_LENGTH ? targetMac.code(target) + target : null };
  };
  // A campaign needs the same few links for each recipient.
  const targets = new LRUCache<string, { target: string | null }>({
    max: 5000,
    maxSize: 5_000_000,
    sizeCalculation: (_, url) => Math.max(url.length, 1),
    memoMethod: (url) => targetOf(url),
  });
  const withToken = (token: string): EmailTracking => ({
    token,
    pixelUrl: () => `${base}/o/${token}.gif`,
    clickUrl(url, label) {
      const { target } = targets.memo(withLabel(url, label));
      return target === null ? null : `${base}/c/${token}${target}`;
    },
  });
  const readEmail = (token: string): string | null => {
    const id = token.slice(0, ID_LENGTH);
    return isEqual(token.slice(ID_LENGTH, TRACKING_TOKEN_LENGTH), emailMac.code(id)) ? lengthen(id) : null;
  };

  return {
    of(emailId) {
      const id = shorten(emailId);
      return withToken(id + emailMac.code(id));
    },
    withToken,
    readOpen: (token) => (token.length === TRACKING_TOKEN_LENGTH && isToken(token) ? readEmail(token) : null),
    readClick(token) {
      if (token.length <= TRACKING_TOKEN_LENGTH || token.length > MAX_TOKEN_LENGTH || !isToken(token)) return null;
      const target = token.slice(TARGET_AT);
      const emailId = readEmail(token);
      if (
        emailId === null ||
        target === '' ||
        !isEqual(token.slice(TRACKING_TOKEN_LENGTH, TARGET_AT), targetMac.code(target))
      )
        return readEarlierClick(token);
      const { url: address, label } = splitLabel(Buffer.from(target, 'base64url').toString());
      const url = webAddress(address);
      return url === null ? null : { emailId, url, ...(label && { label }) };
    },
  };
}

/** The target of a redirect: the label and NUL, if there is a label, and the URL. */
const withLabel = (url: string, label: string | undefined): string => (label ? `${label}\0${url}` : url);

function splitLabel(labeled: string): { url: string; label?: string } {
  const labelEnd = labeled.indexOf('\0');
  return labelEnd === -1 ? { url: labeled } : { url: labeled.slice(labelEnd + 1), label: labeled.slice(0, labelEnd) };
}

/**
 * Returns a reader of the redirects that earlier versions sent: the email's id, a code of the id and the target, and the
 * target.
 */
function createEarlierClickReader(secretKey: string): TrackingLinks['readClick'] {
  const clickMac = createMac(deriveKey(secretKey, 'link:click:v1'), MAX_TOKEN_LENGTH - MAC_LENGTH);
  return (token) => {
    const id = token.slice(0, ID_LENGTH);
    const target = token.slice(TRACKING_TOKEN_LENGTH);
    if (!isEqual(token.slice(ID_LENGTH, TRACKING_TOKEN_LENGTH), clickMac.code(id + target))) return null;
    const url = webAddress(Buffer.from(target, 'base64url').toString());
    return url === null ? null : { emailId: lengthen(id), url };
  };
}

/** Returns the URL as a browser requests it; null if it is not an absolute http or https URL. */
function webAddress(text: string): string | null {
  if (!/^\s*https?:/i.test(text) || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

const isToken = (token: string): boolean => /^[\w-]+$/.test(token);

const isEqual = (code: string, expected: string): boolean => timingSafeEqual(Buffer.from(code), Buffer.from(expected));

const idBytes = Buffer.alloc(UUID_BYTES);

/** @throws TypeError */
function shorten(uuid: string): string {
  if (!writeUuid(uuid, idBytes, 0)) throw new TypeError('A tracking link needs the UUID of an email.');
  return idBytes.toString('base64url');
}

const lengthen = (id: string): string => uuidOf(Buffer.from(id, 'base64url'));
