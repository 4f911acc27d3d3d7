/**
 * Whether Temporal serves: not that something listens at its address, but that its frontend answers a call, with our
 * certificate or key.
 */
import type { Connection } from '@temporalio/client';
import type { Config } from '../config.js';
import { connectionOptions } from './connection-options.js';

export interface TemporalProbe {
  /** Never throws; within 2 s. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const PATIENCE = 2000;

/** Opens no connection before it is asked. */
export function createTemporalProbe(config: Config): TemporalProbe {
  let connecting: Promise<Connection> | null = null;

  const connect = async (): Promise<Connection> => {
    // Loaded here: of the API nothing else needs it.
    const library = await import('@temporalio/client');
    return library.Connection.lazy(await connectionOptions(config));
  };

  return {
    async answers() {
      try {
        const connection = await (connecting ??= connect());
        await connection.withDeadline(Date.now() + PATIENCE, () =>
          connection.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE }),
        );
        return true;
      } catch {
        // Whatever the reason: it doesn't answer us. The worker's log has the reason.
        return false;
      }
    },
    async close() {
      const connection = await connecting?.catch(() => null);
      await connection?.close();
    },
  };
}
