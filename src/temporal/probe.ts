/** Checks that Temporal's frontend answers a call that is authenticated with our certificate or key. */
import type { Connection } from '@temporalio/client';
import type { Config } from '../config.js';
import { connectionOptions } from './connection-options.js';

export interface TemporalProbe {
  /** Resolves within 2 s and never throws. */
  isAvailable(): Promise<boolean>;
  close(): Promise<void>;
}

const PROBE_TIMEOUT_MS = 2000;

/** Connects with the first check. */
export function createTemporalProbe(config: Config): TemporalProbe {
  let connecting: Promise<Connection> | null = null;

  const connect = async (): Promise<Connection> => {
    // Loaded late, because nothing else in the API needs it.
    const library = await import('@temporalio/client');
    return library.Connection.lazy(await connectionOptions(config));
  };

  return {
    async isAvailable() {
      try {
        const connection = await (connecting ??= connect());
        await connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () =>
          connection.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE }),
        );
        return true;
      } catch {
        // The worker's log has the reason.
        return false;
      }
    },
    async close() {
      const connection = await connecting?.catch(() => null);
      await connection?.close();
    },
  };
}
