/** What a workflow needs to know about the templates of its steps. */
import type { Queryable } from '../../../db/pool.js';

export interface TemplateFacts {
  id: string;
  name: string;
  draft: boolean;
  /** Whether the domain of the sender is verified. */
  isVerified: boolean;
}

/** Returns the templates of the project by id. */
export async function selectTemplateFacts(
  db: Queryable,
  projectId: string,
  ids: string[],
): Promise<Map<string, TemplateFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<TemplateFacts>({
    name: 'workflow-templates',
    text: `SELECT t.id, t.name, t.draft,
                  EXISTS (SELECT FROM domains d
                           WHERE d.project_id = t.project_id AND d.status = 'VERIFIED'
                             AND d.domain = lower(substring(t.from_email FROM '[^@]*$'))) AS "isVerified"
             FROM templates t WHERE t.project_id = $1 AND t.id = ANY ($2::uuid[])`,
    values: [projectId, ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}
