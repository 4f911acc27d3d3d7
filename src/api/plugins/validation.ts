/** Validation with the zod schemas of the routes, and parsing of JSON bodies that PostgreSQL can store. */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { z } from 'zod';
import { ApiError, badRequest, validationError, type FieldError } from '../../errors.js';
import { fieldErrors } from './errors.js';

/** The maximum nesting of JSON. It protects recursive code and is far more than any field needs. */
const MAX_DEPTH = 64;

/** Returns why PostgreSQL cannot store a text (NUL or a lone surrogate), or null if it can. */
function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL characters';
  return isWellFormed(text) ? null : 'must be well-formed Unicode';
}

const isWellFormed = (text: string): boolean =>
  !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);

function findBadText(value: unknown, path: string[], found: FieldError[]): void {
  // Names only the top-level field, because the client controls the length of the path.
  if (path.length > MAX_DEPTH)
    throw validationError([
      { field: path[0] ?? '', message: `must not be nested deeper than ${MAX_DEPTH} levels`, code: 'too_big' },
    ]);
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem) found.push({ field: path.join('.'), message: problem, code: 'invalid_string' });
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => findBadText(item, [...path, String(index)], found));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const problem = textProblem(key);
      if (problem)
        found.push({
          field: [...path, key.replaceAll('\0', '')].join('.'),
          message: `The name ${problem}`,
          code: 'invalid_string',
        });
      findBadText(item, [...path, key], found);
    }
  }
}

/** Returns false if findBadText cannot find anything: such text is escaped or deeply nested. */
const mayBeBad = (json: string): boolean =>
  /\\u(0000|d[89a-f])/i.test(json) || !isWellFormed(json) || (json.match(/[[{]/g)?.length ?? 0) > MAX_DEPTH;

/** Parses a JSON body. Returns undefined for an empty one. `__proto__` stays a plain key, which the domain drops. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest('The request body is not valid JSON.', { cause: error });
  }
  if (mayBeBad(text)) {
    const found: FieldError[] = [];
    findBadText(value, [], found);
    if (found.length > 0) throw validationError(found);
  }
  return value;
}

/** Validates with zod. A missing body is validated as `{}`, so that the error names the missing fields. */
function compileValidator(
  schema: z.ZodType,
  part: string | undefined,
): (data: unknown) => { value: unknown } | { error: Error } {
  return (data) => {
    const result = schema.safeParse(data ?? (part === 'body' ? {} : data), { reportInput: true });
    return result.success ? { value: result.data } : { error: validationError(fieldErrors(result.error.issues)) };
  };
}

export const validationPlugin = fp(
  async (app) => {
    app.removeContentTypeParser(['application/json', 'text/plain']);
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string | Buffer) => parseJson(body.toString()),
    );
    app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => compileValidator(schema, httpPart));
    app.setSerializerCompiler(() => (data) => JSON.stringify(data));
    app.addHook('preValidation', async (request) => {
      for (const [field, value] of Object.entries(typeof request.query === 'object' ? (request.query ?? {}) : {})) {
        if (String(value).includes('\0'))
          throw validationError([{ field, message: 'must not contain NUL characters', code: 'invalid_string' }]);
      }
      for (const value of Object.values(typeof request.params === 'object' ? (request.params ?? {}) : {})) {
        if (String(value).includes('\0')) throw new ApiError('ROUTE_NOT_FOUND', 'This path does not exist.');
      }
    });
  },
  { name: 'validation' },
);
