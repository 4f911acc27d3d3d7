/**
 * Answers that are under way. A close of Node's server cuts off what has been written and not been read yet, as if its
 * connection were idle.
 */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { withTimeout } from '../operations/readiness.js';

export interface Answers {
  /**
   * Resolves when everything that is under way now has been handed over, or has lost its reader; at the latest after
   * `patienceMs`.
   */
  finished: (patienceMs: number) => Promise<void>;
}

/** Watches the answers of a server from now on. */
export function watchAnswers(server: Server): Answers {
  const underWay = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return {
    async finished(patienceMs) {
      await withTimeout(
        patienceMs,
        Promise.all([...underWay].map((response) => once(response, 'close').catch(() => undefined))),
      );
    },
  };
}
