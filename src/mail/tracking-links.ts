/**
 * The links by which opens and clicks are counted: a pixel, and a redirect for each link of a mail.
 *
 * A token is the email's id, a code over everything else of it, and for a click the target: nothing is looked up to
 * answer, so a redirect works without the database, and leads nowhere but where a mail of ours led. It has no date: a
 * link must work for as long as the mail lies in somebody's inbox.
 */
import { timingSafeEqual } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { Lru } from './lru.js';
import { createMac, MAC_LENGTH } from './mac.js';

const ID_LENGTH = 22;
const HEAD = ID_LENGTH + MAC_LENGTH;

/**
 * The longest path parameter of the API, less the head; addresses over 2,000 characters break in mail programs anyway.
 */
const LONGEST_TARGET = 1950;

/** Makes the addresses of one email. */
export interface EmailTracking {
  pixelUrl: () => string;
  /**
   * The redirect to an address; null when the link stays as it is: no absolute http or https address, one of our own
   * pages, or too long.
   *
   * It leads to the address as the reader's browser would have asked for it (WHATWG URL): without spaces around it,
   * percent-encoded.
   */
  clickUrl: (url: string) => string | null;
}

export interface TrackingLinks {
  of: (emailId: string) => EmailTracking;
  /** The email whose pixel it is; null for any token that wasn't made here for that. */
  readOpen: (token: string) => string | null;
  /** The email and where its link leads; null likewise. */
  readClick: (token: string) => { emailId: string; url: string } | null;
}

/** Our own pages, which must work without a detour, and a link of ours that somebody copied into a mail. */
const OWN_PATHS = ['unsubscribe', 'subscribe', 'manage', 'o', 'c'];

/**
 * @param options.secretKey the installation's `SECRET_KEY`
 * @param options.publicUrl where readers reach the API, without a trailing slash
 */
export function createTrackingLinks(options: { secretKey: string; publicUrl: string }): TrackingLinks {
  const base = options.publicUrl.replace(/\/+$/, '');
  const own = OWN_PATHS.map((path) => `${new URL(base).href.replace(/\/+$/, '')}/${path}/`);
  const openMac = createMac(deriveKey(options.secretKey, 'link:open:v1'), ID_LENGTH);
  const clickMac = createMac(deriveKey(options.secretKey, 'link:click:v1'), ID_LENGTH + LONGEST_TARGET);

  // A campaign asks for the same few links a million times.
  const targets = new Lru<string, { target: string | null }>({
    maxEntries: 5000,
    maxWeight: 5_000_000,
    weigh: (url) => url.length,
  });

  const targetOf = (url: string): { target: string | null } => {
    const href = webAddress(url);
    if (href === null || own.some((prefix) => href.startsWith(prefix))) return { target: null };
    const target = Buffer.from(href).toString('base64url');
    return { target: target.length <= LONGEST_TARGET ? target : null };
  };

  return {
    of(emailId) {
      const id = shorten(emailId);
      return {
        pixelUrl: () => `${base}/o/${id}${openMac(id)}.gif`,
        clickUrl(url) {
          const { target } = targets.getOrMake(url, targetOf);
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
      if (target === '' || target.length > LONGEST_TARGET || !isToken(token) || !matches(token, clickMac(id + target)))
        return null;
      const url = webAddress(Buffer.from(target, 'base64url').toString());
      return url === null ? null : { emailId: lengthen(id), url };
    },
  };
}

/**
 * The address as a browser asks for it; null for everything that is not on the web: mailto, tel, javascript, data, a
 * path, an anchor.
 */
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
  if (!/^[\da-f]{32}$/i.test(hex)) throw new TypeError('A tracking link needs the uuid of an email');
  return Buffer.from(hex, 'hex').toString('base64url');
}

const lengthen = (id: string): string =>
  Buffer.from(id, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
