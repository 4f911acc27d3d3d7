/** The growth of contacts by local days. */
import { zoneForDatabase } from '../../timezone.js';
import type { Queryable } from '../../../db/pool.js';
import type { LocalDays } from './email-figures.js';

export interface ContactDay {
  /** A local day. */
  date: string;
  /** Existing contacts that were created on the day. */
  created: number;
  /** Changes of existing contacts to subscribed and to unsubscribed, as long as retention keeps their events. */
  subscribed: number;
  unsubscribed: number;
}

/** Returns the days, oldest first, and the number of existing contacts that were created before. */
export async function selectContactDays(
  db: Queryable,
  projectId: string,
  { first, last, timezone }: LocalDays,
): Promise<{ before: number; days: ContactDay[] }> {
  const eventsOf = (name: string): string => `
       (SELECT count(*) FROM events v
         WHERE v.project_id = $1 AND v.name = '${name}' AND v.created_at >= d.at AND v.created_at < d.until)`;
  const { rows } = await db.query<ContactDay & { before: number }>({
    name: 'analytics-contact-days',
    // Each count reads a range of an index.
    text: `
WITH day AS (
  SELECT d.date, d.date::timestamp AT TIME ZONE $4 AS at, (d.date + 1)::timestamp AT TIME ZONE $4 AS until
    FROM (SELECT $2::date + n AS date FROM generate_series(0, $3::date - $2::date) n) d
)
SELECT to_char(d.date, 'YYYY-MM-DD') AS date,
       (SELECT count(*) FROM contacts c
         WHERE c.project_id = $1 AND c.created_at >= d.at AND c.created_at < d.until) AS created,
       ${eventsOf('contact.subscribed')} AS subscribed, ${eventsOf('contact.unsubscribed')} AS unsubscribed,
       (SELECT count(*) FROM contacts c
         WHERE c.project_id = $1 AND c.created_at < $2::date::timestamp AT TIME ZONE $4 AND d.date = $2::date) AS before
  FROM day d ORDER BY d.date`,
    values: [projectId, first, last, zoneForDatabase(timezone)],
  });
  return { before: rows[0]?.before ?? 0, days: rows.map(({ before: _before, ...day }) => day) };
}
