/** Health endpoints and the public configuration. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { ApiError } from '../../errors.js';
import { explain } from '../../operations/readiness.js';
import { withTypes } from '../typed.js';

const Ready = z.object({ status: z.literal('ok'), database: z.literal('ok'), temporal: z.literal('ok') });

export const healthRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/health/live',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Health'],
        summary: 'Whether the process runs',
        response: { 200: z.object({ status: z.literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/health/ready',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Health'],
        summary: 'Whether everything that a request needs is there: the database and Temporal',
        description:
          '503 names what is missing, and is also the answer of a process that is stopping. Without Temporal alone the API still accepts requests: what it accepts is carried out when Temporal is back.',
        response: { 200: Ready },
      },
    },
    async () => {
      const report = await ctx.readiness.check();
      if (!report.ready)
        throw new ApiError('SERVICE_UNAVAILABLE', explain(report), {
          details: { ...report.parts, draining: report.draining },
        });
      return { status: 'ok' as const, database: 'ok' as const, temporal: 'ok' as const };
    },
  );
};
