/**
 * Whether a message comes from Amazon SNS.
 *
 * With `node:crypto`: of the libraries for it `sns-validator` pins the host and knows both versions, but waits for a
 * certificate without a time-out, reads it without a limit and keeps every one for good; `sns-payload-validator`
 * likewise.
 */
import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { ApiError, forbidden } from '../../errors.js';
import { certificateUrl, hashOfVersion, pinnedUrl, signedText, type SnsMessage } from './sns-message.js';

export interface SnsClientOptions {
  /** What stands for SNS instead of Amazon's hosts. */
  base?: string;
  /** For tests of what only the network could do. */
  fetch?: typeof fetch;
}

export interface SnsClient {
  /**
   * Checks a message's signature.
   *
   * @throws FORBIDDEN (403) when it is not SNS's; SERVICE_UNAVAILABLE (503) while the certificate can't be fetched
   */
  verify: (message: SnsMessage) => Promise<void>;
  /**
   * Confirms a subscription by asking for its `SubscribeURL`.
   *
   * @throws FORBIDDEN (403) for an address that is not SNS's; SERVICE_UNAVAILABLE (503) when it does not answer
   */
  confirm: (message: SnsMessage) => Promise<void>;
}

const TIMEOUT = 5000;
const LONGEST = 64 * 1024;
/** There is one certificate per region at a time. */
const MOST_KEPT = 50;
const KEPT_MS = 24 * 3600_000;
/** How long one that is none isn't asked for again: messages are made up faster than it answers. */
const REFUSED_MS = 60_000;
const MOST_UNDER_WAY = 5;

interface Kept {
  until: number;
  key: Promise<KeyObject | null>;
}

export function createSnsClient({ base, fetch: ask = fetch }: SnsClientOptions = {}): SnsClient {
  const kept = new Map<string, Kept>();
  let underWay = 0;

  /** Asks for an address, and reads a short answer. Redirects lead elsewhere, so none is followed. */
  const get = async (url: URL): Promise<{ status: number; body: string }> => {
    if (underWay >= MOST_UNDER_WAY) throw unreachable();
    underWay += 1;
    try {
      const response = await ask(url, {
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT),
        headers: { accept: '*/*' },
      });
      return { status: response.status, body: await readShort(response) };
    } catch (cause) {
      throw unreachable(cause);
    } finally {
      underWay -= 1;
    }
  };

  const load = async (url: URL): Promise<KeyObject | null> => {
    const { status, body } = await get(url);
    if (status === 429 || status >= 500) throw unreachable();
    return status === 200 ? keyOf(body) : null;
  };

  const keyAt = (url: URL): Promise<KeyObject | null> => {
    const known = kept.get(url.href);
    if (known && known.until > Date.now()) return known.key;
    const key = load(url);
    const entry: Kept = { until: Date.now() + KEPT_MS, key };
    kept.delete(url.href);
    kept.set(url.href, entry);
    // The oldest goes: a flood of made-up names costs requests, never memory.
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
    key.then(
      (found) => {
        if (!found) entry.until = Date.now() + REFUSED_MS;
      },
      () => kept.delete(url.href),
    );
    return key;
  };

  return {
    async verify(message) {
      const hash = hashOfVersion(message.SignatureVersion);
      const url = certificateUrl(message.SigningCertURL, base);
      if (!hash || !url) throw notSigned();
      const key = await keyAt(url);
      if (!key || !verify(hash, Buffer.from(signedText(message)), key, Buffer.from(message.Signature, 'base64')))
        throw notSigned();
    },
    async confirm(message) {
      const url = pinnedUrl(message.SubscribeURL ?? '', base);
      if (!url) throw forbidden('The SubscribeURL of this message is not an address of SNS.');
      const { status } = await get(url);
      if (status < 200 || status >= 300) throw unreachable();
    },
  };
}

/** The RSA key of a certificate that holds now; null for anything else. */
function keyOf(pem: string): KeyObject | null {
  try {
    const certificate = new X509Certificate(pem);
    const now = Date.now();
    const holds = Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
    return holds && certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate.publicKey : null;
  } catch {
    // Whatever lies there, it is no certificate.
    return null;
  }
}

async function readShort({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (!body) return '';
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LONGEST) throw new Error('The answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const notSigned = (): ApiError => forbidden('The signature of this message is not one of Amazon SNS.');
const unreachable = (cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'Amazon SNS does not answer right now. Try again.', { cause });
