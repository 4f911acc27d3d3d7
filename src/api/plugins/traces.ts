/** Creates a span for each request. */
import type { FastifyInstance } from 'fastify';
import { requestSpan, type RequestSpan } from '../../trace.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if tracing is enabled. */
    span?: RequestSpan;
  }
}

/**
 * Creates the spans. A request with a body continues from the socket's events, outside of the span's context, so
 * `preHandler` enters the context again.
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
