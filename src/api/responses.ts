/**
 * Responses in flight. Closing Node's server treats a connection as idle once its response is written, even if the
 * client has not read it yet.
 */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { withTimeout } from '../operations/readiness.js';

export interface ResponsesInFlight {
  /** Resolves when all current responses are delivered or their connections closed, or after `timeoutMs`. */
  finished: (timeoutMs: number) => Promise<void>;
}

/** Watches the responses of a server from now on. */
export function watchResponses(server: Server): ResponsesInFlight {
  const inFlight = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
  });
  return {
    async finished(timeoutMs) {
      await withTimeout(
        timeoutMs,
        Promise.all([...inFlight].map((response) => once(response, 'close').catch(() => undefined))),
      );
    },
  };
}
