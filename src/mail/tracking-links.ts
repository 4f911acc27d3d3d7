/**
 * The links that count opens and clicks: a pixel, and a redirect per link of an email.
 *
 * A token consists of the email's id, an authentication code, and, for a click, the target. So a redirect works without
 * the database and only leads to targets of our emails. It does not expire, because a link must work as long as the
 * email exists.
 */
import { timingSafeEqual } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { LRUCache } from 'lru-cache';
import { createMac, MAC_LENGTH } from './mac.js';

const ID_LENGTH = 22;
const HEAD = ID_LENGTH + MAC_LENGTH;

/** The API's maximum for a path parameter, minus the head. Email clients break URLs of more than 2,000 characters. */
const MAX_TARGET_LENGTH = 1950;

/** Creates the tracking URLs of one email. */
export interface EmailTracking {
  pixelUrl: () => string;
  /**
   * Returns the redirect to a URL, or null if the link is not tracked: it is not an absolute http or https URL, it is one
   * of our own pages, or it is too long.
   *
   * The redirect leads to the URL as a browser would request it (WHATWG URL): trimmed and percent-encoded.
   */
  clickUrl: (url: string) => string | null;
}

export interface TrackingLinks {
  of: (emailId: string) => EmailTracking;
  /** Returns the email of a pixel's token; null for a token that was not created here for this purpose. */
  readOpen: (token: string) => string | null;
  /** Returns the email and the target of a redirect's token; null for a token that was not created here. */
  readClick: (token: string) => { emailId: string; url: string } | null;
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
  const openMac = createMac(deriveKey(options.secretKey, 'link:open:v1'), ID_LENGTH);
  const clickMac = createMac(deriveKey(options.secretKey, 'link:click:v1'), ID_LENGTH + MAX_TARGET_LENGTH);

  const targetOf = (url: string): { target: string | null } => {
    const href = webAddress(url);
    if (href === null || own.some((prefix) => href.startsWith(prefix))) return { target: null };
    const target = Buffer.from(href).toString('base64url');
    return { target: target.length <= MAX_TARGET_LENGTH ? target : null };
  };
  // A campaign needs the same few links for each recipient.
  const targets = new LRUCache<string, { target: string | null }>({
    max: 5000,
    maxSize: 5_000_000,
    sizeCalculation: (_, url) => Math.max(url.length, 1),
    memoMethod: (url) => targetOf(url),
  });

  return {
    of(emailId) {
      const id = shorten(emailId);
      return {
        pixelUrl: () => `${base}/o/${id}${openMac(id)}.gif`,
        clickUrl(url) {
          const { target } = targets.memo(url);
          return target === null ? null : `${base}/c/${id}${clickMac(id + target)}${target}`;
        },
      };
    },
    readOpen(token) {
      const id = token.slice(0, ID_LENGTH);
      return token.length === HEAD && isToken(token) && matches(token, openMac(id)) ? lengthen(id) : null;
    },
    readClick(token) {
      const id = token.slice(0, ID_LENGTH);
      const target = token.slice(HEAD);
      if (
        target === '' ||
        target.length > MAX_TARGET_LENGTH ||
        !isToken(token) ||
        !matches(token, clickMac(id + target))
      )
        return null;
      const url = webAddress(Buffer.from(target, 'base64url').toString());
      return url === null ? null : { emailId: lengthen(id), url };
    },
  };
}

/** Returns the URL as a browser requests it; null if it is not an absolute http or https URL. */
function webAddress(text: string): string | null {
  if (!/^\s*https?:/i.test(text) || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

const isToken = (token: string): boolean => /^[\w-]+$/.test(token);

const matches = (token: string, mac: string): boolean =>
  timingSafeEqual(Buffer.from(token.slice(ID_LENGTH, HEAD)), Buffer.from(mac));

function shorten(uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  if (!/^[\da-f]{32}$/i.test(hex)) throw new TypeError('A tracking link needs the UUID of an email.');
  return Buffer.from(hex, 'hex').toString('base64url');
}

const lengthen = (id: string): string =>
  Buffer.from(id, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
