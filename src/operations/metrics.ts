/**
 * What a process measures, for Prometheus. One registry per process; nothing here carries an address, a project or an
 * id.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from '../db/pool.js';
import { queueState, type QueueState } from './queues.js';
import { withPatience } from './patience.js';

export interface Metrics {
  registry: Registry;
  /** Seconds from a request's first byte to the end of its answer. */
  http: Histogram<'method' | 'route' | 'status'>;
  /** Attempts to hand an email over, by what came of them. */
  emails: Counter<'source' | 'outcome'>;
  /** Seconds from rendering to the mail server's answer. */
  delivery: Histogram<'outcome'>;
  /** Has the pool's connections measured. */
  watchPool(name: string, pool: Pool): void;
  /** Has the outbox and the queue of emails measured, once per scrape. */
  watchQueues(pool: Pool): void;
}

/** A scrape waits for 10 s by Prometheus' default. */
const PATIENCE = 3000;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const pools = new Map<string, Pool>();
  const connections = new Gauge({
    name: 'sendloom_pool_connections',
    help: 'Connections to PostgreSQL, by pool and state; waiting: who waits for one',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount, options }] of pools) {
        connections.set({ pool, state: 'used' }, totalCount - idleCount);
        connections.set({ pool, state: 'idle' }, idleCount);
        connections.set({ pool, state: 'waiting' }, waitingCount);
        connections.set({ pool, state: 'max' }, options.max ?? 0);
      }
    },
  });

  return {
    registry,
    http: new Histogram({
      name: 'sendloom_http_request_duration_seconds',
      help: 'Requests by method, route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    emails: new Counter({
      name: 'sendloom_email_attempts_total',
      help: 'Attempts to hand an email to the mail server, by source and outcome: sent, failed, cancelled, retry',
      labelNames: ['source', 'outcome'],
      registers,
    }),
    delivery: new Histogram({
      name: 'sendloom_email_delivery_seconds',
      help: 'From rendering an email to the answer of the mail server',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    watchPool: (name, pool) => void pools.set(name, pool),
    watchQueues: (pool) => watchQueues(registry, pool),
  };
}

function watchQueues(registry: Registry, pool: Pool): void {
  const registers = [registry];
  // All of them are asked for at the same time in each scrape: the first asks the database, for all.
  let asked: Promise<QueueState | null> | null = null;
  const state = (): Promise<QueueState | null> =>
    (asked ??= withPatience(PATIENCE, queueState(pool)).finally(() => {
      asked = null;
    }));
  const gauge = (name: string, help: string, read: (found: QueueState) => number): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await state();
        // Prometheus' word for "unknown".
        made.set(found ? read(found) : Number.NaN);
      },
    });
  };
  gauge(
    'sendloom_outbox_lag_seconds',
    'Age of the oldest intent that has not reached Temporal',
    ({ outboxLag }) => outboxLag,
  );
  gauge('sendloom_outbox_intents', 'Intents in the outbox; counted up to 100,000', ({ outboxSize }) => outboxSize);
  gauge(
    'sendloom_dispatcher_lag_seconds',
    'How long the oldest transactional or automation email has been due',
    ({ dispatcherLag }) => dispatcherLag,
  );
  gauge('sendloom_workers_alive', 'Workers with a recent heartbeat', ({ workers }) => workers);
  const up = new Gauge({
    name: 'sendloom_database_up',
    help: 'Whether the database answered this scrape; where not, the figures of the queues are NaN',
    registers,
    async collect() {
      up.set((await state()) ? 1 : 0);
    },
  });
}
