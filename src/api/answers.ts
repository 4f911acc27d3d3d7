/** Answers that are under way. A close of Node's server cuts off what has been written and not been read yet, as if its connection were idle. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answers {
  /** Resolves when everything that is under way now has been handed over, or has lost its reader; at the latest after `patienceMs`. */
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
      const patience = new AbortController();
      const all = Promise.all([...underWay].map((response) => once(response, 'close', { signal: patience.signal }).catch(() => undefined)));
      await Promise.race([all, sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
    },
  };
}
