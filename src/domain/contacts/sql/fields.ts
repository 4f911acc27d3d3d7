/** Addresses, and the keys of the contacts' data: which there are, what they hold, who refers to them. */
import type { Queryable } from '../../../db/pool.js';
import type { JsonValue } from '../../../db/predicate.js';

/** Those of the addresses that are contacts. */
export async function findContactEmails(db: Queryable, projectId: string, emails: string[]): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>({
    name: 'contacts-lookup',
    text: `SELECT c.email FROM unnest($2::text[]) AS wanted(email)
            CROSS JOIN LATERAL (SELECT email FROM contacts WHERE project_id = $1 AND email = wanted.email LIMIT 1) AS c`,
    values: [projectId, emails],
  });
  return rows.map(({ email }) => email);
}

export type FieldType = 'string' | 'number' | 'boolean' | 'date';

/** By key: how many contacts have it with a value of each type. */
export type KeyStats = Map<string, Record<FieldType, number>>;

export interface DataStats {
  contacts: number;
  keys: KeyStats;
}

/**
 * SQL: the type of the JSON `value`; a date is what conditions take for one. LIKE first, which most texts fail. Lists,
 * objects and null count as texts.
 */
export const VALUE_TYPE = `CASE jsonb_typeof(value)
  WHEN 'number' THEN 'number' WHEN 'boolean' THEN 'boolean'
  ELSE CASE WHEN value::text LIKE '"____-__-__%' AND iso_instant(value #>> '{}') IS NOT NULL THEN 'date' ELSE 'string' END END`;

/** One pass over the project's contacts, or over those of a clause about `contacts c`. */
export async function dataStats(db: Queryable, projectId: string, only = 'true'): Promise<DataStats> {
  const { rows } = await db.query<{ key: string | null; type: FieldType; count: number }>(
    `SELECT key, ${VALUE_TYPE} AS type, count(*) AS count FROM contacts c, jsonb_each(c.data) WHERE c.project_id = $1 AND ${only} GROUP BY 1, 2
     UNION ALL SELECT NULL, NULL, count(*) FROM contacts c WHERE c.project_id = $1 AND ${only}`,
    [projectId],
  );
  const stats: DataStats = { contacts: 0, keys: new Map() };
  for (const { key, type, count } of rows) {
    if (key === null) stats.contacts = count;
    else
      stats.keys.set(key, { ...(stats.keys.get(key) ?? { string: 0, number: 0, boolean: 0, date: 0 }), [type]: count });
  }
  return stats;
}

const STANDARD_COLUMNS = {
  email: 'email',
  subscribed: 'subscribed',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const;

export type StandardField = keyof typeof STANDARD_COLUMNS;

/** Distinct values, the most frequent first; addresses are all different, so that the index has the first of them. */
export async function standardFieldValues(
  db: Queryable,
  projectId: string,
  field: StandardField,
  limit: number,
): Promise<unknown[]> {
  const column = STANDARD_COLUMNS[field];
  const frequent = field === 'email' ? 'ORDER BY 1' : 'GROUP BY 1 ORDER BY count(*) DESC, 1';
  const { rows } = await db.query<{ value: unknown }>(
    `SELECT ${column} AS value FROM contacts WHERE project_id = $1 ${frequent} LIMIT $2`,
    [projectId, limit],
  );
  return rows.map(({ value }) => value);
}

/** Distinct values, the most frequent first. */
export async function dataFieldValues(
  db: Queryable,
  projectId: string,
  key: string,
  limit: number,
): Promise<unknown[]> {
  const { rows } = await db.query<{ value: unknown }>(
    `SELECT value FROM (SELECT data -> $2::text AS value FROM contacts WHERE project_id = $1) AS v WHERE value IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $3`,
    [projectId, key, limit],
  );
  return rows.map(({ value }) => value);
}

export interface ValueCount {
  value: JsonValue;
  count: number;
}

/** How often each value is there among the contacts of a clause about `contacts c`. */
export async function countValues(db: Queryable, projectId: string, key: string, only: string): Promise<ValueCount[]> {
  const { rows } = await db.query<ValueCount>(
    `SELECT c.data -> $2::text AS value, count(*) AS count FROM contacts c WHERE c.project_id = $1 AND c.data ? $2::text AND ${only} GROUP BY 1`,
    [projectId, key],
  );
  return rows;
}

/** How many contacts, of a clause about `contacts c`, have the key; all of them for null, a standard field. */
export async function contactsWithField(
  db: Queryable,
  projectId: string,
  key: string | null,
  only = 'true',
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM contacts c WHERE c.project_id = $1 AND ($2::text IS NULL OR c.data ? $2) AND ${only}`,
    [projectId, key],
  );
  return rows[0]?.count ?? 0;
}

export interface Named {
  id: string;
  name: string;
}

export interface FieldReference {
  projectId: string;
  /** `email`, `data.plan` */
  field: string;
  /** The key in the data; null for a standard field. */
  key: string | null;
}

/** Whether a JSON document has a `field` anywhere that is the one of `name`, an SQL text, or a path into it. */
const refersToField = (json: string, name = '$2::text'): string =>
  `jsonb_path_exists(${json}, '$.**.field ? (@ == $f || @ starts with $p)', jsonb_build_object('f', ${name}, 'p', ${name} || '.'))`;

/** The same of a CONDITION step, where contact.<key> is short for contact.data.<key>; $3 is the key of the data. */
const REFERS_IN_STEP = ['$2::text', `'contact.' || $2::text`, `'contact.' || $3::text`]
  .map((name) => refersToField('s.config', name))
  .join(' OR ');

export async function segmentsUsingField(db: Queryable, { projectId, field }: FieldReference): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `SELECT id, name FROM segments WHERE project_id = $1 AND type = 'DYNAMIC' AND ${refersToField('condition')} ORDER BY id`,
    [projectId, field],
  );
  return rows;
}

/** Campaigns that will still look at their audience, or do. */
export async function campaignsUsingField(db: Queryable, { projectId, field }: FieldReference): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `SELECT id, name FROM campaigns
      WHERE project_id = $1 AND status IN ('DRAFT', 'SCHEDULED', 'SENDING') AND audience_type = 'FILTERED' AND ${refersToField('audience_condition')} ORDER BY id`,
    [projectId, field],
  );
  return rows;
}

/** Workflows with a step that asks for the field, or writes it. */
export async function workflowsUsingField(db: Queryable, { projectId, field, key }: FieldReference): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `SELECT w.id, w.name FROM workflows w
      WHERE w.project_id = $1 AND EXISTS (
        SELECT FROM workflow_steps s
         WHERE s.project_id = $1 AND s.workflow_id = w.id
           AND (s.type = 'CONDITION' AND (${REFERS_IN_STEP}) OR s.type = 'UPDATE_CONTACT' AND s.config -> 'updates' ? $3))
      ORDER BY w.id`,
    [projectId, field, key],
  );
  return rows;
}

export interface RemoveField {
  projectId: string;
  key: string;
  /** The last id of the step before; null at first. */
  after: string | null;
  limit: number;
}

/** Removes the key from the next contacts that have it, by id. @returns the last id, null when there were no more */
export async function removeField(
  tx: Queryable,
  { projectId, key, after, limit }: RemoveField,
): Promise<{ last: string | null; changed: number }> {
  const { rows } = await tx.query<{ last: string | null; changed: number }>(
    `WITH page AS MATERIALIZED (
       SELECT id FROM contacts WHERE project_id = $1 AND data ? $2 AND id > coalesce($3::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $4
     ), held AS MATERIALIZED (
       SELECT c.id FROM contacts c JOIN page USING (id) ORDER BY c.email FOR NO KEY UPDATE OF c
     ), changed AS (
       UPDATE contacts c SET data = c.data - $2, updated_at = clock_timestamp() FROM held WHERE c.id = held.id AND c.data ? $2 RETURNING 1
     )
     SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM changed) AS changed`,
    [projectId, key, after, limit],
  );
  return rows[0] ?? { last: null, changed: 0 };
}
