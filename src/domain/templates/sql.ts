/** Templates: the list with its search, and what a deletion touches. */
import type { Template as TemplateModel } from '../../generated/prisma/client.js';
import type { Queryable } from '../../db/pool.js';

export type TemplateRow = Omit<TemplateModel, 'version'>;

const COLUMNS = `id, project_id AS "projectId", name, description, subject, body, from_email AS "from", from_name AS "fromName", reply_to AS "replyTo", type,
                 created_at AS "createdAt", updated_at AS "updatedAt"`;

const SORTS = { createdAt: 'created_at', name: 'name', updatedAt: 'updated_at' } as const;

export interface TemplateFilter {
  projectId: string;
  type?: TemplateRow['type'];
  /** A LIKE pattern for name, description and subject, matched in any case. */
  pattern?: string;
}

export interface TemplatePage extends TemplateFilter {
  sort: keyof typeof SORTS;
  dir: 'asc' | 'desc';
  limit: number;
  offset: number;
}

function conditions({ projectId, type, pattern }: TemplateFilter): { where: string; values: unknown[] } {
  const clauses = ['project_id = $1'];
  const values: unknown[] = [projectId];
  if (type !== undefined) clauses.push(`type = $${values.push(type)}`);
  if (pattern !== undefined) {
    const place = `$${values.push(pattern)}`;
    clauses.push(`(name ILIKE ${place} OR description ILIKE ${place} OR subject ILIKE ${place})`);
  }
  return { where: clauses.join(' AND '), values };
}

export async function selectTemplates(
  db: Queryable,
  { sort, dir, limit, offset, ...filter }: TemplatePage,
): Promise<TemplateRow[]> {
  const { where, values } = conditions(filter);
  const direction = dir === 'asc' ? 'ASC' : 'DESC';
  const { rows } = await db.query<TemplateRow>(
    `SELECT ${COLUMNS} FROM templates WHERE ${where} ORDER BY ${SORTS[sort]} ${direction}, id ${direction} LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
    values,
  );
  return rows;
}

export async function countTemplates(db: Queryable, filter: TemplateFilter): Promise<number> {
  const { where, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(`SELECT count(*) AS count FROM templates WHERE ${where}`, values);
  return rows[0]?.count ?? 0;
}

/**
 * Locks the row, so that until the end of the transaction no step or campaign can begin to refer to it; false when
 * there is none.
 */
export async function lockTemplate(tx: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'template-lock',
    text: `SELECT 1 FROM templates WHERE project_id = $1 AND id = $2 FOR UPDATE`,
    values: [projectId, id],
  });
  return rowCount === 1;
}

export interface StepRef {
  id: string;
  name: string;
  workflowId: string;
  workflowName: string;
}

/** The workflow steps that send a template, in the order of their creation. */
export async function stepsOfTemplate(db: Queryable, projectId: string, templateId: string): Promise<StepRef[]> {
  const { rows } = await db.query<StepRef>({
    name: 'template-steps',
    text: `SELECT s.id, s.name, s.workflow_id AS "workflowId", w.name AS "workflowName"
             FROM workflow_steps s JOIN workflows w ON w.project_id = s.project_id AND w.id = s.workflow_id
            WHERE s.project_id = $1 AND s.template_id = $2 ORDER BY s.created_at, s.id`,
    values: [projectId, templateId],
  });
  return rows;
}

/**
 * Deletes a locked template. The campaigns that were made from it keep their own content and only forget where it came
 * from.
 */
export async function deleteTemplateRow(tx: Queryable, projectId: string, id: string): Promise<void> {
  await tx.query({
    name: 'template-forget',
    text: `UPDATE campaigns SET template_id = NULL WHERE project_id = $1 AND template_id = $2`,
    values: [projectId, id],
  });
  await tx.query({
    name: 'template-delete',
    text: `DELETE FROM templates WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
}
