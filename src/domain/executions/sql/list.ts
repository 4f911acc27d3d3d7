/** Pages of a workflow's executions. */
import type { Queryable } from '../../../db/pool.js';
import type { ExecutionStatus } from '../../../generated/prisma/enums.js';
import type { Cursor } from '../../pagination.js';
import type { ListedExecution } from '../list.js';

export interface ExecutionFilter {
  projectId: string;
  workflowId: string;
  status: ExecutionStatus | null;
  contactId: string | null;
  stepId: string | null;
  /** null: any contact. */
  contactIds: string[] | null;
  /** A LIKE pattern of the contact's address; null: any address. */
  pattern: string | null;
}

/** The conditions of the given filters, as SQL with the values from $1. */
function conditionsOf(filter: ExecutionFilter): { conditions: string[]; values: unknown[] } {
  const values: unknown[] = [filter.projectId, filter.workflowId];
  const conditions = ['x.project_id = $1', 'x.workflow_id = $2'];
  const add = (value: unknown, condition: (place: string) => string): void => {
    if (value === null) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add(filter.status, (place) => `x.status = ${place}::execution_status`);
  add(filter.stepId, (place) => `x.current_step_id = ${place}`);
  add(filter.contactId, (place) => `x.contact_id = ${place}`);
  add(filter.contactIds, (place) => `x.contact_id = ANY (${place}::uuid[])`);
  add(
    filter.pattern,
    (place) => `EXISTS (SELECT FROM contacts k
                         WHERE k.project_id = x.project_id AND k.id = x.contact_id AND k.email LIKE ${place})`,
  );
  return { conditions, values };
}

const isActive = (status: ExecutionStatus): boolean => status === 'RUNNING' || status === 'WAITING';

const ACTIVE = `x.status IN ('RUNNING', 'WAITING')`;
const ENDED = `x.status NOT IN ('RUNNING', 'WAITING')`;

/**
 * The parts of the list, each with an index of its own: with a status or a step, active executions are found by
 * workflow_executions_active_step_idx and sorted, and ended ones are read in order along workflow_executions_ended_idx
 * or workflow_executions_ended_step_idx.
 */
function partsOf({ status, stepId, contactId, contactIds }: ExecutionFilter): string[] {
  if ((status === null && stepId === null) || contactId !== null || contactIds !== null) return ['true'];
  if (status === null) return [ACTIVE, ENDED];
  return [isActive(status) ? ACTIVE : ENDED];
}

export interface ExecutionWindow {
  after: Cursor | null;
  limit: number;
  offset: number;
}

/** Returns executions, newest first. */
export async function selectExecutions(
  db: Queryable,
  filter: ExecutionFilter,
  { after, limit, offset }: ExecutionWindow,
): Promise<ListedExecution[]> {
  const { conditions, values } = conditionsOf(filter);
  if (after) {
    values.push(after.value, after.id);
    conditions.push(`(x.started_at, x.id) < ($${values.length - 1}::timestamptz, $${values.length}::uuid)`);
  }
  values.push(limit, offset);
  const [limitPlace, offsetPlace] = [`$${values.length - 1}::bigint`, `$${values.length}::bigint`];
  const order = 'ORDER BY x.started_at DESC, x.id DESC';
  const parts = partsOf(filter).map(
    (part) =>
      `(SELECT x.* FROM workflow_executions x WHERE ${[...conditions, part].join(' AND ')}
         ${order} LIMIT ${limitPlace} + ${offsetPlace})`,
  );
  const { rows } = await db.query<ListedExecution>(
    `SELECT x.id, x.workflow_id AS "workflowId", x.contact_id AS "contactId", c.email AS "contactEmail", x.status,
            x.current_step_id AS "currentStepId",
            -- The history outlives the step.
            coalesce(s.name, (SELECT e.step_name FROM step_executions e
                               WHERE e.project_id = $1 AND e.execution_id = x.id AND e.step_id = x.current_step_id
                               ORDER BY e.began_at DESC, e.id DESC LIMIT 1)) AS "currentStepName",
            x.exit_reason AS "exitReason", x.context, x.started_at AS "startedAt", x.completed_at AS "completedAt",
            x.wake_at AS "wakeAt"
       FROM (SELECT x.* FROM (${parts.join(' UNION ALL ')}) x ${order} LIMIT ${limitPlace} OFFSET ${offsetPlace}) x
       JOIN contacts c ON c.project_id = $1 AND c.id = x.contact_id
       LEFT JOIN workflow_steps s ON s.project_id = $1 AND s.workflow_id = $2 AND s.id = x.current_step_id
      ${order}`,
    values,
  );
  return rows;
}

/** Counts executions, at most `limit`. */
export async function countExecutions(db: Queryable, filter: ExecutionFilter, limit: number | null): Promise<number> {
  const { conditions, values } = conditionsOf(filter);
  const parts = partsOf(filter).map(
    (part) => `SELECT FROM workflow_executions x WHERE ${[...conditions, part].join(' AND ')}`,
  );
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM (${parts.join(' UNION ALL ')} LIMIT $${values.length + 1}::bigint) x`,
    [...values, limit],
  );
  return rows[0]?.count ?? 0;
}

/** Returns the ids of the contacts whose address matches a LIKE pattern; null if there are more than `limit`. */
export async function findContactsByEmail(
  db: Queryable,
  projectId: string,
  pattern: string,
  limit: number,
): Promise<string[] | null> {
  const { rows } = await db.query<{ id: string }>({
    name: 'executions-contacts-like',
    text: `SELECT id FROM contacts WHERE project_id = $1 AND email LIKE $2 LIMIT $3`,
    values: [projectId, pattern, limit + 1],
  });
  return rows.length > limit ? null : rows.map(({ id }) => id);
}
