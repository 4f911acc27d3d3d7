/** The metric, the log line, and the end of the trace of a response. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the response was recorded. Endless responses are recorded when they begin. */
    isRecorded: boolean;
  }
}

export function recordResponse({ metrics }: ApiContext, request: FastifyRequest, reply: FastifyReply): void {
  request.isRecorded = true;
  const { method, routeOptions } = request;
  // Unknown routes share one label, because clients can invent any number of paths.
  const route = routeOptions.url ?? 'none';
  metrics.http.observe(
    { method: routeOptions.url === undefined ? 'none' : method, route, status: reply.statusCode },
    reply.elapsedTime / 1000,
  );
  request.span?.end(route, reply.statusCode, {
    'sendloom.request_id': request.id,
    ...(request.project && { 'sendloom.project_id': request.project.id }),
  });
  request.log.info(
    {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      projectId: request.project?.id,
    },
    'request',
  );
}
