/** Prometheus metrics, with one registry per process. No label has an address, a project, or an id. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool, Queryable } from '../db/pool.js';
import { withTimeout } from './readiness.js';

export interface Metrics {
  registry: Registry;
  /** Seconds from a request's first byte to the end of its response. */
  http: Histogram<'method' | 'route' | 'status'>;
  /** Attempts to send an email, by outcome. */
  emails: Counter<'source' | 'outcome'>;
  /** Seconds from rendering to the mail server's reply. */
  delivery: Histogram<'outcome'>;
  /** Failed operations on a worker's journal. */
  journalFailures: Counter;
  /** Attempts to deliver a webhook, by outcome. */
  webhooks: Counter<'outcome'>;
  /** Seconds from a webhook's request to the end of the response. */
  webhookRequest: Histogram<'outcome'>;
  /** Adds gauges of the pool's connections. */
  watchPool(name: string, pool: Pool): void;
  /** Adds gauges of the outbox and the email queue, which are read once per scrape. */
  watchQueues(pool: Pool): void;
}

/** Less than Prometheus' default scrape timeout of 10 s. */
const QUERY_TIMEOUT_MS = 3000;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const pools = new Map<string, Pool>();
  const connections = new Gauge({
    name: 'sendloom_pool_connections',
    help: 'Connections to PostgreSQL, by pool and state; waiting: callers that wait for one',
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
      help: 'Requests by method, route, and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    emails: new Counter({
      name: 'sendloom_email_attempts_total',
      help: 'Attempts to send an email, by source and outcome: sent, failed, cancelled, retry',
      labelNames: ['source', 'outcome'],
      registers,
    }),
    delivery: new Histogram({
      name: 'sendloom_email_delivery_seconds',
      help: 'From rendering an email to the reply of the mail server',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    journalFailures: new Counter({
      name: 'sendloom_journal_failures_total',
      help: 'Failed operations on the journal of campaigns; sending continues without it',
      registers,
    }),
    webhooks: new Counter({
      name: 'sendloom_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook endpoint, by outcome: delivered, retry, failed, discarded',
      labelNames: ['outcome'],
      registers,
    }),
    webhookRequest: new Histogram({
      name: 'sendloom_webhook_request_seconds',
      help: 'Requests to webhook endpoints, from the request to the end of the response',
      labelNames: ['outcome'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    watchPool: (name, pool) => void pools.set(name, pool),
    watchQueues: (pool) => watchQueues(registry, pool),
  };
}

function watchQueues(registry: Registry, pool: Pool): void {
  const registers = [registry];
  // A scrape collects all gauges concurrently, and they share one query.
  let pending: Promise<QueueState | null> | null = null;
  const readState = (): Promise<QueueState | null> =>
    (pending ??= withTimeout(QUERY_TIMEOUT_MS, readQueueState(pool)).finally(() => {
      pending = null;
    }));
  const gauge = (name: string, help: string, read: (found: QueueState) => number): void => {
    const created: Gauge = new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await readState();
        // NaN means "unknown" in Prometheus.
        created.set(found ? read(found) : Number.NaN);
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
  gauge(
    'sendloom_webhook_lag_seconds',
    'How long the oldest delivery of a webhook has been due; paused and disabled endpoints do not count',
    ({ webhookLag }) => webhookLag,
  );
  gauge('sendloom_workers_alive', 'Workers with a recent heartbeat', ({ workers }) => workers);
  const up = new Gauge({
    name: 'sendloom_database_up',
    help: 'Whether the database answered this scrape; otherwise, the gauges of the queues are NaN',
    registers,
    async collect() {
      up.set((await readState()) ? 1 : 0);
    },
  });
}

interface QueueState {
  /** Age of the oldest intent in seconds, including retries; 0 without intents. */
  outboxLag: number;
  /** Counted up to 100,000. */
  outboxSize: number;
  /** Seconds since the oldest email outside of campaigns became due; 0 if none is due. */
  dispatcherLag: number;
  /** Seconds since the oldest delivery of an endpoint that is not paused became due; 0 if none is due. */
  webhookLag: number;
  workers: number;
}

async function readQueueState(db: Queryable): Promise<QueueState> {
  const { rows } = await db.query<QueueState>({
    name: 'queue-state',
    // Scheduled emails are read project by project, because there can be millions.
    text: `WITH RECURSIVE scheduled AS (
             (SELECT (source = 'WORKFLOW') AS automation, uuid_send(project_id) AS project, is_ordered, next_attempt_at
                FROM emails WHERE stage = 'SCHEDULED' AND campaign_id IS NULL ORDER BY 1, 2, 3, 4 LIMIT 1)
             UNION ALL
             SELECT n.* FROM scheduled s CROSS JOIN LATERAL (
               SELECT (source = 'WORKFLOW'), uuid_send(project_id), is_ordered, next_attempt_at FROM emails
                WHERE stage = 'SCHEDULED' AND campaign_id IS NULL
                  AND ((source = 'WORKFLOW'), uuid_send(project_id), is_ordered) > (s.automation, s.project, s.is_ordered)
                ORDER BY 1, 2, 3, 4 LIMIT 1) n
           )
           SELECT greatest(0, coalesce(extract(epoch FROM now() - (
                    SELECT created_at FROM outbox ORDER BY id LIMIT 1)), 0))::float8 AS "outboxLag",
                  (SELECT count(*) FROM (SELECT FROM outbox LIMIT 100000) o)::int AS "outboxSize",
                  greatest(0, coalesce(extract(epoch FROM now() - least(
                    (SELECT min(next_attempt_at) FROM emails WHERE stage = 'PENDING' AND campaign_id IS NULL),
                    (SELECT min(next_attempt_at) FROM scheduled))), 0))::float8 AS "dispatcherLag",
                  greatest(0, coalesce(extract(epoch FROM now() - (
                    SELECT min(d.next_attempt_at) FROM webhook_endpoints w
                     CROSS JOIN LATERAL (
                       SELECT next_attempt_at FROM webhook_deliveries
                        WHERE endpoint_id = w.id AND status = 'PENDING' ORDER BY next_attempt_at LIMIT 1) d
                     WHERE w.enabled AND (w.paused_until IS NULL OR w.paused_until < now()))), 0))::float8 AS "webhookLag",
                  (SELECT count(*) FROM worker_instances
                    WHERE heartbeat_at > now() - interval '30 seconds')::int AS workers`,
  });
  const [state] = rows;
  if (!state) throw new Error('The query of the queue state returned no row');
  return state;
}
