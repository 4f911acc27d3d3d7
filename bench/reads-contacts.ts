/** Reads of contacts: lists, queries by the trees of the segment benchmark, previews, and one contact's history. */
import { z } from 'zod';
import { newId } from '../src/ids.js';
import type { Read } from './reads.js';
import type { ScaleBench } from './segments-setup.js';
import { benchTrees } from './segments-trees.js';

const STATIC_SHARE = 0.05;
const FIRST_PAGE_LIMIT_MS = 100;
const FAR_PAGE_LIMIT_MS = 400;
const PREVIEW_LIMIT_MS = 1000;

const Total = z.object({ total: z.int().nullable() });
const showTotal = (response: unknown): string => String(Total.parse(response).total ?? 'not yet');

/** Creates, once, a static segment with contacts spread over the whole project. @returns its id */
async function prepareStaticSegment({ ctx, project }: ScaleBench, contacts: number): Promise<string> {
  const { rows } = await ctx.pool.query<{ id: string }>(
    `SELECT id FROM segments WHERE project_id = $1 AND type = 'STATIC' ORDER BY id LIMIT 1`,
    [project.id],
  );
  const [existing] = rows;
  if (existing) return existing.id;
  const id = newId();
  await ctx.pool.query(
    `INSERT INTO segments (id, project_id, name, slug, type) VALUES ($1, $2, 'Static', $3, 'STATIC')`,
    [id, project.id, `static-${id}`],
  );
  await ctx.pool.query(
    `INSERT INTO segment_members (project_id, segment_id, contact_id)
     SELECT $1, $2, id FROM contacts WHERE project_id = $1 ORDER BY hashtext(email) LIMIT $3`,
    [project.id, id, Math.round(contacts * STATIC_SHARE)],
  );
  await ctx.pool.query('VACUUM ANALYZE segment_members');
  return id;
}

const query = (name: string, body: Record<string, unknown>, limitMs: number): Read => ({
  name: `contacts/query: ${name}`,
  method: 'POST',
  url: '/contacts/query',
  body,
  limitMs,
  show: showTotal,
});

export async function contactReads(bench: ScaleBench): Promise<Read[]> {
  const { ctx, project } = bench;
  const { rows } = await ctx.pool.query<{ count: number; id: string }>(
    `SELECT count(*) AS count, (array_agg(id))[1] AS id FROM contacts WHERE project_id = $1`,
    [project.id],
  );
  const { count = 0, id = '' } = rows[0] ?? {};
  const half = Math.floor(count / 2);
  const trees = benchTrees(await prepareStaticSegment(bench, count), new Date());
  return [
    query('all, first page', {}, FIRST_PAGE_LIMIT_MS),
    query(`all, position ${half}`, { position: half }, FAR_PAGE_LIMIT_MS),
    query(`all by address, position ${half}`, { position: half, sort: 'email', dir: 'asc' }, FAR_PAGE_LIMIT_MS),
    query('search and status, first page', { search: '123', status: 'subscribed' }, FIRST_PAGE_LIMIT_MS),
    query(`subscribed, position ${half}`, { position: half, status: 'subscribed' }, FAR_PAGE_LIMIT_MS),
    ...trees.flatMap(({ name, tree }) => [
      query(`${name}, first page`, { condition: tree }, FIRST_PAGE_LIMIT_MS),
      query(`${name}, position ${half}`, { condition: tree, position: half }, FAR_PAGE_LIMIT_MS),
    ]),
    ...trees.map(({ name, tree }): Read => ({
      name: `contacts/preview: ${name}`,
      method: 'POST',
      url: '/contacts/preview',
      body: { condition: tree },
      limitMs: PREVIEW_LIMIT_MS,
      show: showTotal,
    })),
    { name: 'emails of a contact', method: 'GET', url: `/contacts/${id}/emails`, limitMs: FIRST_PAGE_LIMIT_MS },
    { name: 'executions of a contact', method: 'GET', url: `/contacts/${id}/executions`, limitMs: FIRST_PAGE_LIMIT_MS },
  ];
}
