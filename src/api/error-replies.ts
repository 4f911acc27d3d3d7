/** The error responses of the OpenAPI document, and the check that causes a flat one. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FlatError } from '../errors.js';
import { Timestamp } from './schemas.js';

/** The envelope of every error, as plugins/errors.ts renders it. */
export const ErrorReply = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.string().describe('`VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, …'),
      message: z.string(),
      statusCode: z.int(),
      requestId: z.string().describe("The request id, which is also in the server's log."),
      errors: z
        .array(
          z.object({
            field: z.string().describe('The path of the field, such as `to.0.email`.'),
            message: z.string(),
            code: z.string(),
            received: z.unknown().optional(),
          }),
        )
        .optional(),
      details: z.record(z.string(), z.unknown()).optional(),
      suggestion: z.string().optional(),
    }),
    timestamp: Timestamp,
  })
  .meta({ id: 'Error' });

const FlatErrorReply = z.object({ error: z.string() }).meta({ id: 'FlatError' });

/** The 400 of a route with a flat error. Malformed JSON on the same route returns the envelope. */
export const flatError = (description: string) => z.union([FlatErrorReply, ErrorReply]).describe(description);

/** A response that is an HTML page. */
export const htmlPage = (description: string) => ({ description, content: { 'text/html': { schema: z.string() } } });

/**
 * Returns a preValidation hook that throws the flat 400 if `field` is absent or null. It runs before the validation of
 * the body, so the response does not depend on other errors. A field of the wrong type returns 422.
 *
 * @param isExempt returns whether a body does not need the field
 */
export const requireField =
  (field: string, isExempt: (body: object) => boolean = () => false) =>
  async (request: FastifyRequest): Promise<void> => {
    const body = request.body ?? {};
    if (typeof body !== 'object' || Array.isArray(body) || isExempt(body)) return;
    const value: unknown = Reflect.get(body, field);
    if (value === undefined || value === null) throw new FlatError(`The field "${field}" is required.`);
  };
