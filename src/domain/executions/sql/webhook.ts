/** The statements of a WEBHOOK step, and those of the project's webhook secret. */
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';

export interface WebhookKey {
  projectId: string;
  executionId: string;
  stepExecutionId: string;
}

export interface OpenWebhook {
  /** The step's present config. */
  config: unknown;
  output: { [key: string]: JsonValue } | null;
  contact: { id: string; email: string; subscribed: boolean; data: { [key: string]: JsonValue } };
  workflow: { id: string; name: string };
  context: { [key: string]: JsonValue };
  startedAt: Date;
}

/** Returns null if the execution is no longer at the step, the step was deleted, or the project is disabled. */
export async function loadOpenWebhook(
  db: Queryable,
  { projectId, executionId, stepExecutionId }: WebhookKey,
): Promise<OpenWebhook | null> {
  const { rows } = await db.query<OpenWebhook>({
    name: 'webhook-load',
    text: `SELECT s.config, e.output,
                  jsonb_build_object(
                    'id', c.id, 'email', c.email, 'subscribed', c.subscribed, 'data', c.data) AS contact,
                  jsonb_build_object('id', w.id, 'name', w.name) AS workflow,
                  x.context, x.started_at AS "startedAt"
             FROM workflow_executions x
             JOIN projects p ON p.id = x.project_id AND NOT p.disabled
             JOIN step_executions e ON e.execution_id = x.id
             JOIN workflows w ON w.project_id = x.project_id AND w.id = x.workflow_id
             JOIN workflow_steps s
               ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.id = e.step_id
             JOIN contacts c ON c.project_id = x.project_id AND c.id = x.contact_id
            WHERE x.project_id = $1 AND x.id = $2 AND x.step_execution_id = $3 AND x.status IN ('RUNNING', 'WAITING')
              AND e.project_id = $1 AND e.id = $3 AND e.step_type = 'WEBHOOK' AND e.status IN ('RUNNING', 'WAITING')`,
    values: [projectId, executionId, stepExecutionId],
  });
  return rows[0] ?? null;
}

/**
 * Stores the output of an attempt, unless the step already has its outcome.
 *
 * @returns false if the execution is no longer at the step, or an earlier attempt was the last one
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
            WHERE x.project_id = $1 AND x.id = $2 AND x.step_execution_id = $3 AND x.status IN ('RUNNING', 'WAITING')
              AND e.project_id = $1 AND e.id = $3 AND e.step_type = 'WEBHOOK' AND e.status IN ('RUNNING', 'WAITING')
              AND coalesce(e.output ->> 'outcome', 'retry') = 'retry'`,
    values: [projectId, executionId, stepExecutionId, JSON.stringify(output)],
  });
  return rowCount === 1;
}

/** Returns the encrypted secret; null if the project has none or does not exist. */
export async function findWebhookSecret(db: Queryable, projectId: string): Promise<string | null> {
  const { rows } = await db.query<{ secret: string | null }>({
    name: 'webhook-secret',
    text: `SELECT webhook_secret AS secret FROM projects WHERE id = $1`,
    values: [projectId],
  });
  return rows[0]?.secret ?? null;
}

/** Stores the project's encrypted secret unless it has one. Of concurrent calls, the first one wins. */
export async function storeWebhookSecret(db: Queryable, projectId: string, secret: string): Promise<void> {
  await db.query({
    name: 'webhook-secret-store',
    text: `UPDATE projects SET webhook_secret = $2, updated_at = now() WHERE id = $1 AND webhook_secret IS NULL`,
    values: [projectId, secret],
  });
}
