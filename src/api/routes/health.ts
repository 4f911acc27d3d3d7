/** Health endpoints. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { ApiError } from '../../errors.js';
import { explain } from '../../operations/readiness.js';
import { withTypes } from '../typed.js';

const Ready = z.object({ status: z.literal('ok'), database: z.literal('ok'), temporal: z.literal('ok') });

export const healthRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/health/live',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Health'],
        summary: 'Check that the process runs',
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
        summary: 'Check that the process is ready',
        description:
          'Checks the database and Temporal. 503 lists the unavailable ones; a stopping process also returns ' +
          '503. Without Temporal, the API still accepts requests and carries them out when Temporal is back.',
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
