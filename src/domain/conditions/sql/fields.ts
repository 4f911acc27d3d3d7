/** The keys that conditions of workflows can use, found in samples of bounded size. */
import type { Queryable } from '../../../db/pool.js';
import { CONTACT_SAMPLE, VALUE_TYPE, type FieldType } from '../../contacts/sql/fields.js';

export interface KeyRow {
  key: string;
  /** The type of most sampled values. */
  type: FieldType;
}

/** The maximum number of keys; the most frequent ones are returned. */
const MAX_KEYS = 1000;

const keysOf = (sample: string): string => `
  SELECT key, (array_agg(type ORDER BY n DESC, type))[1] AS type
    FROM (SELECT key, ${VALUE_TYPE} AS type, count(*) AS n
      FROM (${sample}) AS sample, jsonb_each(CASE jsonb_typeof(data) WHEN 'object' THEN data ELSE '{}' END)
      GROUP BY 1, 2) AS types
   GROUP BY key ORDER BY sum(n) DESC, key LIMIT ${MAX_KEYS}`;

/** Samples the keys in the data of a project's contacts. */
export async function sampleContactKeys(db: Queryable, projectId: string): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'condition-contact-keys',
    text: keysOf(CONTACT_SAMPLE),
    values: [projectId],
  });
  return rows;
}

/**
 * The newest 5,000 events, limited to the given names; and for each name, some events of the newest contacts.
 */
const EVENTS = `
  SELECT data FROM (SELECT name, data FROM events WHERE project_id = $1
      ORDER BY created_at DESC, id DESC LIMIT 5000) AS newest WHERE name = ANY ($2::text[])
  UNION ALL
  SELECT e.data
    FROM unnest($2::text[]) AS known (name),
      LATERAL (SELECT data FROM events WHERE project_id = $1 AND name = known.name
        ORDER BY contact_id DESC, created_at DESC LIMIT $3) AS e`;

/** Samples the keys in the data of a project's events with these names. */
export async function sampleEventKeys(
  db: Queryable,
  projectId: string,
  names: string[],
  perName: number,
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'condition-event-keys',
    text: keysOf(EVENTS),
    values: [projectId, names, perName],
  });
  return rows;
}
