import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

/** The app with the types of its zod schemas. */
export const withTypes = (app: FastifyInstance) => app.withTypeProvider<ZodTypeProvider>();
