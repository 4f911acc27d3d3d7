/** Address lookup, and the keys of the contacts' data: statistics, values, usage, and removal. */
import type { Queryable } from '../../../db/pool.js';
import { FIRST_ID } from '../../../ids.js';

/** Returns the addresses that are contacts. */
export async function findContactEmails(db: Queryable, projectId: string, emails: string[]): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>({
    name: 'contacts-lookup',
    text: `SELECT c.email FROM unnest($2::text[]) AS wanted(email)
            CROSS JOIN LATERAL (SELECT email FROM contacts
                                 WHERE project_id = $1 AND email = wanted.email LIMIT 1) AS c`,
    values: [projectId, emails],
  });
  return rows.map(({ email }) => email);
}

export type FieldType = 'string' | 'number' | 'boolean' | 'date';

/** The number of contacts with each key, by the type of the value. */
export type KeyStats = Map<string, Record<FieldType, number>>;

export interface DataStats {
  contacts: number;
  keys: KeyStats;
}

/**
 * SQL for the type of the JSON `value`. Dates are recognized as in conditions; LIKE rules out most other strings cheaply.
 * Lists, objects, and null count as strings.
 */
export const VALUE_TYPE = `CASE jsonb_typeof(value)
  WHEN 'number' THEN 'number' WHEN 'boolean' THEN 'boolean'
  ELSE CASE WHEN value::text LIKE '"____-__-__%' AND iso_instant(value #>> '{}') IS NOT NULL
       THEN 'date' ELSE 'string' END END`;

/**
 * The newest 10,000 contacts, and 50 contacts from each of 100 times between the first and the last. Duplicates do not
 * matter.
 */
export const CONTACT_SAMPLE = `
  (SELECT * FROM contacts WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 10000)
  UNION ALL
  SELECT c.*
    FROM (SELECT (SELECT created_at FROM contacts WHERE project_id = $1 ORDER BY created_at LIMIT 1) AS first,
                 (SELECT created_at FROM contacts WHERE project_id = $1
                   ORDER BY created_at DESC LIMIT 1) AS last) AS span,
         generate_series(0, 99) AS part,
         LATERAL (SELECT * FROM contacts WHERE project_id = $1 AND created_at >= first + (last - first) * (part / 100.0)
                   ORDER BY created_at, id LIMIT 50) AS c`;

const MIN_SAMPLED_PERCENT = 0.25;
const MIN_SAMPLED_BLOCKS = 160;
const BLOCK_BYTES = 8192;

/** The contacts `c` of all projects in some blocks, evenly over the table. */
export const CONTACT_BLOCKS = `contacts c TABLESAMPLE SYSTEM (
  least(100, greatest(${MIN_SAMPLED_PERCENT}, ${MIN_SAMPLED_BLOCKS} * 100.0 * ${BLOCK_BYTES}
                      / greatest(pg_relation_size('contacts'), ${BLOCK_BYTES}))))`;

/** Whether a project has at least half of the contacts of sampled blocks. */
export async function hasHalfOfSample(db: Queryable, projectId: string): Promise<boolean> {
  const { rows } = await db.query<{ hasHalf: boolean }>({
    name: 'contacts-half',
    text: `SELECT count(*) FILTER (WHERE c.project_id = $1) * 2 >= count(*) AS "hasHalf" FROM ${CONTACT_BLOCKS}`,
    values: [projectId],
  });
  return rows[0]?.hasHalf ?? false;
}

/** Returns those of the given keys that the data of a sampled contact has. */
export async function findSampledKeys(db: Queryable, projectId: string, keys: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>({
    name: 'contact-sampled-keys',
    text: `SELECT DISTINCT key FROM (${CONTACT_SAMPLE}) AS sample, jsonb_object_keys(data) AS key WHERE key = ANY ($2)`,
    values: [projectId, keys],
  });
  return rows.map(({ key }) => key);
}

/** The contacts of a project that a query reads: all, or the sample. */
export type ContactSource = 'all' | 'sample';
const SOURCE: Record<ContactSource, string> = {
  all: 'SELECT * FROM contacts WHERE project_id = $1',
  sample: CONTACT_SAMPLE,
};

/** Counts the keys of the data of a project's contacts by the type of their values. */
export async function dataStats(db: Queryable, projectId: string, source: ContactSource): Promise<DataStats> {
  const { rows } = await db.query<{ key: string | null; type: FieldType; count: number }>(
    `SELECT key, ${VALUE_TYPE} AS type, count(*) AS count FROM (${SOURCE[source]}) c, jsonb_each(c.data) GROUP BY 1, 2
     UNION ALL SELECT NULL, NULL, count(*) FROM (${SOURCE[source]}) c`,
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

/** Returns distinct values, the most frequent first. Addresses are unique, so the first ones of the index are returned. */
export async function standardFieldValues(
  db: Queryable,
  projectId: string,
  field: StandardField,
  limit: number,
  source: ContactSource,
): Promise<unknown[]> {
  const column = STANDARD_COLUMNS[field];
  const contacts = SOURCE[field === 'email' ? 'all' : source];
  const frequent = field === 'email' ? 'ORDER BY 1' : 'GROUP BY 1 ORDER BY count(*) DESC, 1';
  const { rows } = await db.query<{ value: unknown }>(
    `SELECT ${column} AS value FROM (${contacts}) c ${frequent} LIMIT $2`,
    [projectId, limit],
  );
  return rows.map(({ value }) => value);
}

/** Returns distinct values, the most frequent first. */
export async function dataFieldValues(
  db: Queryable,
  projectId: string,
  key: string,
  limit: number,
  source: ContactSource,
): Promise<unknown[]> {
  const { rows } = await db.query<{ value: unknown }>(
    `SELECT value FROM (SELECT data -> $2::text AS value FROM (${SOURCE[source]}) c) AS v
      WHERE value IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $3`,
    [projectId, key, limit],
  );
  return rows.map(({ value }) => value);
}

/** Counts the contacts with a key in their data; all contacts if `key` is null (a standard field). */
export async function contactsWithField(db: Queryable, projectId: string, key: string | null): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM contacts c WHERE c.project_id = $1 AND ($2::text IS NULL OR c.data ? $2)`,
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

/** SQL: whether a JSON document contains a `field` that is, or starts with, `name` (SQL text). */
const refersToField = (json: string, name = '$2::text'): string =>
  `jsonb_path_exists(${json}, '$.**.field ? (@ == $f || @ starts with $p)',
                     jsonb_build_object('f', ${name}, 'p', ${name} || '.'))`;

/** The same for a CONDITION step, where contact.<key> is short for contact.data.<key>. $3 is the key of the data. */
const REFERS_IN_STEP = ['$2::text', `'contact.' || $2::text`, `'contact.' || $3::text`]
  .map((name) => refersToField('s.config', name))
  .join(' OR ');

export async function segmentsUsingField(db: Queryable, { projectId, field }: FieldReference): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `SELECT id, name FROM segments
      WHERE project_id = $1 AND type = 'DYNAMIC' AND ${refersToField('condition')} ORDER BY id`,
    [projectId, field],
  );
  return rows;
}

/** Campaigns that have not finished sending. */
export async function campaignsUsingField(db: Queryable, { projectId, field }: FieldReference): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `SELECT id, name FROM campaigns
      WHERE project_id = $1 AND status IN ('DRAFT', 'SCHEDULED', 'SENDING') AND audience_type = 'FILTERED'
        AND ${refersToField('audience_condition')} ORDER BY id`,
    [projectId, field],
  );
  return rows;
}

/** Workflows with a step that reads or writes the field. */
export async function workflowsUsingField(db: Queryable, { projectId, field, key }: FieldReference): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `SELECT w.id, w.name FROM workflows w
      WHERE w.project_id = $1 AND EXISTS (
        SELECT FROM workflow_steps s
         WHERE s.project_id = $1 AND s.workflow_id = w.id
           AND (s.type = 'CONDITION' AND (${REFERS_IN_STEP})
                OR s.type = 'UPDATE_CONTACT' AND s.config -> 'updates' ? $3))
      ORDER BY w.id`,
    [projectId, field, key],
  );
  return rows;
}

export interface ChangeField {
  projectId: string;
  key: string;
  /** The new name of the key; null removes it. */
  to: string | null;
  /** The last id of the previous batch; null for the first batch. */
  after: string | null;
  limit: number;
}

/**
 * Removes or renames the key in the data of the next contacts that have it, by id. Contacts that also have the new key
 * stay as they are.
 *
 * @returns the last id; null if there are no more
 */
export async function changeField(
  tx: Queryable,
  { projectId, key, to, after, limit }: ChangeField,
): Promise<{ last: string | null; changed: number }> {
  const { rows } = await tx.query<{ last: string | null; changed: number }>(
    `WITH page AS MATERIALIZED (
       SELECT id FROM contacts
        WHERE project_id = $1 AND data ? $2 AND id > $3
        ORDER BY id LIMIT $4
     ), held AS MATERIALIZED (
       SELECT c.id FROM contacts c JOIN page USING (id) ORDER BY c.email FOR NO KEY UPDATE OF c
     ), changed AS (
       UPDATE contacts c
          SET data = CASE WHEN $5::text IS NULL THEN c.data - $2
                          ELSE (c.data - $2) || jsonb_build_object($5::text, c.data -> $2) END,
              updated_at = clock_timestamp()
         FROM held WHERE c.id = held.id AND c.data ? $2 AND (c.data ? $5::text) IS NOT TRUE RETURNING 1
     )
     SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM changed) AS changed`,
    [projectId, key, after ?? FIRST_ID, limit, to],
  );
  return rows[0] ?? { last: null, changed: 0 };
}
