/** The error responses of each operation: those of its kind, and those that its description names. */
import { ERROR_STATUS, type ErrorCode } from '../../errors.js';
import type { AuthKind } from '../plugins/auth.js';
import type { Endpoint, Response } from './document.js';

const JSON_TYPE = 'application/json';

/** Resources whose last word in a path is not their name in the error code. */
const RESOURCE_OF_SEGMENT: Record<string, string> = {
  bulk: 'JOB',
  import: 'JOB',
  exports: 'JOB',
  members: 'USER',
  project: 'PROJECT',
};

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request body is not valid JSON.',
  CONFLICT: 'The state of the resource does not permit this request.',
  FORBIDDEN: 'You are not a member of this project.',
  INVALID_API_KEY: 'The API key is not valid.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  PRECONDITION_FAILED: 'The resource has changed since the version in If-Match. Nothing was changed.',
  RATE_LIMIT_EXCEEDED: 'This project and credential have used all 1000 requests per minute. Wait before you retry.',
  SERVICE_UNAVAILABLE: 'The database cannot process this request right now. Try again.',
  UNAUTHORIZED: 'This endpoint requires a session. Log in first.',
  VALIDATION_ERROR: 'Request validation failed',
};

/** The code of a status that a description names, if the operation has no special one. */
const CODE_OF_STATUS: Record<string, ErrorCode> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMIT_EXCEEDED',
  503: 'SERVICE_UNAVAILABLE',
};

/**
 * Returns the error responses of an operation by status, with an example each; none if it answers errors with a page.
 *
 * @param field a field of the request, for the example of a validation error
 */
export function errorsOf(
  { path, operation }: Endpoint,
  auth: AuthKind,
  field: string | null,
): Record<string, Response> {
  const errors: Record<string, Response> = {};
  if (operation.responses.default?.content?.['text/html']) return errors;
  const add = (code: ErrorCode, description: string, status: number = ERROR_STATUS[code]): void => {
    errors[status] ??= {
      description,
      content: { [JSON_TYPE]: { schema: REFERENCE, example: exampleOf(code, field) } },
    };
  };
  for (const [status, sentence] of statusesIn(operation.description ?? ''))
    add(codeNamedIn(sentence, status) ?? CODE_OF_STATUS[status] ?? 'BAD_REQUEST', sentence, Number(status));
  if (auth === 'secret' || auth === 'public')
    add('INVALID_API_KEY', 'The key is missing, invalid, or of another kind.');
  if (auth === 'session') add('UNAUTHORIZED', 'The session is missing or has ended.');
  if (auth === 'secret') add('FORBIDDEN', 'The user of the session is not a member of the project, or lacks the role.');
  const missing = notFoundCodeOf(path);
  if (missing) add(missing, 'The id is unknown, malformed, or of another project.');
  if (operation.requestBody?.content[JSON_TYPE]) add('BAD_REQUEST', 'The body is not valid JSON.');
  if (field !== null) add('VALIDATION_ERROR', 'A field breaks a rule; `errors` names each field and its rule.');
  if (auth === 'secret' || auth === 'public')
    add('RATE_LIMIT_EXCEEDED', 'The rate limit is used up. See `Retry-After`.');
  return errors;
}

const REFERENCE = { $ref: '#/components/schemas/Error' };

/** Returns the error statuses that a description names, with the sentence that names each. */
function statusesIn(description: string): Array<[status: string, sentence: string]> {
  return description
    .split(/(?<=[.;])\s+/)
    .flatMap((sentence) =>
      [...sentence.matchAll(/\b(4\d\d|503)\b/g)].map(([, status = '']): [string, string] => [status, sentence]),
    );
}

/** Returns the error code in backquotes that the sentence names, if it has the status. */
function codeNamedIn(sentence: string, status: string): ErrorCode | undefined {
  const named = [...sentence.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
  return CODES.find((code) => named.includes(code) && String(ERROR_STATUS[code]) === status);
}

/** Returns the code of the 404 of the last resource in the path: `/workflows/{id}/steps/{stepId}` is STEP_NOT_FOUND. */
export function notFoundCodeOf(path: string): ErrorCode | undefined {
  const resources = [...path.matchAll(/\/([\w-]+)\/\{(?:\w*[iI]d|email)\}/g)].map(([, segment = '']) => segment);
  const segment = resources.at(-1);
  if (segment === undefined) return undefined;
  const wanted = `${RESOURCE_OF_SEGMENT[segment] ?? segment.replace(/s$/, '').toUpperCase()}_NOT_FOUND`;
  return CODES.find((code) => code === wanted);
}

const CODES = Object.keys(ERROR_STATUS).filter((code): code is ErrorCode => code in ERROR_STATUS);

function exampleOf(code: ErrorCode, field: string | null): Record<string, unknown> {
  const resource = /^(\w+)_NOT_FOUND$/.exec(code)?.[1];
  const message = resource
    ? `${resource.charAt(0)}${resource.slice(1).toLowerCase()} not found`
    : (MESSAGES[code] ?? 'The request cannot be processed.');
  return {
    success: false,
    error: {
      code,
      message,
      statusCode: ERROR_STATUS[code],
      requestId: 'req-0199c3f0',
      ...(code === 'VALIDATION_ERROR' &&
        field !== null && { errors: [{ field, message: 'is not valid', code: 'invalid_type' }] }),
    },
    timestamp: '2026-11-02T09:30:00.000Z',
  };
}
