/** Readiness of a process, for load balancers and orchestrators. */
import type { Config } from '../config.js';
import type { Pool } from '../db/pool.js';
import { createTemporalProbe } from '../temporal/probe.js';

export type State = 'ok' | 'unavailable';

export interface ReadinessReport {
  ready: boolean;
  /** Whether the process is stopping and must not get new work. */
  draining: boolean;
  /** States by part: `database`, `temporal`, and in a worker `workers`. */
  parts: Record<string, State>;
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
  /** Makes the process permanently not ready. */
  drain(): void;
  close(): Promise<void>;
}

const CHECK_TIMEOUT_MS = 3000;

export function createReadiness(config: Config, pool: Pool): Readiness {
  const temporal = createTemporalProbe(config);
  let draining = false;

  const database = async (): Promise<boolean> => (await withTimeout(CHECK_TIMEOUT_MS, pool.query('SELECT 1'))) !== null;

  return {
    async check() {
      const [databaseUp, temporalUp] = await Promise.all([database(), temporal.isAvailable()]);
      return {
        ready: databaseUp && temporalUp && !draining,
        draining,
        parts: { database: stateOf(databaseUp), temporal: stateOf(temporalUp) },
      };
    },
    drain() {
      draining = true;
    },
    close: () => temporal.close(),
  };
}

export const stateOf = (up: boolean): State => (up ? 'ok' : 'unavailable');

/** Describes the missing parts in one line. */
export const explain = ({ draining, parts }: ReadinessReport): string =>
  draining
    ? 'This process is stopping.'
    : `Not available: ${Object.entries(parts)
        .flatMap(([name, state]) => (state === 'ok' ? [] : [name]))
        .join(', ')}`;

/** Returns the result of `work`, or null if it fails or takes longer than `ms` milliseconds. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work.catch(() => null), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
