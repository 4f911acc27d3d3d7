/** What a WEBHOOK step that is under way sends, and what came of it. */
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';

export interface WebhookKey {
  projectId: string;
  executionId: string;
  stepExecutionId: string;
}

export interface OpenWebhook {
  /** The step's, as it is now. */
  config: unknown;
  output: { [key: string]: JsonValue } | null;
  contact: { id: string; email: string; subscribed: boolean; data: { [key: string]: JsonValue } };
  workflow: { id: string; name: string };
  context: { [key: string]: JsonValue };
  startedAt: Date;
}

/** Of x, the execution, and e, the step execution that it is at: both are open. */
const OPEN = `x.project_id = $1 AND x.id = $2 AND x.step_execution_id = $3 AND x.status IN ('RUNNING', 'WAITING')
   AND e.project_id = $1 AND e.id = $3 AND e.step_type = 'WEBHOOK' AND e.status IN ('RUNNING', 'WAITING')`;

/** @returns null when the execution is no longer at the step, the step was deleted, or the project is disabled */
export async function loadOpenWebhook(
  db: Queryable,
  { projectId, executionId, stepExecutionId }: WebhookKey,
): Promise<OpenWebhook | null> {
  const { rows } = await db.query<OpenWebhook>({
    name: 'webhook-load',
    text: `SELECT s.config, e.output, jsonb_build_object('id', c.id, 'email', c.email, 'subscribed', c.subscribed, 'data', c.data) AS contact,
                  jsonb_build_object('id', w.id, 'name', w.name) AS workflow, x.context, x.started_at AS "startedAt"
             FROM workflow_executions x
             JOIN projects p ON p.id = x.project_id AND NOT p.disabled
             JOIN step_executions e ON e.execution_id = x.id
             JOIN workflows w ON w.project_id = x.project_id AND w.id = x.workflow_id
             JOIN workflow_steps s ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.id = e.step_id
             JOIN contacts c ON c.project_id = x.project_id AND c.id = x.contact_id
            WHERE ${OPEN}`,
    values: [projectId, executionId, stepExecutionId],
  });
  return rows[0] ?? null;
}

/**
 * Keeps the output of an attempt, unless the step has its outcome already.
 *
 * @returns false when the execution is no longer at the step, or an attempt before was the last one
 */
export async function recordAttempt(
  db: Queryable,
  { projectId, executionId, stepExecutionId }: WebhookKey,
  output: { [key: string]: JsonValue },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhook-record',
    text: `UPDATE step_executions e SET output = $4::jsonb
             FROM workflow_executions x
            WHERE ${OPEN} AND coalesce(e.output ->> 'outcome', 'retry') = 'retry'`,
    values: [projectId, executionId, stepExecutionId, JSON.stringify(output)],
  });
  return rowCount === 1;
}
