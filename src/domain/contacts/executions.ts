/** `GET /contacts/:id/executions` */
import type { Context } from '../../context.js';
import type { Execution } from '../executions/get.js';
import { decodeCursor, encodeCursor, invalidCursor, isTimestamp, type CursorPage } from '../pagination.js';
import { getContact } from './get.js';

/** An execution in the list of a contact. */
export interface ContactExecution extends Execution {
  workflowName: string;
}

/**
 * Returns a page of a contact's executions, newest first. `total` is 0 after the first page (specification, Limits).
 *
 * The index by contact finds all executions of the contact, which PostgreSQL then sorts: a contact has at most a few
 * hundred.
 *
 * @throws CONTACT_NOT_FOUND (404); VALIDATION_ERROR (422, field `cursor`) for a cursor of another list
 */
export async function listContactExecutions(
  ctx: Context,
  projectId: string,
  contactId: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<CursorPage<ContactExecution>> {
  const { id } = await getContact(ctx, projectId, contactId);
  const before = cursor === undefined ? undefined : decodeCursor(cursor);
  if (before && !isTimestamp(before.value)) throw invalidCursor();
  const { rows } = await ctx.pool.query<ContactExecution & { total: number }>({
    name: 'contact-executions',
    text: `WITH found AS MATERIALIZED (
             SELECT x.* FROM workflow_executions x WHERE x.contact_id = $2 AND x.project_id = $1)
           SELECT x.id, x.workflow_id AS "workflowId", w.name AS "workflowName", x.contact_id AS "contactId", x.status,
                  x.current_step_id AS "currentStepId", x.exit_reason AS "exitReason", x.context,
                  x.started_at AS "startedAt", x.completed_at AS "completedAt", (SELECT count(*) FROM found) AS total
             FROM found x JOIN workflows w ON w.project_id = $1 AND w.id = x.workflow_id
            WHERE $3::timestamptz IS NULL OR (x.started_at, x.id) < ($3::timestamptz, $4::uuid)
            ORDER BY x.started_at DESC, x.id DESC LIMIT $5`,
    values: [projectId, id, before?.value ?? null, before?.id ?? null, limit + 1],
  });
  const data = rows.slice(0, limit).map(({ total: _total, ...row }) => row);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor: hasMore && last ? encodeCursor({ value: last.startedAt.toISOString(), id: last.id }) : null,
    hasMore,
    total: before ? 0 : (rows[0]?.total ?? 0),
  };
}
