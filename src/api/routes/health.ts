/** Health endpoints and the public configuration. */
import net from 'node:net';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { ApiError } from '../../errors.js';
import { withTypes } from '../typed.js';

const Ready = z.object({ status: z.literal('ok'), database: z.literal('ok'), temporal: z.literal('ok') });

/** Whether something accepts connections at `host:port` within 1 s. */
function reachable(address: string): Promise<boolean> {
  const separator = address.lastIndexOf(':');
  return new Promise((resolve) => {
    const socket = net.connect({ host: address.slice(0, separator), port: Number(address.slice(separator + 1)), timeout: 1000 });
    const settle = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', settle(true)).once('error', settle(false)).once('timeout', settle(false));
  });
}

export const healthRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get('/health/live', { config: { auth: 'none' }, schema: { tags: ['Health'], summary: 'Whether the process runs', response: { 200: z.object({ status: z.literal('ok') }) } } }, async () => ({ status: 'ok' as const }));

  app.get(
    '/health/ready',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Health'],
        summary: 'Whether everything that a request needs is there: the database and Temporal',
        description: '503 names what is missing. Without Temporal alone the API still accepts requests: what it accepts is carried out when Temporal is back.',
        response: { 200: Ready },
      },
    },
    async () => {
      const [database, temporal] = await Promise.all([
        ctx.pool.query('SELECT 1').then(
          () => true,
          () => false,
        ),
        reachable(ctx.config.TEMPORAL_ADDRESS),
      ]);
      const details = { database: database ? 'ok' : 'unavailable', temporal: temporal ? 'ok' : 'unavailable' } as const;
      if (!database || !temporal) throw new ApiError('SERVICE_UNAVAILABLE', `Not available: ${Object.entries(details).flatMap(([name, state]) => (state === 'ok' ? [] : [name])).join(', ')}`, { details });
      return { status: 'ok' as const, database: 'ok' as const, temporal: 'ok' as const };
    },
  );
};
