/** The flat 400 answers of the specification ("Errors"): a required field that is not there at all. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FlatError } from '../errors.js';

/** The body of those answers; every other error comes in the envelope. */
export const FlatErrorBody = z.object({ error: z.string() }).meta({ id: 'FlatError' });

/**
 * A preValidation hook: 400 `{ error }` when `field` is absent or null, before the rest of the body is looked at, so
 * that the answer is the same whatever else is wrong. A field of the wrong type or form stays the schema's 422.
 */
export const requireField =
  (field: string) =>
  async (request: FastifyRequest): Promise<void> => {
    const body = request.body ?? {};
    if (typeof body !== 'object' || Array.isArray(body)) return;
    const given: unknown = Reflect.get(body, field);
    if (given === undefined || given === null) throw new FlatError(`The field "${field}" is required.`);
  };
