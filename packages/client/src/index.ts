/**
 * A typed client of the Sendloom API with one method per HTTP method. The compiler checks paths, parameters, bodies,
 * and responses.
 */
import createFetchClient, { type Client } from 'openapi-fetch';
import { SendloomError } from './error.js';
import type { components, paths } from './schema.js';

export { SendloomError, type FieldProblem } from './error.js';

/** The schemas of the API by name: `Schemas['Contact']`. */
export type Schemas = components['schemas'];
export type SendloomClient = Client<paths>;

export interface SendloomOptions {
  /** The URL of the API: `https://mail.example.com`. */
  baseUrl: string;
  /**
   * The secret key (`sk_…`, only on servers) or the public key (`pk_…`, only for `POST /v1/track`). Without a key, the
   * browser sends the session cookie, and `projectId` names the project.
   */
  key?: string;
  projectId?: string;
  /** An alternative to the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Creates a client. It is stateless, so one per project is enough. */
export function createSendloom({ baseUrl, key, projectId, fetch }: SendloomOptions): SendloomClient {
  return createFetchClient<paths>({
    baseUrl,
    ...(key === undefined && { credentials: 'include' }),
    ...(fetch && { fetch }),
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(projectId !== undefined && { 'X-Project-Id': projectId }),
    },
  });
}

/**
 * Returns the response body of a successful call.
 *
 * @throws SendloomError if the call failed
 */
export function unwrap<Data>(result: { data?: Data; error?: unknown; response: Response }): Data {
  if (!result.response.ok) throw new SendloomError(result.response, result.error);
  return result.data as Data;
}

/** A `bodySerializer` for endpoints that accept forms. The fields are files and texts by the names of their parts. */
export function form(fields: object): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof File) data.append(name, value);
    // The API treats a part with a file name as a file.
    else if (value instanceof Blob) data.append(name, value, name);
    else data.append(name, String(value));
  }
  return data;
}

export {
  openStream,
  type Stream,
  type StreamMessage,
  type StreamOptions,
  type StreamStatus,
  type StreamTopic,
  type StreamTopics,
} from './stream.js';

export {
  verifyWebhook,
  WebhookVerificationError,
  type StoredEventData,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookVerificationReason,
} from './webhook.js';
