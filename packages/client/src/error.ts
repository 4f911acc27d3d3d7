/** The errors of the API. */

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
