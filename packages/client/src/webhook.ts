/**
 * Verification of received webhooks by the Standard Webhooks specification 1.0, with only the Web Crypto API, so that it
 * runs in Node, edge runtimes, Deno, and Bun.
 */

/** The data of a stored event: of an email, a contact, or a segment, or one of your own events. */
export interface StoredEventData {
  projectId: string;
  contactId: string | null;
  /** The contact's address at the time of the delivery. */
  email: string | null;
  emailId: string | null;
  properties: Record<string, unknown>;
  /** True if the body would be larger than 20 KB. Then `properties` is empty. */
  truncated?: boolean;
}

interface CampaignData {
  projectId: string;
  campaignId: string;
  name: string;
}

interface ExecutionData {
  projectId: string;
  executionId: string;
  workflowId: string;
  contactId: string;
  status: 'COMPLETED' | 'EXITED' | 'FAILED';
  /** Why it ended early or failed. */
  reason: string | null;
}

interface ImportData {
  projectId: string;
  jobId: string;
  successCount: number;
  createdCount: number;
  updatedCount: number;
  skippedCount: number;
  failureCount: number;
}

interface DomainData {
  projectId: string;
  domainId: string;
  domain: string;
}

interface WebhookEventOf<Type extends string, Data> {
  /** The header `webhook-id`: the same at every attempt and replay, and at every endpoint. */
  id: string;
  type: Type;
  /** When the event happened, in ISO 8601. */
  timestamp: string;
  data: Data;
}

type EmailType = 'sent' | 'failed' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained' | 'received';

/** A verified event. `type` determines the type of `data`. `Own` are the names of your own events: `'signup' | 'order_placed'`. */
export type WebhookEvent<Own extends string = never> =
  | WebhookEventOf<`email.${EmailType}` | 'contact.subscribed' | 'contact.unsubscribed', StoredEventData>
  | WebhookEventOf<`segment.${string}.${'entry' | 'exit'}`, StoredEventData>
  | WebhookEventOf<'campaign.started' | 'campaign.sent' | 'campaign.cancelled', CampaignData>
  | WebhookEventOf<'execution.completed' | 'execution.failed', ExecutionData>
  | WebhookEventOf<'import.completed', ImportData>
  | WebhookEventOf<'domain.verified' | 'domain.failed', DomainData>
  | WebhookEventOf<'project.disabled', { projectId: string; reason: string }>
  | WebhookEventOf<'webhook.disabled', { projectId: string; webhookId: string; url: string; reason: string }>
  // Distributes over `Own`, so that without own events there is no variant for them.
  | (Own extends string ? WebhookEventOf<Own, StoredEventData> : never);

/** The headers of a request: those of the web's `Request`, of Node, or any object of names and values. */
export type WebhookHeaders =
  | { get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How far the time of the attempt may differ from `now`. Default: 300. */
  toleranceSeconds?: number;
  /** Default: the current time. */
  now?: Date;
}

/**
 * Why a request was rejected. `missing_header` includes headers with an unusable value, and `invalid_body` a verified
 * body that is not an event. `invalid_secret` is a mistake in the configuration of the receiver.
 */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'invalid_secret'
  | 'invalid_body';

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: WebhookVerificationReason,
    message: string,
    options?: { cause: unknown },
  ) {
    super(message, options);
  }
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const DEFAULT_TOLERANCE_SECONDS = 300;
/** Each signature costs an HMAC of the body per secret. Sendloom sends at most two. */
const MAX_SIGNATURES = 10;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const SIGNATURE = /^v1,([A-Za-z0-9+/]+={0,2})$/;

/**
 * Verifies the signature and the time of a webhook and returns its event.
 *
 * @param body the received text or bytes, before any parsing: serialized again, they can differ
 * @param secret the secret of the endpoint, or several of them, of which one must match
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<Own extends string = never>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent<Own>> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new WebhookVerificationError(
      'invalid_body',
      'The body is neither a string nor bytes. Pass the body as it was received, before a framework parses it.',
    );
  const keys = await importKeys(typeof secret === 'string' ? [secret] : secret);
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const signatures = requireHeader(headers, 'webhook-signature');
  checkTimestamp(timestamp, toleranceSeconds, now);
  const signed = concatenate(`${id}.${timestamp}.`, body);
  if (!(await hasMatch(keys, signatures, signed)))
    throw new WebhookVerificationError(
      'no_matching_signature',
      'No signature matches. Check that the secret is that of this endpoint, and that the body was not changed.',
    );
  // The signature proves that Sendloom wrote the body, so its type determines its data.
  return { id, ...parseBody(body) } as WebhookEvent<Own>;
}

async function importKeys(secrets: readonly string[]): Promise<HmacKey[]> {
  if (secrets.length === 0)
    throw new WebhookVerificationError('invalid_secret', 'The list of secrets is empty. Pass at least one.');
  return Promise.all(
    secrets.map((secret) => {
      const key = decodeBase64(SECRET, secret);
      if (key === null)
        throw new WebhookVerificationError(
          'invalid_secret',
          'The secret is not "whsec_" followed by base64. Pass the secret of the endpoint exactly as it was shown.',
        );
      return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    }),
  );
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = findHeader(headers, name);
  if (value === undefined || value === null || value === '')
    throw new WebhookVerificationError('missing_header', `The request has no header "${name}".`);
  return value;
}

function findHeader(headers: WebhookHeaders, name: string): string | null | undefined {
  if (isHeaders(headers)) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'object' ? value.join(' ') : value;
}

const isHeaders = (headers: WebhookHeaders): headers is Extract<WebhookHeaders, { get: unknown }> =>
  typeof headers.get === 'function';

function checkTimestamp(timestamp: string, toleranceSeconds: number, now: Date): void {
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookVerificationError(
      'missing_header',
      'The header "webhook-timestamp" is not a number of seconds since 1970.',
    );
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  // Written so that an invalid date or tolerance fails, too.
  if (!(age <= toleranceSeconds))
    throw new WebhookVerificationError(
      'timestamp_too_old',
      `The request was signed ${age} seconds ago, and ${toleranceSeconds} are allowed. It may be a replay.`,
    );
  if (!(-age <= toleranceSeconds))
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `The request was signed ${-age} seconds in the future, and ${toleranceSeconds} are allowed. Check the clock.`,
    );
}

async function hasMatch(keys: HmacKey[], header: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const signatures = header
    .split(' ')
    .map((signature) => decodeBase64(SIGNATURE, signature))
    .filter((signature) => signature !== null)
    .slice(0, MAX_SIGNATURES);
  const results = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed))),
  );
  return results.includes(true);
}

/** Returns the bytes of the base64 in the pattern's group, or null for any other text. */
function decodeBase64(pattern: RegExp, text: string): Uint8Array<ArrayBuffer> | null {
  const base64 = pattern.exec(text)?.[1];
  // A length of 1 modulo 4 cannot be base64, and `atob` throws.
  if (base64 === undefined || base64.replace(/=+$/, '').length % 4 === 1) return null;
  return Uint8Array.from(atob(base64.replace(/=+$/, '')), (character) => character.charCodeAt(0));
}

function concatenate(prefix: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const start = encoder.encode(prefix);
  const end = typeof body === 'string' ? encoder.encode(body) : body;
  const bytes = new Uint8Array(start.length + end.length);
  bytes.set(start);
  bytes.set(end, start.length);
  return bytes;
}

function parseBody(body: string | Uint8Array): { type: string; timestamp: string; data: object } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new WebhookVerificationError('invalid_body', 'The body is signed, but it is not JSON.', { cause });
  }
  const { type, timestamp, data } = (parsed ?? {}) as Record<string, unknown>;
  if (typeof type !== 'string' || typeof timestamp !== 'string' || typeof data !== 'object' || data === null)
    throw new WebhookVerificationError(
      'invalid_body',
      'The body is signed, but it has no "type", "timestamp", and "data": it is not an event of a webhook endpoint.',
    );
  return { type, timestamp, data };
}
