/**
 * DKIM signatures (RFC 6376): rsa-sha256, relaxed/relaxed.
 *
 * nodemailer's signer was tried: it parses the PEM key for every email and sends unsigned email if signing throws.
 */
import { createPrivateKey, generateKeyPair, hash, sign, type KeyObject } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { LRUCache } from 'lru-cache';

export interface DkimKeyPair {
  /** PKCS #8. */
  privateKeyPem: string;
  /** The value of `p=` in the DNS record: the public key (SPKI) in base64, without line breaks. */
  publicKeyBase64: string;
}

export interface DkimSigner {
  /** `d=`: the domain of the From address or a parent domain. */
  domain: string;
  /** `s=`: the key is published at `<selector>._domainkey.<domain>`. */
  selector: string;
  key: KeyObject;
}

/** The email cannot be signed and must not be sent. */
export class SigningError extends Error {}

/** Signed if present. From is signed once more than it occurs, so that a second From invalidates the signature. */
const SIGNED_HEADERS = [
  'from',
  'to',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-id',
  'feedback-id',
];

/** Generates an RSA-2048 key: every receiver can verify it, and every DNS provider accepts the record's length. */
export function generateDkimKey(): Promise<DkimKeyPair> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', { modulusLength: 2048 }, (error, publicKey, privateKey) => {
      if (error) return reject(error);
      resolve({
        privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKeyBase64: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      });
    });
  });
}

const keys = new LRUCache<string, KeyObject>({ max: 1000, memoMethod: (pem) => parseDkimKey(pem) });

/**
 * Returns the parsed private key. Parsing takes as long as signing, so keys are cached.
 *
 * @throws SigningError unless it is an RSA private key of at least 1024 bits
 */
export const loadDkimKey = (pem: string): KeyObject => keys.memo(pem);

function parseDkimKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw new SigningError('The DKIM key is not a private key.', { cause });
  }
  assertUsable(key);
  return key;
}

function assertUsable(key: KeyObject): void {
  if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa')
    throw new SigningError('The DKIM key is not an RSA private key');
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < 1024)
    throw new SigningError('The DKIM key has less than 1024 bits');
}

/**
 * Adds a DKIM-Signature before the first header. The RSA operation runs in libuv's thread pool.
 *
 * The signature has no timestamp, so the same message and key give the same bytes.
 *
 * @param raw the whole message, with CRLF line ends
 * @param options.isBodyRelaxed whether the body is known to be its own relaxed form, which saves its conversion
 * @throws SigningError; the email must not be sent then
 */
export async function signMessage(
  raw: Buffer,
  { domain, selector, key }: DkimSigner,
  { isBodyRelaxed = false }: { isBodyRelaxed?: boolean } = {},
): Promise<Buffer> {
  assertUsable(key);
  const bodyAt = raw.indexOf('\r\n\r\n');
  if (bodyAt === -1) throw new SigningError('The message has no body');
  const fields = readFields(raw.toString('utf8', 0, bodyAt));
  const signed = SIGNED_HEADERS.flatMap((name) =>
    (fields.get(name) ?? []).map((value) => ({ name, value: relax(value) })),
  );
  if (!fields.has('from')) throw new SigningError('The message has no From header');

  const names = ['from', ...signed.map(({ name }) => name)].join(':');
  const template = signatureHeader(
    domainToASCII(domain) || domain,
    selector,
    names,
    hash('sha256', isBodyRelaxed ? raw.subarray(bodyAt + 4) : relaxBody(raw.subarray(bodyAt + 4)), 'base64'),
  );
  const data = `${signed.map(({ name, value }) => `${name}:${value}\r\n`).join('')}dkim-signature:${relax(template.slice(template.indexOf(':') + 1))}`;
  const signature = await rsaSign(Buffer.from(data), key);
  const folded = signature.toString('base64').replace(/.{72}(?=.)/g, '$&\r\n ');
  return Buffer.concat([Buffer.from(`${template}${folded}\r\n`), raw]);
}

function rsaSign(data: Buffer, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign('sha256', data, key, (error, signature) =>
      error ? reject(new SigningError('The mail can not be signed', { cause: error })) : resolve(signature),
    );
  });
}

/** Returns the header up to and including an empty `b=`, as it is signed. Lines have at most 76 characters. */
function signatureHeader(domain: string, selector: string, names: string, hash: string): string {
  const fields = names.replace(/(.{50,65}):/g, '$1:\r\n ');
  return `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n d=${domain}; s=${selector};\r\n h=${fields};\r\n bh=${hash};\r\n b=`;
}

/** Returns values by lower-case name. Several values of one name are in a verifier's order, last to first. */
function readFields(block: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const field of block.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon === -1) continue;
    const name = field.slice(0, colon).trim().toLowerCase();
    const known = fields.get(name);
    if (known) known.unshift(field.slice(colon + 1));
    else fields.set(name, [field.slice(colon + 1)]);
  }
  return fields;
}

/** RFC 6376, 3.4.2: unfolds the value and collapses whitespace. */
const relax = (value: string): string => value.replace(/[ \t\r\n]+/g, ' ').trim();

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];

/**
 * Returns the relaxed body (RFC 6376, 3.4.4): whitespace is collapsed, and removed at line ends. Blank lines at the end
 * are removed.
 */
function relaxBody(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length + 2);
  let to = 0;
  // The end of the last line that is not blank.
  let end = 0;
  let space = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === SPACE || byte === TAB) {
      space = true;
      continue;
    }
    if (byte === CR && body[at + 1] === LF) {
      space = false;
      out[to++] = CR;
      out[to++] = LF;
      at += 1;
      continue;
    }
    if (space) out[to++] = SPACE;
    space = false;
    out[to++] = byte;
    end = to;
  }
  if (end > 0) {
    out[end++] = CR;
    out[end++] = LF;
  }
  return out.subarray(0, end);
}
