/**
 * The transactional outbox: intents for Temporal, written in the transaction of the rows that they belong to, and carried over by
 * the relay in order per workflow id.
 */
import type { Queryable } from '../pool.js';

/** A start of a Temporal workflow. Arguments are ids and numbers, never addresses or content. */
export interface StartIntent {
  action: 'start';
  workflowId: string;
  workflowType: string;
  taskQueue: 'automation' | 'bulk' | 'system';
  args: unknown[];
  projectId?: string;
  resourceId?: string;
  resourceKind: 'campaign' | 'domain' | 'import' | 'bulk' | 'execution' | 'maintenance';
  /** Of an execution: the workflow that a user drew, and the contact. */
  sourceWorkflowId?: string;
  contactId?: string;
  /** Shown in the Temporal Web UI. */
  summary?: string;
  /** ISO time before which the first workflow task is not to run. */
  startAt?: string;
}

/** A poke: "look at your row". */
export interface SignalIntent {
  action: 'signal';
  workflowId: string;
  signal: string;
}

/** Ends a workflow whose row is already in its final state. */
export interface CancelIntent {
  action: 'cancel';
  workflowId: string;
  reason: string;
}

export type Intent = StartIntent | SignalIntent | CancelIntent;

/** Writes intents in the caller's transaction. The caller wakes the relay (topic `outbox`) after the commit. */
export async function enqueue(tx: Queryable, intents: Intent[]): Promise<void> {
  if (intents.length === 0) return;
  await tx.query({
    name: 'outbox-enqueue',
    text: `INSERT INTO outbox (workflow_id, action, payload) SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])`,
    values: [intents.map((i) => i.workflowId), intents.map((i) => i.action), intents.map((i) => JSON.stringify(i))],
  });
}

export interface OutboxRow {
  id: number;
  workflowId: string;
  payload: Intent;
  attempts: number;
}

/**
 * Claims due intents, the oldest of each workflow id only, so that those of one id are carried over in their order.
 *
 * The claim is a lease: an intent whose relay died is due again after `leaseSeconds`, and a repeat is harmless.
 */
export async function claimIntents(db: Queryable, limit: number, leaseSeconds: number): Promise<OutboxRow[]> {
  const { rows } = await db.query<OutboxRow>({
    name: 'outbox-claim',
    text: `UPDATE outbox o SET locked_until = now() + make_interval(secs => $2), attempts = attempts + 1
            WHERE id IN (
              SELECT id FROM outbox c
               WHERE available_at <= now() AND (locked_until IS NULL OR locked_until < now())
                 AND NOT EXISTS (SELECT FROM outbox earlier WHERE earlier.workflow_id = c.workflow_id AND earlier.id < c.id)
               ORDER BY available_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING id, workflow_id AS "workflowId", payload, attempts`,
    values: [limit, leaseSeconds],
  });
  return rows.sort((a, b) => a.id - b.id);
}

export async function deleteIntents(db: Queryable, ids: number[]): Promise<void> {
  await db.query({ name: 'outbox-delete', text: `DELETE FROM outbox WHERE id = ANY ($1::bigint[])`, values: [ids] });
}

/** Puts an intent off after a failure; the reason stays on the row for operators. */
export async function postponeIntent(db: Queryable, id: number, delayMs: number, reason: string): Promise<void> {
  await db.query({
    name: 'outbox-postpone',
    text: `UPDATE outbox SET locked_until = NULL, available_at = now() + make_interval(secs => $2::float8 / 1000), last_error = left($3, 1000) WHERE id = $1`,
    values: [id, delayMs, reason],
  });
}

/** The workflow ids that still have an intent under way: reconcile leaves those alone. Without those of executions, which can be many, and are asked for by id. */
export async function pendingWorkflowIds(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ workflowId: string }>(`SELECT DISTINCT workflow_id AS "workflowId" FROM outbox WHERE workflow_id NOT LIKE 'execution:%'`);
  return new Set(rows.map((row) => row.workflowId));
}
