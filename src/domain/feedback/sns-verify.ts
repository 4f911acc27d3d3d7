/**
 * Verifies that a message comes from Amazon SNS.
 *
 * It uses `node:crypto`. `sns-validator` and `sns-payload-validator` pin the host and support both versions, but they
 * download certificates without a timeout or size limit and cache them without an end.
 */
import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ApiError, forbidden } from '../../errors.js';
import { certificateUrl, hashOfVersion, pinnedUrl, signedText, type SnsMessage } from './sns-message.js';

export interface SnsClientOptions {
  /** An origin that replaces Amazon's hosts. */
  base?: string;
  /** For tests of network failures. */
  fetch?: typeof fetch;
}

export interface SnsClient {
  /**
   * Checks a message's signature.
   *
   * @throws FORBIDDEN (403) if the signature is invalid; SERVICE_UNAVAILABLE (503) if the certificate is unavailable
   */
  verify: (message: SnsMessage) => Promise<void>;
  /**
   * Confirms a subscription by requesting its `SubscribeURL`.
   *
   * @throws FORBIDDEN (403) for a URL outside SNS; SERVICE_UNAVAILABLE (503) if SNS does not respond
   */
  confirm: (message: SnsMessage) => Promise<void>;
}

const REQUEST_TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Each region has one certificate at a time. */
const MAX_CERTIFICATES = 50;
const CERTIFICATE_TTL_MS = 24 * 3600_000;
/** An invalid certificate is not requested again for this time, so that forged messages cause few requests. */
const INVALID_TTL_MS = 60_000;
const MAX_CONCURRENT_REQUESTS = 5;

export function createSnsClient({ base, fetch: send = fetch }: SnsClientOptions = {}): SnsClient {
  /** Promises, so that concurrent messages share one request. */
  const keys = new LRUCache<string, Promise<KeyObject | null>>({ max: MAX_CERTIFICATES, ttl: CERTIFICATE_TTL_MS });
  let inFlight = 0;

  /** Requests a short response without following redirects, which could lead to another host. */
  const get = async (url: URL): Promise<{ status: number; body: string }> => {
    if (inFlight >= MAX_CONCURRENT_REQUESTS) throw snsUnavailable();
    inFlight += 1;
    try {
      const response = await send(url, {
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        headers: { accept: '*/*' },
      });
      return { status: response.status, body: await readBody(response) };
    } catch (cause) {
      throw snsUnavailable(cause);
    } finally {
      inFlight -= 1;
    }
  };

  const fetchKey = async (url: URL): Promise<KeyObject | null> => {
    const { status, body } = await get(url);
    if (status === 429 || status >= 500) throw snsUnavailable();
    return status === 200 ? keyOf(body) : null;
  };

  const findKey = (url: URL): Promise<KeyObject | null> => {
    const cached = keys.get(url.href);
    if (cached) return cached;
    const key = fetchKey(url);
    keys.set(url.href, key);
    key.then(
      (found) => {
        if (!found) keys.set(url.href, key, { ttl: INVALID_TTL_MS });
      },
      () => keys.delete(url.href),
    );
    return key;
  };

  return {
    async verify(message) {
      const hash = hashOfVersion(message.SignatureVersion);
      const url = certificateUrl(message.SigningCertURL, base);
      if (!hash || !url) throw invalidSignature();
      const key = await findKey(url);
      if (!key || !verify(hash, Buffer.from(signedText(message)), key, Buffer.from(message.Signature, 'base64')))
        throw invalidSignature();
    },
    async confirm(message) {
      const url = pinnedUrl(message.SubscribeURL ?? '', base);
      if (!url) throw forbidden('The SubscribeURL of this message does not belong to Amazon SNS.');
      const { status } = await get(url);
      if (status < 200 || status >= 300) throw snsUnavailable();
    },
  };
}

/** Returns the RSA key of a currently valid certificate; null for anything else. */
function keyOf(pem: string): KeyObject | null {
  try {
    const certificate = new X509Certificate(pem);
    const now = Date.now();
    const isValid = Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
    return isValid && certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate.publicKey : null;
  } catch {
    // Not a certificate.
    return null;
  }
}

async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (!body) return '';
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new Error('The response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const invalidSignature = (): ApiError => forbidden('This message does not have a valid signature of Amazon SNS.');
const snsUnavailable = (cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'Amazon SNS does not respond. Try again.', { cause });
