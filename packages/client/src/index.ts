/**
 * A typed client of the Sendloom API: one method per HTTP method, with paths, parameters, bodies and answers checked by
 * the compiler.
 */
import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

/** The shapes of the API by name: `Schemas['Contact']`. */
export type Schemas = components['schemas'];
export type SendloomClient = Client<paths>;

export interface SendloomOptions {
  /** Of the API: `https://mail.example.com`. */
  baseUrl: string;
  /**
   * The secret key (`sk_…`, on a server only) or the public one (`pk_…`, which calls `POST /v1/track` alone). Without
   * it the browser's session cookie is used, and
   * `projectId` says which project is meant.
   */
  key?: string;
  projectId?: string;
  /** Another implementation of fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Makes a client. It has no state but its options; one per project is enough. */
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

/** What the API refused, and why. */
export class SendloomError extends Error {
  override readonly name = 'SendloomError';
  readonly status: number;
  /** `VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, …; null where the answer has none. */
  readonly code: string | null;
  /** For support: the same is in the server's log. */
  readonly requestId: string | null;
  readonly errors: FieldProblem[];
  /**
   * What else there is to know: of a repeat with an Idempotency-Key the first answer, as `originalResponse`. Empty
   * where there is nothing.
   */
  readonly details: Record<string, unknown>;
  /** What to do about it, where the API says so. */
  readonly suggestion: string | null;
  /** Seconds until another try can succeed, where the API says so. */
  readonly retryAfter: number | null;

  /** @param body what the client's `error` holds */
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

/** The API's envelope, or its flat `{ error: message }`. */
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
 * The answer of a call that succeeded.
 *
 * @throws SendloomError for any other
 */
export function unwrap<Data>(result: { data?: Data; error?: unknown; response: Response }): Data {
  if (!result.response.ok) throw new SendloomError(result.response, result.error);
  return result.data as Data;
}

/** For `bodySerializer`, where the API takes a form: files and texts by the names of their parts. */
export function form(fields: object): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof File) data.append(name, value);
    // A part is a file for the API if it has a file name.
    else if (value instanceof Blob) data.append(name, value, name);
    else data.append(name, String(value));
  }
  return data;
}
