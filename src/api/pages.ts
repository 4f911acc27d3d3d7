/** What all routes have in common that answer pages for people: forms in, HTML out, errors too. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedLanguage } from '../pages/language.js';
import { plainPage } from '../pages/subscription.js';
import { toApiError } from './plugins/errors.js';

/** No script, nothing from elsewhere; the address with its token goes to nobody, and into no cache or index. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** Has the routes of this scope take bodies of any type as text, and answer pages. */
export function answerPages(app: FastifyInstance): void {
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

/** The body of a form, as it was sent. */
export const textOf = (body: unknown): string => (typeof body === 'string' ? body : '');
