/** The names of the groups of figures. */
import type { Queryable } from '../../../db/pool.js';
import type { Dimension } from './email-figures.js';

const TABLES: Partial<Record<Dimension, string>> = {
  campaign: 'campaigns',
  template: 'templates',
  workflow: 'workflows',
};

/** Returns the names of existing campaigns, templates, or workflows by id. Other groups have no names. */
export async function selectGroupNames(
  db: Queryable,
  projectId: string,
  { dimension, keys }: { dimension: Dimension; keys: readonly string[] },
): Promise<Map<string, string>> {
  const table = TABLES[dimension];
  if (table === undefined || keys.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; name: string }>({
    name: `analytics-names-${table}`,
    text: `SELECT id, name FROM ${table} WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
    values: [projectId, keys],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
