/** The statements for the list, the usage, and the deletion of templates. */
import type { Template as TemplateModel, TemplateVersion as VersionModel } from '../../generated/prisma/client.js';
import type { Queryable } from '../../db/pool.js';
import type { EditedBody } from '../content/design.js';

export type TemplateRow = Omit<TemplateModel, 'version' | 'incomplete' | 'changedBy'>;

const COLUMNS = `id, project_id AS "projectId", name, description, subject, preheader, body, editor, design, revision, from_email AS "from",
                 from_name AS "fromName", reply_to AS "replyTo", type, draft,
                 created_at AS "createdAt", updated_at AS "updatedAt"`;

const SORTS = { createdAt: 'created_at', name: 'name', updatedAt: 'updated_at' } as const;

export interface TemplateFilter {
  projectId: string;
  type?: TemplateRow['type'];
  draft?: boolean;
  /** A case-insensitive LIKE pattern for name, description, and subject. */
  pattern?: string;
}

export interface TemplatePage extends TemplateFilter {
  sort: keyof typeof SORTS;
  dir: 'asc' | 'desc';
  limit: number;
  offset: number;
}

function conditions({ projectId, type, draft, pattern }: TemplateFilter): { where: string; values: unknown[] } {
  const clauses = ['project_id = $1'];
  const values: unknown[] = [projectId];
  if (type !== undefined) clauses.push(`type = $${values.push(type)}`);
  if (draft !== undefined) clauses.push(`draft = $${values.push(draft)}`);
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
    `SELECT ${COLUMNS} FROM templates WHERE ${where}
       ORDER BY ${SORTS[sort]} ${direction}, id ${direction}
       LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
    values,
  );
  return rows;
}

export async function countTemplates(db: Queryable, filter: TemplateFilter): Promise<number> {
  const { where, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(`SELECT count(*) AS count FROM templates WHERE ${where}`, values);
  return rows[0]?.count ?? 0;
}

/** Returns the body of a template for a campaign. */
export async function findTemplateBody(db: Queryable, projectId: string, id: string): Promise<EditedBody | null> {
  const { rows } = await db.query<EditedBody>({
    name: 'template-body',
    text: `SELECT editor, design, body FROM templates WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

/** Locks a template, so that no step or campaign can begin to reference it. @returns null if it does not exist */
export async function lockTemplate(tx: Queryable, projectId: string, id: string): Promise<{ revision: number } | null> {
  const { rows } = await tx.query<{ revision: number }>({
    name: 'template-lock',
    text: `SELECT revision FROM templates WHERE project_id = $1 AND id = $2 FOR UPDATE`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

/** Returns those of the given templates that are drafts. */
export async function selectDrafts(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
): Promise<Array<Pick<TemplateRow, 'id' | 'name' | 'subject' | 'preheader' | 'body' | 'design' | 'from' | 'type'>>> {
  const { rows } = await db.query<TemplateRow>({
    name: 'template-drafts',
    text: `SELECT id, name, subject, preheader, body, design, from_email AS "from", type
             FROM templates WHERE project_id = $1 AND id = ANY ($2) AND draft`,
    values: [projectId, ids],
  });
  return rows;
}

/** Returns the versions of a template that are older than one of them, newest first. */
export async function selectVersions(
  db: Queryable,
  { projectId, templateId, before, limit }: { projectId: string; templateId: string; before: number; limit: number },
): Promise<Array<Pick<VersionModel, 'version' | 'subject' | 'createdAt' | 'createdBy'>>> {
  const { rows } = await db.query<VersionModel>({
    name: 'template-versions',
    text: `SELECT version, subject, created_at AS "createdAt", created_by AS "createdBy" FROM template_versions
            WHERE project_id = $1 AND template_id = $2 AND version < $3 ORDER BY version DESC LIMIT $4`,
    values: [projectId, templateId, before, limit],
  });
  return rows;
}

export async function countVersions(db: Queryable, projectId: string, templateId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'template-version-count',
    text: `SELECT count(*) AS count FROM template_versions WHERE project_id = $1 AND template_id = $2`,
    values: [projectId, templateId],
  });
  return rows[0]?.count ?? 0;
}

export interface StepRef {
  id: string;
  name: string;
  workflowId: string;
  workflowName: string;
}

/** Returns the workflow steps that send a template, oldest first. */
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

/** Deletes a locked template. Campaigns that were created from it keep their content. */
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
