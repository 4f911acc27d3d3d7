/** Ends an execution without a move. */
import type { Queryable } from '../../../db/pool.js';
import type { ExecutionKey } from './state.js';

export interface Ending extends ExecutionKey {
  now: Date;
  status: 'EXITED' | 'FAILED' | 'CANCELLED';
  reason: string;
  /** The status of the current step. */
  closes: 'FAILED' | 'CANCELLED';
}

/** Ends an active execution at any step. @returns false if it had already ended or does not exist */
export async function endExecution(
  db: Queryable,
  { projectId, executionId, now, status, reason, closes }: Ending,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-end',
    text: `WITH active AS (
             SELECT id, step_execution_id FROM workflow_executions
              WHERE project_id = $1 AND id = $2 AND status IN ('RUNNING', 'WAITING') FOR NO KEY UPDATE
           ), step AS MATERIALIZED (
             SELECT close_steps(ARRAY(SELECT step_execution_id FROM active), $6, $5,
                                CASE WHEN $6 = 'FAILED' THEN $5 END, $3::timestamptz)
           )
           UPDATE workflow_executions x
              SET status = $4, exit_reason = $5, completed_at = greatest($3::timestamptz, x.started_at),
                  step_execution_id = NULL, waiting_for = NULL, wake_at = NULL
             FROM active, step WHERE x.project_id = $1 AND x.id = active.id`,
    values: [projectId, executionId, now, status, reason, closes],
  });
  return rowCount === 1;
}
