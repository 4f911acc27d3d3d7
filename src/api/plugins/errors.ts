/** Renders every error in the specification's envelope. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { $ZodIssue } from 'zod/v4/core';
import { isDatabaseUnavailable, isPassing, sqlState } from '../../db/pool.js';
import { ApiError, FlatError, notFound, type ErrorCode, type FieldError } from '../../errors.js';

/** The envelope of an error answer. */
export function errorBody(error: ApiError, requestId: string): Record<string, unknown> {
  return {
    success: false,
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
  // A path parameter longer than any of ours names nothing.
  414: 'ROUTE_NOT_FOUND',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMIT_EXCEEDED',
  503: 'SERVICE_UNAVAILABLE',
};

/** Fields whose refused value is not repeated: answers end up in logs and on screens. */
const SECRET_FIELD = /password|token|secret/i;

/** What may be shown of the refused value: short plain values, nothing that could be content. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= 100 ? value : `${value.slice(0, 100)}…`;
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** zod's issue in the specification's vocabulary (contract, section 1, "Validation entry"). */
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

/**
 * A union's issue, as the issues of the alternative that the value was nearest to: the one whose problem lies deepest.
 */
function flatten(issue: $ZodIssue): $ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.input === undefined) return [issue];
  let best: $ZodIssue[] = [];
  let depth = 0;
  for (const alternative of issue.errors) {
    const inner = alternative.flatMap((entry) => flatten(entry));
    const here = Math.max(0, ...inner.map((entry) => entry.path.length + (entry.code === 'invalid_type' ? 0 : 0.5)));
    if (here > depth) {
      depth = here;
      best = inner.map((entry) => ({ ...entry, path: [...issue.path, ...entry.path] }));
    }
  }
  return best.length > 0 ? best : [issue];
}

/** The `errors` entries of zod's issues; `prefix` names the place in a larger document. */
export function fieldErrors(issues: readonly $ZodIssue[], prefix: string[] = []): FieldError[] {
  return issues.flatMap(flatten).map((issue) => {
    const received = SECRET_FIELD.test(String(issue.path.at(-1))) ? undefined : shown(issue.input);
    const code = codeOf(issue);
    return {
      field: [...prefix, ...issue.path.map(String)].join('.'),
      message: code === 'required' ? 'Required' : issue.message,
      code,
      ...(received !== undefined && { received }),
    };
  });
}

/** Any thrown value as an error of the table. */
export function toApiError(error: FastifyError | Error): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseUnavailable(error)) {
    return new ApiError(
      'SERVICE_UNAVAILABLE',
      'The database is not available right now. Try again; with an Idempotency-Key a repeat is safe even if the answer was lost on its way.',
      { cause: error },
    );
  }
  // A full disk, no memory, a deadlock: what failed was rolled back, and the request is right.
  if (isPassing(error))
    return new ApiError('SERVICE_UNAVAILABLE', 'The database can not carry this out right now. Try again.', {
      cause: error,
    });
  // The project was deleted after its key or session was looked at: whatever was to be written for it has nowhere to
  // go.
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
  return new ApiError('INTERNAL_SERVER_ERROR', 'An unexpected error happened. It is logged under this request id.', {
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
      // Fastify would close the connection under a client that is still sending, whose write then fails before it has
      // read this. Node reads the rest and forgets it.
      if (rendered.status === 413) void reply.removeHeader('connection');
      return reply.code(rendered.status).send(errorBody(rendered, request.id));
    });
    app.setNotFoundHandler((request, reply) =>
      reply
        .code(404)
        .send(
          errorBody(
            new ApiError('ROUTE_NOT_FOUND', `There is no ${request.method} ${request.url.split('?')[0] ?? ''}`),
            request.id,
          ),
        ),
    );
  },
  { name: 'errors' },
);
