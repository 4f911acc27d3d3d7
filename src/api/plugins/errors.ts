/** Renders every error in the envelope of the specification. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { $ZodIssue } from 'zod/v4/core';
import { isDatabaseUnavailable, isPassing, sqlState } from '../../db/errors.js';
import { toEtag } from '../etag.js';
import { ApiError, FlatError, notFound, type ErrorCode, type FieldError } from '../../errors.js';

/** Returns the envelope of an error. */
export function errorBody(error: ApiError, requestId: string) {
  return {
    success: false as const,
    error: {
      code: error.code,
      message: error.message,
      statusCode: error.status,
      requestId,
      ...(error.errors && { errors: error.errors }),
      ...(error.details && { details: error.details }),
      ...(error.suggestion && { suggestion: error.suggestion }),
    },
    timestamp: new Date().toISOString(),
  };
}

const STATUS_CODES: Record<number, ErrorCode> = {
  400: 'BAD_REQUEST',
  404: 'ROUTE_NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  // A path parameter that is too long matches no resource.
  414: 'ROUTE_NOT_FOUND',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMIT_EXCEEDED',
  503: 'SERVICE_UNAVAILABLE',
};

/** Fields whose value is not echoed, because responses end up in logs and on screens. */
const SECRET_FIELD = /password|token|secret/i;

/** Returns the part of a rejected value to echo: primitives, with strings cut to 100 characters. */
function echoOf(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= 100 ? value : `${value.slice(0, 100)}…`;
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Returns the specification's code of a zod issue (contract, section 1, "Validation entry"). */
function codeOf(issue: $ZodIssue): FieldError['code'] {
  const given = issue.input;
  switch (issue.code) {
    case 'invalid_type':
      return given === undefined ? 'required' : 'invalid_type';
    case 'invalid_value':
      return given === undefined ? 'required' : typeof given === 'string' ? 'invalid_string' : 'invalid_type';
    case 'invalid_format':
      return 'invalid_string';
    case 'too_small':
    case 'too_big':
      return issue.code;
    case 'custom':
      return issue.params?.code === 'reserved_event'
        ? 'reserved_event'
        : issue.params?.code === 'required'
          ? 'required'
          : 'custom';
    case 'invalid_union':
      return given === undefined ? 'required' : 'invalid_type';
    default:
      return 'custom';
  }
}

/** Whether a value has another type than an alternative, which then says less about the value than one of the same type. */
const isTypeIssue = ({ code }: $ZodIssue): boolean => code === 'invalid_type' || code === 'invalid_union';

/** Replaces the issue of a union by the issues of its best alternative: the one that failed at the deepest path. */
function flatten(issue: $ZodIssue): $ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.input === undefined) return [issue];
  let best: $ZodIssue[] = [];
  let depth = 0;
  for (const alternative of issue.errors) {
    const inner = alternative.flatMap((entry) => flatten(entry));
    // Checks of a length also apply to a value of another type.
    if (inner.some((entry) => entry.path.length === 0 && isTypeIssue(entry))) continue;
    const innerDepth = Math.max(0, ...inner.map((entry) => entry.path.length + (isTypeIssue(entry) ? 0 : 0.5)));
    if (innerDepth > depth) {
      depth = innerDepth;
      best = inner.map((entry) => ({ ...entry, path: [...issue.path, ...entry.path] }));
    }
  }
  return best.length > 0 ? best : [issue];
}

/** Returns the `errors` entries of zod issues. `prefix` is the path of the validated value. */
export function fieldErrors(issues: readonly $ZodIssue[], prefix: string[] = []): FieldError[] {
  return issues.flatMap(flatten).map((issue) => {
    const received = SECRET_FIELD.test(String(issue.path.at(-1))) ? undefined : echoOf(issue.input);
    const code = codeOf(issue);
    return {
      field: [...prefix, ...issue.path.map(String)].join('.'),
      message: code === 'required' ? 'Required' : issue.message,
      code,
      ...(received !== undefined && { received }),
    };
  });
}

/** Converts any thrown error to an ApiError. */
export function toApiError(error: FastifyError | Error): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseUnavailable(error)) {
    return new ApiError(
      'SERVICE_UNAVAILABLE',
      'The database is currently unavailable. Try again. With an Idempotency-Key, a retry is safe even if ' +
        'the first request succeeded.',
      { cause: error },
    );
  }
  // A full disk, no memory, or a deadlock: the transaction was rolled back, and a retry can succeed.
  if (isPassing(error))
    return new ApiError('SERVICE_UNAVAILABLE', 'The database cannot process this request right now. Try again.', {
      cause: error,
    });
  // The project was deleted after the authentication of this request.
  if (sqlState(error) === '23503' && /\b[a-z]+_project_id_fkey\b/.test(error.message)) return notFound('PROJECT');
  if (
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  ) {
    const code = STATUS_CODES[error.statusCode] ?? 'BAD_REQUEST';
    const syntax = error instanceof SyntaxError || error.code === 'FST_ERR_CTP_INVALID_JSON_BODY';
    return new ApiError(code, syntax ? 'The request body is not valid JSON.' : error.message);
  }
  return new ApiError('INTERNAL_SERVER_ERROR', 'An unexpected error occurred. It is logged under this request id.', {
    cause: error,
  });
}

export const errorsPlugin = fp(
  async (app) => {
    app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (error instanceof FlatError) return reply.code(error.status).send({ error: error.message });
      const rendered = toApiError(error);
      if (rendered.status >= 500) request.log.error({ err: error }, 'The request failed');
      const retryAfter = rendered.retryAfter ?? (rendered.status === 503 ? 1 : undefined);
      if (retryAfter !== undefined) void reply.header('Retry-After', retryAfter);
      if (rendered.revision !== undefined) void reply.header('ETag', toEtag(rendered.revision));
      // Fastify would close the connection while the client still sends, and the client's write would fail before it
      // reads the response. Node reads and discards the rest instead.
      if (rendered.status === 413) void reply.removeHeader('connection');
      return reply.code(rendered.status).send(errorBody(rendered, request.id));
    });
    app.setNotFoundHandler((request, reply) =>
      reply
        .code(404)
        .send(
          errorBody(
            new ApiError(
              'ROUTE_NOT_FOUND',
              `The route ${request.method} ${request.url.split('?')[0] ?? ''} does not exist.`,
            ),
            request.id,
          ),
        ),
    );
  },
  { name: 'errors' },
);
