/** Whether a process can do its work now: what a load balancer and an orchestrator ask. */
import type { Config } from '../config.js';
import type { Pool } from '../db/pool.js';
import { createTemporalProbe } from '../temporal/probe.js';
import { withPatience } from './patience.js';

export type State = 'ok' | 'unavailable';

export interface ReadinessReport {
  ready: boolean;
  /** The process is on its way out: it finishes what it has, and is to be given nothing more. */
  draining: boolean;
  /** By part: `database`, `temporal`, in a worker `workers`. */
  parts: Record<string, State>;
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
  /** From now on it is not ready, whatever works. */
  drain(): void;
  close(): Promise<void>;
}

/** The answer comes in time for who asks, also when the database says nothing at all. */
const PATIENCE = 3000;

export function createReadiness(config: Config, pool: Pool): Readiness {
  const temporal = createTemporalProbe(config);
  let draining = false;

  const database = async (): Promise<boolean> => (await withPatience(PATIENCE, pool.query('SELECT 1'))) !== null;

  return {
    async check() {
      const [databaseUp, temporalUp] = await Promise.all([database(), temporal.answers()]);
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

/** In one line: what is missing. */
export const explain = ({ draining, parts }: ReadinessReport): string =>
  draining
    ? 'This process is stopping.'
    : `Not available: ${Object.entries(parts)
        .flatMap(([name, state]) => (state === 'ok' ? [] : [name]))
        .join(', ')}`;
