/** Searches: for nothing, one letter, all contacts, one contact, and ids. */
import type { Read } from './reads.js';
import type { ScaleBench } from './segments-setup.js';

const countHits = (response: unknown): string =>
  typeof response === 'object' && response !== null && 'data' in response && Array.isArray(response.data)
    ? String(response.data.length)
    : '';

export async function searchReads({ ctx, project }: ScaleBench): Promise<Read[]> {
  const { rows } = await ctx.pool.query<{ contact: string; address: string; email: string }>(
    `SELECT c.id AS contact, c.email AS address, e.id AS email
       FROM (SELECT id, email FROM contacts WHERE project_id = $1 ORDER BY email DESC LIMIT 1) c
      CROSS JOIN (SELECT id FROM emails WHERE project_id = $1 LIMIT 1) e`,
    [project.id],
  );
  const [row] = rows;
  if (!row) return [];
  const texts = {
    nothing: 'no such thing',
    'one letter': row.address.slice(0, 1),
    'a start of all addresses': row.address.slice(0, 3),
    'a part of all addresses': '@',
    'the last address': row.address,
    'after the last address': 'zzzz',
    'the id of a contact': row.contact,
    'the id of an email': row.email,
  };
  return Object.entries(texts).map(([name, q]) => ({
    name: `search: ${name}`,
    method: 'GET',
    url: `/search?limit=100&q=${encodeURIComponent(q)}`,
    limitMs: 150,
    show: countHits,
  }));
}
