/** SQL of the reconcile sweep. */
import type { PoolClient } from 'pg';
import type { Pool, Queryable } from '../db/pool.js';
import type { EndpointRef } from '../domain/webhooks/intents.js';

/** The key of the sweep's advisory lock. */
const SWEEP_LOCK_KEY = 7_301;

/** Runs `work` on a session that holds the sweep's lock. @returns null if another worker holds it */
export async function withReconcileLock<T>(pool: Pool, work: (session: PoolClient) => Promise<T>): Promise<T | null> {
  const session = await pool.connect();
  let broken: Error | undefined;
  // Between two statements, a lost connection is reported as an event only. It also releases the lock, so another
  // worker may repeat the sweep.
  const onError = (error: Error): void => {
    broken = error;
  };
  session.on('error', onError);
  try {
    const { rows } = await session.query<{ held: boolean }>(`SELECT pg_try_advisory_lock($1) AS held`, [
      SWEEP_LOCK_KEY,
    ]);
    if (!rows[0]?.held) return null;
    try {
      return await work(session);
    } finally {
      await session.query(`SELECT pg_advisory_unlock($1)`, [SWEEP_LOCK_KEY]).catch(onError);
    }
  } finally {
    session.off('error', onError);
    session.release(broken);
  }
}

export interface RunningCampaignRow {
  id: string;
  projectId: string;
  attempt: number;
  status: 'SCHEDULED' | 'SENDING';
  scheduledFor: Date | null;
}

export async function selectRunningCampaigns(db: Queryable): Promise<RunningCampaignRow[]> {
  const { rows } = await db.query<RunningCampaignRow>(
    `SELECT id, project_id AS "projectId", attempt, status, scheduled_for AS "scheduledFor"
       FROM campaigns WHERE status IN ('SCHEDULED', 'SENDING')`,
  );
  return rows;
}

export async function selectDomains(db: Queryable): Promise<Array<{ id: string; projectId: string; domain: string }>> {
  const { rows } = await db.query<{ id: string; projectId: string; domain: string }>(
    `SELECT id, project_id AS "projectId", domain FROM domains`,
  );
  return rows;
}

export async function selectEndpoints(db: Queryable): Promise<EndpointRef[]> {
  const { rows } = await db.query<EndpointRef>(
    `SELECT id AS "endpointId", project_id AS "projectId" FROM webhook_endpoints`,
  );
  return rows;
}

/**
 * Wakes endpoints that are idle although deliveries are due: the transaction that was to poke them was rolled back, while
 * another one relied on it (src/db/functions/insert_deliveries.sql).
 */
export async function wakeForgottenEndpoints(db: Queryable): Promise<EndpointRef[]> {
  const { rows } = await db.query<EndpointRef>(
    `UPDATE webhook_endpoints w SET idle = false
      WHERE w.idle AND w.enabled
        AND (SELECT d.next_attempt_at FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.status = 'PENDING'
              ORDER BY d.next_attempt_at LIMIT 1) < now()
     RETURNING id AS "endpointId", project_id AS "projectId"`,
  );
  return rows;
}

/**
 * Reads the sorted ids of all active executions in pages, as of the first page. It holds no transaction and no lock.
 *
 * @param session a connection that only the caller uses
 */
export async function* readActiveExecutions(session: PoolClient, pageSize: number): AsyncGenerator<string[]> {
  await session.query(
    `DECLARE active_executions NO SCROLL CURSOR WITH HOLD FOR
       SELECT id FROM workflow_executions WHERE status IN ('RUNNING', 'WAITING') ORDER BY id`,
  );
  try {
    for (;;) {
      const { rows } = await session.query<{ id: string }>(`FETCH ${Math.trunc(pageSize)} FROM active_executions`);
      yield rows.map(({ id }) => id);
      if (rows.length < pageSize) return;
    }
  } finally {
    await session.query('CLOSE active_executions');
  }
}

/** Returns those of these executions that are active and have no intent in the outbox. */
export async function selectActive(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'reconcile-active',
    text: `SELECT id FROM workflow_executions x
            WHERE id = ANY ($1::uuid[]) AND status IN ('RUNNING', 'WAITING')
              AND NOT EXISTS (SELECT FROM outbox o WHERE o.workflow_id = 'execution:' || x.id)`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

/**
 * Returns those of these executions that were deleted or ended at least a minute ago and have no intent in the outbox.
 * An execution that has just ended also ends its Temporal workflow.
 */
export async function selectEnded(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'reconcile-over',
    text: `SELECT t.id FROM unnest($1::uuid[]) AS t(id)
            WHERE NOT EXISTS (
                    SELECT FROM workflow_executions x
                     WHERE x.id = t.id AND (x.status IN ('RUNNING', 'WAITING')
                                            OR x.completed_at > now() - interval '1 minute'))
              AND NOT EXISTS (SELECT FROM outbox o WHERE o.workflow_id = 'execution:' || t.id)`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

/** Writes start intents for those of these executions that are still active. @returns how many */
export async function restartExecutions(db: Queryable, ids: string[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'reconcile-restart',
    text: `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT 'execution:' || id, 'start', execution_start(id, project_id, workflow_id, contact_id),
                  'execution/' || project_id
             FROM workflow_executions WHERE id = ANY ($1::uuid[]) AND status IN ('RUNNING', 'WAITING')`,
    values: [ids],
  });
  return rowCount ?? 0;
}
