/** The rows that should have a running Temporal workflow. */
import type { PoolClient } from 'pg';
import type { Pool, Queryable } from '../db/pool.js';

/** Of our advisory locks the one that the sweep holds. */
const SWEEP = 7_301;

/** Runs `work` on a session that keeps all other workers from it meanwhile. @returns null when one of them is at it */
export async function whileNobodyElse<T>(pool: Pool, work: (session: PoolClient) => Promise<T>): Promise<T | null> {
  const session = await pool.connect();
  let broken: Error | undefined;
  // Between two statements a lost connection is only an event; the lock is gone with it, which costs a second look at
  // the same things.
  const onError = (error: Error): void => {
    broken = error;
  };
  session.on('error', onError);
  try {
    const { rows } = await session.query<{ held: boolean }>(`SELECT pg_try_advisory_lock($1) AS held`, [SWEEP]);
    if (!rows[0]?.held) return null;
    try {
      return await work(session);
    } finally {
      await session.query(`SELECT pg_advisory_unlock($1)`, [SWEEP]).catch(onError);
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

export async function runningCampaigns(db: Queryable): Promise<RunningCampaignRow[]> {
  const { rows } = await db.query<RunningCampaignRow>(
    `SELECT id, project_id AS "projectId", attempt, status, scheduled_for AS "scheduledFor" FROM campaigns WHERE status IN ('SCHEDULED', 'SENDING')`,
  );
  return rows;
}

export async function allDomains(db: Queryable): Promise<Array<{ id: string; projectId: string; domain: string }>> {
  const { rows } = await db.query<{ id: string; projectId: string; domain: string }>(
    `SELECT id, project_id AS "projectId", domain FROM domains`,
  );
  return rows;
}

/**
 * The ids of all active executions in their order, in pages, as they were when it began: neither a transaction nor a
 * lock is held meanwhile.
 *
 * @param session a connection of the caller's own
 */
export async function* activeExecutions(session: PoolClient, pageSize: number): AsyncGenerator<string[]> {
  await session.query(
    `DECLARE active_executions NO SCROLL CURSOR WITH HOLD FOR SELECT id FROM workflow_executions WHERE status IN ('RUNNING', 'WAITING') ORDER BY id`,
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

/** Of these executions those that are active, and for whose Temporal workflow nothing is under way. */
export async function activeAmong(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'reconcile-active',
    text: `SELECT id FROM workflow_executions x
            WHERE id = ANY ($1::uuid[]) AND status IN ('RUNNING', 'WAITING') AND NOT EXISTS (SELECT FROM outbox o WHERE o.workflow_id = 'execution:' || x.id)`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

/**
 * Of these executions those that are gone or have ended a while ago (one that ends just now also ends its Temporal
 * workflow), and for whose Temporal workflow nothing is under way.
 */
export async function overAmong(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'reconcile-over',
    text: `SELECT t.id FROM unnest($1::uuid[]) AS t(id)
            WHERE NOT EXISTS (SELECT FROM workflow_executions x WHERE x.id = t.id AND (x.status IN ('RUNNING', 'WAITING') OR x.completed_at > now() - interval '1 minute'))
              AND NOT EXISTS (SELECT FROM outbox o WHERE o.workflow_id = 'execution:' || t.id)`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

/** Writes new start intents for those of these executions that are active still. @returns how many */
export async function restartExecutions(db: Queryable, ids: string[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'reconcile-restart',
    text: `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT 'execution:' || id, 'start', execution_start(id, project_id, workflow_id, contact_id), 'execution/' || project_id FROM workflow_executions WHERE id = ANY ($1::uuid[]) AND status IN ('RUNNING', 'WAITING')`,
    values: [ids],
  });
  return rowCount ?? 0;
}
