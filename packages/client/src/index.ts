/**
 * A typed client of the Sendloom API with one method per HTTP method. The compiler checks paths, parameters, bodies,
 * and responses.
 */
import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

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

export interface FieldProblem {
  /** `to.0.email` */
  field: string;
  message: string;
  code: string;
}

/** An error of the API. */
export class SendloomError extends Error {
  override readonly name = 'SendloomError';
  readonly status: number;
  /** `VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, …; null if the response has none. */
  readonly code: string | null;
  /** The request id, which is also in the server's log. */
  readonly requestId: string | null;
  readonly errors: FieldProblem[];
  /**
   * Additional data. For a repeated Idempotency-Key, `originalResponse` is the first response. Empty if there is
   * none.
   */
  readonly details: Record<string, unknown>;
  /** A suggested fix, if the API has one. */
  readonly suggestion: string | null;
  /** Seconds until a retry can succeed, if the API knows it. */
  readonly retryAfter: number | null;

  /** @param body the `error` of a call */
  constructor(response: Response, body: unknown) {
    const { code, message, errors, details, suggestion } = readError(body);
    super(message ?? `The API answered ${response.status}`);
    this.status = response.status;
    this.code = code;
    this.errors = errors;
    this.details = details;
    this.suggestion = suggestion;
    this.requestId = response.headers.get('x-request-id');
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isNaN(seconds) ? null : seconds;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Reads the envelope of the API, or its flat `{ error: message }`. */
function readError(body: unknown): {
  code: string | null;
  message: string | null;
  errors: FieldProblem[];
  details: Record<string, unknown>;
  suggestion: string | null;
} {
  const error = isRecord(body) ? body.error : undefined;
  if (!isRecord(error)) return { code: null, message: textOf(error), errors: [], details: {}, suggestion: null };
  const errors = Array.isArray(error.errors) ? error.errors.filter(isRecord) : [];
  return {
    code: textOf(error.code),
    message: textOf(error.message),
    errors: errors.map(({ field, message, code }) => ({
      field: textOf(field) ?? '',
      message: textOf(message) ?? '',
      code: textOf(code) ?? '',
    })),
    details: isRecord(error.details) ? error.details : {},
    suggestion: textOf(error.suggestion),
  };
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
