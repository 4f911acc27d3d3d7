/** A span for each request. */
import type { FastifyInstance } from 'fastify';
import { requestSpan, type RequestSpan } from '../../trace.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where traces are on. */
    span?: RequestSpan;
  }
}

/**
 * What comes with a body goes on from the socket's events, which know nothing of the span: the handler is put into it
 * again.
 */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = requestSpan(request.method, request.headers);
    request.span.run(done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
}
