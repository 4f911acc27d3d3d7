/** The brand of a project, which its designs show. */
import type { Brand } from '../../../packages/email-blocks/src/index.js';
import type { Queryable } from '../../db/pool.js';
import { notFound } from '../../errors.js';

/** @throws PROJECT_NOT_FOUND (404) if the project was deleted since the request was admitted */
export async function loadBrand(db: Queryable, projectId: string): Promise<Brand> {
  const { rows } = await db.query<Brand>({
    name: 'project-brand',
    text: `SELECT name, language, brand ->> 'logoUrl' AS "logoUrl", brand ->> 'color' AS color,
                  postal_address AS "postalAddress"
             FROM projects WHERE id = $1`,
    values: [projectId],
  });
  const [project] = rows;
  if (!project) throw notFound('PROJECT');
  return project;
}
