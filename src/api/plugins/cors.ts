/**
 * CORS: the public API for any origin without credentials, the rest for the dashboard's origin with them (contract,
 * section 1).
 */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import fp from 'fastify-plugin';
import type { Context } from '../../context.js';

/**
 * An OPTIONS request that is no preflight is answered like one: the plugin's refusal would be plain text, outside of
 * the envelope.
 */
const strictPreflight = false;

const EXPOSED = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'X-Request-ID'];

export const corsPlugin = fp<{ ctx: Context }>(
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
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Project-Id', 'X-Request-ID'],
      exposedHeaders: EXPOSED,
      maxAge: 600,
      strictPreflight,
    };
    await app.register(cors, {
      // The request's path decides, so that preflights of both families are answered.
      delegator: (request, callback) => callback(null, (request.url ?? '').startsWith('/v1/') ? publicApi : dashboard),
      hook: 'onRequest',
    });
  },
  { name: 'cors' },
);
