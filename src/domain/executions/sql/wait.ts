/** The statements of a WAIT_FOR_EVENT. */
import type { Queryable } from '../../../db/pool.js';
import type { ExecutionKey } from './run.js';

/**
 * Holds the contact, so that none of its events is being written: an event's foreign key holds the contact FOR KEY
 * SHARE until it is committed. What is looked for in a statement after this one is there, or comes after this
 * transaction and finds the execution waiting.
 *
 * @returns false when there is no such contact
 */
export async function holdContact(tx: Queryable, projectId: string, contactId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'execution-hold-contact',
    text: `SELECT FROM contacts WHERE project_id = $1 AND id = $2 FOR UPDATE`,
    values: [projectId, contactId],
  });
  return rowCount === 1;
}

export interface AwaitedEvent {
  id: string;
  createdAt: Date;
}

export interface Awaited extends ExecutionKey {
  stepExecutionId: string;
  name: string;
  /** Milliseconds that the wait lasts; null: for ever. */
  timeout: number | null;
}

/**
 * The event that ends the wait that is under way: the oldest of that name and contact since the step before it began
 * (contract, section 7), and not after the wait's end. Not the event that started the execution, and none that has
 * ended another wait of it.
 */
export async function findAwaitedEvent(
  tx: Queryable,
  { projectId, executionId, stepExecutionId, name, timeout }: Awaited,
): Promise<AwaitedEvent | null> {
  const { rows } = await tx.query<AwaitedEvent>({
    name: 'execution-awaited-event',
    text: `SELECT v.id, v.created_at AS "createdAt"
             FROM workflow_executions x
             JOIN step_executions w ON w.project_id = x.project_id AND w.id = x.step_execution_id
             JOIN events v ON v.project_id = x.project_id AND v.name = $4 AND v.contact_id = x.contact_id
            WHERE x.project_id = $1 AND x.id = $2 AND x.step_execution_id = $3
              AND v.created_at >= coalesce((SELECT b.began_at FROM step_executions b WHERE b.project_id = x.project_id AND b.execution_id = x.id AND (b.began_at, b.id) < (w.began_at, w.id)
                                             ORDER BY b.began_at DESC, b.id DESC LIMIT 1), w.began_at)
              AND ($5::float8 IS NULL OR v.created_at <= w.began_at + $5::float8 * interval '1 millisecond')
              AND v.id IS DISTINCT FROM x.trigger_event_id
              AND NOT EXISTS (SELECT FROM step_executions o WHERE o.execution_id = x.id AND o.event_id = v.id)
            ORDER BY v.created_at, v.id LIMIT 1`,
    values: [projectId, executionId, stepExecutionId, name, timeout],
  });
  return rows[0] ?? null;
}
