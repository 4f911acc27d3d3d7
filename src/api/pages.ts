/** The common setup of routes that serve HTML pages: they accept forms, and their errors are pages, too. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedLanguage } from '../pages/language.js';
import { plainPage } from '../pages/subscription.js';
import { toApiError } from './plugins/errors.js';

/** No scripts or external resources. The URL contains a token, so it must not reach referrers, caches, or indexes. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** Makes the routes of a scope accept bodies of any type as text, and respond with HTML. */
export function servePages(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit: 64 * 1024 },
    async (_request: FastifyRequest, body: string | Buffer) => body.toString(),
  );
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers(HEADERS);
  });
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const { status } = toApiError(error);
    if (status >= 500) request.log.error({ err: error }, 'The request failed');
    if (status === 503) void reply.header('Retry-After', 1);
    return reply
      .code(status)
      .headers(HEADERS)
      .send(plainPage(acceptedLanguage(request.headers['accept-language']), status >= 500 ? 'failed' : 'invalid'));
  });
}

/** Returns the body of a form as it was sent. */
export const textOf = (body: unknown): string => (typeof body === 'string' ? body : '');
