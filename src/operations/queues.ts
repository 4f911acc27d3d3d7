/** How far behind the queues are, for metrics. */
import type { Queryable } from '../db/pool.js';

export interface QueueState {
  /**
   * Seconds that the oldest intent has waited, however often it was tried and put off meanwhile; 0 when there is none.
   */
  outboxLag: number;
  /** At most 100,000. */
  outboxSize: number;
  /** Seconds that the oldest due email of no campaign has waited; 0 when none is due. */
  dispatcherLag: number;
  workers: number;
}

export async function queueState(db: Queryable): Promise<QueueState> {
  const { rows } = await db.query<QueueState>({
    name: 'queue-state',
    text: `SELECT greatest(0, coalesce(extract(epoch FROM now() - (SELECT created_at FROM outbox ORDER BY id LIMIT 1)), 0))::float8 AS "outboxLag",
                  (SELECT count(*) FROM (SELECT FROM outbox LIMIT 100000) o)::int AS "outboxSize",
                  greatest(0, coalesce(extract(epoch FROM now() - (SELECT min(next_attempt_at) FROM emails WHERE status = 'PENDING' AND campaign_id IS NULL)), 0))::float8 AS "dispatcherLag",
                  (SELECT count(*) FROM worker_instances WHERE heartbeat_at > now() - interval '30 seconds')::int AS workers`,
  });
  const [state] = rows;
  if (!state) throw new Error('The state of the queues has one row');
  return state;
}
