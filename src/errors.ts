/**
 * All API errors: the table of codes and statuses, and the error class.
 *
 * Source: the specification's error table, and section 1 of the contract ("Codes").
 */

export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  CONTACT_UNSUBSCRIBED: 400,
  INVALID_API_KEY: 401,
  UNAUTHORIZED: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  PROJECT_DISABLED: 403,
  EMAIL_VERIFICATION_REQUIRED: 403,
  ROUTE_NOT_FOUND: 404,
  CONTACT_NOT_FOUND: 404,
  TEMPLATE_NOT_FOUND: 404,
  VERSION_NOT_FOUND: 404,
  SAVED_BLOCK_NOT_FOUND: 404,
  CAMPAIGN_NOT_FOUND: 404,
  SEGMENT_NOT_FOUND: 404,
  WORKFLOW_NOT_FOUND: 404,
  STEP_NOT_FOUND: 404,
  TRANSITION_NOT_FOUND: 404,
  EXECUTION_NOT_FOUND: 404,
  DOMAIN_NOT_FOUND: 404,
  EMAIL_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  PROJECT_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  BILLING_DISABLED: 404,
  SUPPRESSION_NOT_FOUND: 404,
  UPLOAD_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  TEST_TOO_SMALL: 422,
  RATE_LIMIT_EXCEEDED: 429,
  BILLING_LIMIT_EXCEEDED: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One validation error of a request. `code` is from the specification. */
export interface FieldError {
  /** The path of the field: `to.0.email`. */
  field: string;
  message: string;
  code: 'invalid_string' | 'invalid_type' | 'too_small' | 'too_big' | 'custom' | 'reserved_event' | 'required';
  received?: unknown;
}

export interface ApiErrorOptions {
  /** The HTTP status, if it differs from that of the code. */
  status?: number;
  errors?: FieldError[];
  details?: Record<string, unknown>;
  suggestion?: string;
  /** Seconds until a retry can succeed, for the header Retry-After. */
  retryAfter?: number;
  /** The current revision of the resource, for the header ETag. */
  revision?: number;
  cause?: unknown;
}

/** An error that the API renders in the envelope of the specification. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors?: FieldError[];
  readonly details?: Record<string, unknown>;
  readonly suggestion?: string;
  readonly retryAfter?: number;
  readonly revision?: number;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.errors = options.errors;
    this.details = options.details;
    this.suggestion = options.suggestion;
    this.retryAfter = options.retryAfter;
    this.revision = options.revision;
  }
}

/** One of the three 400 errors that the specification lists as a flat `{ error: message }`. */
export class FlatError extends Error {
  readonly status = 400;
}

export const badRequest = (message: string, options?: ApiErrorOptions): ApiError =>
  new ApiError('BAD_REQUEST', message, options);
export const conflict = (message: string, options?: ApiErrorOptions): ApiError =>
  new ApiError('CONFLICT', message, options);
export const forbidden = (message: string): ApiError => new ApiError('FORBIDDEN', message);

/** The 404 of a resource. It is the same for a malformed id, an unknown id, and an id of another project. */
export const notFound = (
  resource:
    | 'CONTACT'
    | 'TEMPLATE'
    | 'VERSION'
    | 'SAVED_BLOCK'
    | 'CAMPAIGN'
    | 'SEGMENT'
    | 'WORKFLOW'
    | 'STEP'
    | 'TRANSITION'
    | 'EXECUTION'
    | 'DOMAIN'
    | 'EMAIL'
    | 'JOB'
    | 'PROJECT'
    | 'USER'
    | 'SESSION'
    | 'SUPPRESSION'
    | 'UPLOAD'
    | 'WEBHOOK'
    | 'DELIVERY',
): ApiError =>
  new ApiError(
    `${resource}_NOT_FOUND`,
    `${resource.charAt(0)}${resource.slice(1).toLowerCase().replace('_', ' ')} not found`,
  );

/** The 422 with one entry per field. */
export const validationError = (errors: FieldError[]): ApiError =>
  new ApiError('VALIDATION_ERROR', 'Request validation failed', { errors });

/** The 422 for one field that violates a rule of the domain. */
export const invalidField = (field: string, message: string): ApiError =>
  validationError([{ field, message, code: 'custom' }]);

/** The 403 for a sender whose domain is not verified. Its code is an oddity of the specification. */
export const unverifiedDomain = (domain: string): ApiError =>
  new ApiError('INTERNAL_SERVER_ERROR', `The domain ${domain} is not verified. Complete its DNS verification first.`, {
    status: 403,
    suggestion: 'Add the domain with POST /domains, publish its DNS records, and call GET /domains/:id/verify.',
  });
