/** Reads events: pages, counts, names. */
import type { Event as EventModel } from '../../../generated/prisma/client.js';
import type { Queryable } from '../../../db/pool.js';
import { countStoredEvents } from './days.js';

export type EventRow = Omit<EventModel, 'projectId'>;

export interface EventFilter {
  projectId: string;
  name?: string;
  contactId?: string;
}

export interface EventPage extends EventFilter {
  /** The page starts after this position (newest first). */
  after?: { createdAt: string; id: string };
  limit: number;
}

function conditions({ projectId, name, contactId }: EventFilter): { clauses: string[]; values: unknown[] } {
  const clauses = ['project_id = $1'];
  const values: unknown[] = [projectId];
  if (name !== undefined) clauses.push(`name = $${values.push(name)}`);
  if (contactId !== undefined) clauses.push(`contact_id = $${values.push(contactId)}`);
  return { clauses, values };
}

/** Returns up to `limit` events, newest first by (created_at, id), which is unique. */
export async function selectEvents(db: Queryable, { after, limit, ...filter }: EventPage): Promise<EventRow[]> {
  const { clauses, values } = conditions(filter);
  if (after)
    clauses.push(`(created_at, id) < ($${values.push(after.createdAt)}::timestamptz, $${values.push(after.id)}::uuid)`);
  const { rows } = await db.query<EventRow>(
    `SELECT id, name, data, contact_id AS "contactId", email_id AS "emailId", created_at AS "createdAt"
       FROM events WHERE ${clauses.join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

/** Returns the addresses of contacts by id. */
export async function selectContactEmails(
  db: Queryable,
  projectId: string,
  contactIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; email: string }>({
    name: 'event-contacts',
    text: `SELECT id, email FROM contacts WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
    values: [projectId, [...new Set(contactIds)]],
  });
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Returns the number of events. */
export async function countEvents(db: Queryable, filter: EventFilter): Promise<number> {
  if (filter.contactId === undefined)
    return countStoredEvents(
      db,
      filter.projectId,
      filter.name === undefined ? { by: 'all' } : { by: 'name', names: [filter.name] },
    );
  const { clauses, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM events WHERE ${clauses.join(' AND ')}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Returns up to `limit` names in order. Skips from name to name in the index: the number of events does not matter. */
export async function selectEventNames(db: Queryable, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    name: 'event-names',
    text: `WITH RECURSIVE found AS (
             (SELECT name FROM events WHERE project_id = $1 ORDER BY name LIMIT 1)
             UNION ALL
             SELECT (SELECT e.name FROM events e WHERE e.project_id = $1 AND e.name > f.name ORDER BY e.name LIMIT 1) FROM found f WHERE f.name IS NOT NULL
           )
           SELECT name FROM found WHERE name IS NOT NULL LIMIT $2`,
    values: [projectId, limit],
  });
  return rows.map(({ name }) => name);
}
