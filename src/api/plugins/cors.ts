/**
 * CORS (contract, section 1): `/v1/*` accepts any origin without credentials. All other paths accept the dashboard's
 * origin with credentials.
 */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import fp from 'fastify-plugin';
import type { ApiContext } from '../../context.js';

/** OPTIONS requests that are not preflights get the same response. The plugin's error would be plain text. */
const strictPreflight = false;

const EXPOSED = ['ETag', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'X-Request-ID'];

export const corsPlugin = fp<{ ctx: ApiContext }>(
  async (app, { ctx }) => {
    const publicApi: FastifyCorsOptions = {
      origin: '*',
      credentials: false,
      methods: ['GET', 'POST'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
      exposedHeaders: EXPOSED,
      maxAge: 86_400,
      strictPreflight,
    };
    const dashboard: FastifyCorsOptions = {
      origin: [new URL(ctx.config.DASHBOARD_URL).origin],
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowedHeaders: [
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'Last-Event-ID',
        'X-Project-Id',
        'X-Request-ID',
      ],
      exposedHeaders: EXPOSED,
      maxAge: 600,
      strictPreflight,
    };
    await app.register(cors, {
      // Preflights match no route, so the path decides.
      delegator: (request, callback) => callback(null, (request.url ?? '').startsWith('/v1/') ? publicApi : dashboard),
      hook: 'onRequest',
    });
  },
  { name: 'cors' },
);
