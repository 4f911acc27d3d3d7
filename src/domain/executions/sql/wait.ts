/** The waits of an execution, and the events that end them. */
import type { Queryable } from '../../../db/pool.js';
import type { StepOutput } from './move.js';
import type { ExecutionKey } from './state.js';

export interface Wait extends ExecutionKey {
  stepExecutionId: string;
  /** null waits without a time limit, for the event. */
  wakeAt: Date | null;
  waitingFor: string | null;
  output: StepOutput;
}

/**
 * Marks the current step and its execution as WAITING for a time, for an event, or for both.
 *
 * @returns false if it is no longer the current step
 */
export async function markWaiting(
  db: Queryable,
  { projectId, executionId, stepExecutionId, wakeAt, waitingFor, output }: Wait,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-hold',
    text: `WITH waiting AS (
             UPDATE workflow_executions SET status = 'WAITING', wake_at = $4, waiting_for = $5
              WHERE project_id = $1 AND id = $2 AND status IN ('RUNNING', 'WAITING') AND step_execution_id = $3
             RETURNING 1
           )
           UPDATE step_executions e SET status = 'WAITING', wake_at = $4, output = $6
             FROM waiting WHERE e.project_id = $1 AND e.id = $3`,
    values: [projectId, executionId, stepExecutionId, wakeAt, waitingFor, JSON.stringify(output)],
  });
  return rowCount === 1;
}

/**
 * Locks the contact, so that no transaction is writing one of the events that it can wait for: start_and_poke locks the
 * contact FOR KEY SHARE until the commit. The next statement of this transaction sees every event that was written before. An event
 * that is written later finds the execution as this transaction leaves it.
 *
 * @returns false if the contact does not exist
 */
export async function lockContactEvents(tx: Queryable, projectId: string, contactId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'execution-lock-contact',
    text: `SELECT FROM contacts WHERE project_id = $1 AND id = $2 FOR UPDATE`,
    values: [projectId, contactId],
  });
  return rowCount === 1;
}

export interface AwaitedEvent {
  id: string;
  createdAt: Date;
}

export interface EventWait extends ExecutionKey {
  stepExecutionId: string;
  name: string;
  /** The length of the wait; null for no limit. */
  timeoutMs: number | null;
}

/**
 * Returns the event that ends the current wait: the contact's oldest event of that name since the previous step began
 * (contract, section 7) and before the timeout. The event that started the execution does not count, nor does an event
 * that has ended another of its waits.
 */
export async function findAwaitedEvent(
  tx: Queryable,
  { projectId, executionId, stepExecutionId, name, timeoutMs }: EventWait,
): Promise<AwaitedEvent | null> {
  const { rows } = await tx.query<AwaitedEvent>({
    name: 'execution-awaited-event',
    text: `SELECT v.id, v.created_at AS "createdAt"
             FROM workflow_executions x
             JOIN step_executions w ON w.project_id = x.project_id AND w.id = x.step_execution_id
             JOIN events v ON v.project_id = x.project_id AND v.name = $4 AND v.contact_id = x.contact_id
            WHERE x.project_id = $1 AND x.id = $2 AND x.step_execution_id = $3
              AND v.created_at >= coalesce((
                    SELECT b.began_at FROM step_executions b
                     WHERE b.project_id = x.project_id AND b.execution_id = x.id
                       AND (b.began_at, b.id) < (w.began_at, w.id)
                     ORDER BY b.began_at DESC, b.id DESC LIMIT 1), w.began_at)
              AND ($5::float8 IS NULL OR v.created_at <= w.began_at + $5::float8 * interval '1 millisecond')
              AND v.id IS DISTINCT FROM x.trigger_event_id
              AND NOT EXISTS (SELECT FROM step_executions o WHERE o.execution_id = x.id AND o.event_id = v.id)
            ORDER BY v.created_at, v.id LIMIT 1`,
    values: [projectId, executionId, stepExecutionId, name, timeoutMs],
  });
  return rows[0] ?? null;
}
