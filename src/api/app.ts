/** Builds the API: plugins, then one file of routes per resource. Does not listen. */
import cookie from '@fastify/cookie';
import jwt from '@fastify/jwt';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { hkdfSync, randomUUID } from 'node:crypto';
import type { ApiContext } from '../context.js';
import { handleClientError } from './client-error.js';
import { authPlugin } from './plugins/auth.js';
import { corsPlugin } from './plugins/cors.js';
import { dashboardPlugin } from './plugins/dashboard.js';
import { errorBody, errorsPlugin, toApiError } from './plugins/errors.js';
import { livePlugin } from './plugins/live.js';
import { openapiPlugin } from './plugins/openapi.js';
import { revisionsPlugin } from './plugins/revisions.js';
import { validationPlugin } from './plugins/validation.js';
import { traceRequests } from './plugins/traces.js';
import { routes } from './routes/index.js';
import { SESSION_SECONDS } from '../domain/accounts/sessions.js';
import { recordResponse } from './record-response.js';
import { sessionCookieName } from './session.js';

export type App = FastifyInstance;

const MEGABYTE = 1024 * 1024;

/** Returns the client's request id if it is valid, or a new one (contract, section 1). */
const requestId = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,127}$/.test(header) ? header : randomUUID();

export async function buildApp(ctx: ApiContext): Promise<App> {
  const log: FastifyBaseLogger = ctx.log;
  const app = Fastify({
    loggerInstance: log,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // Our own log lines below contain neither the client's address nor the query string.
    logController: new LogController({ requestIdLogLabel: 'requestId', disableRequestLogging: true }),
    bodyLimit: 5 * MEGABYTE,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    forceCloseConnections: 'idle',
    // While the API stops, requests on open connections are served, and the connection closes with the response.
    return503OnClosing: false,
    // Node's default. It bounds slow request bodies: 60 MB need 2 Mbit/s.
    requestTimeout: 300_000,
    // Any other sender of X-Forwarded-For could give each login attempt a new address.
    trustProxy: ctx.config.TRUSTED_PROXIES,
    clientErrorHandler: handleClientError,
    // Errors before routing, such as an undecodable path, skip all hooks.
    frameworkErrors: (error, request, reply) => {
      const rendered = toApiError(error);
      reply.raw
        .writeHead(rendered.status, { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-ID': request.id })
        .end(JSON.stringify(errorBody(rendered, request.id)));
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-ID', request.id);
  });
  app.decorateRequest('isRecorded', false);
  app.addHook('onResponse', async (request, reply) => {
    if (!request.isRecorded) recordResponse(ctx, request, reply);
  });

  if (ctx.config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) traceRequests(app);
  await app.register(errorsPlugin);
  await app.register(validationPlugin);
  await app.register(corsPlugin, { ctx });
  await app.register(cookie);
  await app.register(jwt, {
    secret: Buffer.from(hkdfSync('sha256', ctx.config.SECRET_KEY, '', 'session', 32)),
    cookie: { cookieName: sessionCookieName(ctx.config), signed: false },
    sign: { expiresIn: SESSION_SECONDS },
  });
  await app.register(authPlugin, { ctx });
  await app.register(revisionsPlugin);
  await app.register(livePlugin, { ctx });
  await app.register(openapiPlugin, { ctx });
  await app.register(dashboardPlugin);
  await app.register(routes, { ctx });
  return app;
}
