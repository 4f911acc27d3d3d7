/** Making the columns of a project's contacts, and keeping them up (src/domain/columns/build.ts). */
import type { PoolClient } from 'pg';
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';
import { COLUMN_FORMAT, EARLIEST_ID } from './columns.js';

/**
 * The projects whose columns are not complete or have another form, and those with at least `changes` changes, or any
 * for an hour.
 */
export async function storesWithWork(db: Queryable, changes: number): Promise<string[]> {
  const { rows } = await db.query<{ projectId: string }>({
    name: 'stores-with-work',
    text: `SELECT s.project_id AS "projectId" FROM contact_stores s
            WHERE s.built_to IS NOT NULL OR s.format <> $2
               OR EXISTS (SELECT FROM contact_changes h WHERE h.project_id = s.project_id OFFSET $1 LIMIT 1)
               OR s.built_at < now() - interval '1 hour' AND EXISTS (SELECT FROM contact_changes h WHERE h.project_id = s.project_id)
            ORDER BY s.built_at`,
    values: [changes - 1, COLUMN_FORMAT],
  });
  return rows.map(({ projectId }) => projectId);
}

/**
 * Says from when on all changes of stores are noted that were asked for since the last call.
 *
 * A transaction that has changed a contact without seeing the store, and so without a note, has a number below that of
 * the next one to begin. Once all with lower numbers have ended, what they have written is to be seen, and everything
 * else is noted.
 */
export async function markNoted(db: Queryable): Promise<void> {
  await db.query(
    `UPDATE contact_stores SET noted_from = pg_snapshot_xmax(pg_current_snapshot())::text::bigint WHERE noted_from IS NULL`,
  );
}

export interface Store {
  format: number;
  /** Up to where columns are made; null: to the end. */
  builtTo: string | null;
}

/**
 * Has a project's columns to itself until the end of the transaction; undefined when somebody else has, or their
 * changes are not all noted yet.
 */
export async function lockStore(tx: Queryable, projectId: string): Promise<Store | undefined> {
  const { rows } = await tx.query<Store>({
    name: 'store-lock',
    text: `SELECT format, built_to AS "builtTo" FROM contact_stores
            WHERE project_id = $1 AND noted_from <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint FOR UPDATE SKIP LOCKED`,
    values: [projectId],
  });
  return rows[0];
}

/** Begins anew, in the form of today. */
export async function startOver(tx: Queryable, projectId: string): Promise<void> {
  await tx.query(`DELETE FROM contact_chunks WHERE project_id = $1`, [projectId]);
  await tx.query(`UPDATE contact_stores SET format = $2, built_to = $3 WHERE project_id = $1`, [
    projectId,
    COLUMN_FORMAT,
    EARLIEST_ID,
  ]);
}

export async function setBuiltTo(tx: Queryable, projectId: string, builtTo: string | null): Promise<void> {
  await tx.query({
    name: 'store-built-to',
    text: `UPDATE contact_stores SET built_to = $2, built_at = clock_timestamp() WHERE project_id = $1`,
    values: [projectId, builtTo],
  });
}

/** Ids from `first` on and before `next`; null: to the end. */
export interface IdRange {
  first: string;
  next: string | null;
}

/** The first ids of the chunks whose contacts have changed. */
export async function changedChunks(db: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await db.query<{ first: string }>({
    name: 'chunks-changed',
    text: `SELECT k.first FROM (SELECT first_id AS first, lead(first_id) OVER (ORDER BY first_id) AS next FROM contact_chunks WHERE project_id = $1) k
            WHERE EXISTS (SELECT FROM contact_changes h WHERE h.project_id = $1 AND h.contact_id >= k.first AND (k.next IS NULL OR h.contact_id < k.next)) ORDER BY 1`,
    values: [projectId],
  });
  return rows.map(({ first }) => first);
}

/** The range of the chunk that begins with an id; undefined when none does. */
export async function chunkRange(tx: Queryable, projectId: string, first: string): Promise<IdRange | undefined> {
  const { rows } = await tx.query<IdRange>({
    name: 'chunk-range',
    text: `SELECT first_id AS first, (SELECT n.first_id FROM contact_chunks n WHERE n.project_id = $1 AND n.first_id > $2 ORDER BY n.first_id LIMIT 1) AS next
             FROM contact_chunks WHERE project_id = $1 AND first_id = $2`,
    values: [projectId, first],
  });
  return rows[0];
}

export interface ColumnContact {
  id: string;
  email: string;
  subscribed: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  data: { [key: string]: JsonValue };
}

/** A clause of the range; $1 is the project. No OR: it would keep PostgreSQL from ending where the range does. */
const within = (column: string, { first, next }: IdRange): { sql: string; values: string[] } =>
  next === null
    ? { sql: `${column} >= $2`, values: [first] }
    : { sql: `${column} >= $2 AND ${column} < $3`, values: [first, next] };

/** The first contacts of a range, by id. */
export async function contactsInRange(
  tx: Queryable,
  projectId: string,
  range: IdRange,
  limit: number,
): Promise<ColumnContact[]> {
  const { sql, values } = within('id', range);
  const { rows } = await tx.query<ColumnContact>(
    `SELECT id, email, subscribed, (extract(epoch FROM created_at) * 1000)::float8 AS "createdAt", (extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt", data
       FROM contacts WHERE project_id = $1 AND ${sql} ORDER BY id LIMIT ${Math.trunc(limit)}`,
    [projectId, ...values],
  );
  return rows;
}

export interface NewChunk extends IdRange {
  projectId: string;
  version: string;
  contacts: number;
  partial: boolean;
  parts: Array<{ field: string; part: string; payload: Buffer }>;
}

/**
 * Replaces a chunk, and forgets the changes that it knows; one without contacts only goes, unless it is the first one.
 */
export async function writeChunk(
  tx: PoolClient,
  { projectId, first, next, version, contacts, partial, parts }: NewChunk,
): Promise<void> {
  await tx.query({
    name: 'chunk-delete',
    text: `DELETE FROM contact_chunks WHERE project_id = $1 AND first_id = $2`,
    values: [projectId, first],
  });
  const { sql, values } = within('contact_id', { first, next });
  await tx.query(`DELETE FROM contact_changes WHERE project_id = $1 AND ${sql}`, [projectId, ...values]);
  if (contacts === 0 && first !== EARLIEST_ID) return;
  await tx.query({
    name: 'chunk-insert',
    text: `INSERT INTO contact_chunks (project_id, first_id, version, contacts, partial) VALUES ($1, $2, $3, $4, $5)`,
    values: [projectId, first, version, contacts, partial],
  });
  if (parts.length === 0) return;
  // A parameter for each: inside of an array the driver would write bytes as text.
  const rows = parts.map(
    (_, index) => `($1::uuid, $2::uuid, $${index * 3 + 3}, $${index * 3 + 4}, $${index * 3 + 5}::bytea)`,
  );
  await tx.query(`INSERT INTO contact_columns (project_id, first_id, field, part, payload) VALUES ${rows.join(', ')}`, [
    projectId,
    first,
    ...parts.flatMap(({ field, part, payload }) => [field, part, payload]),
  ]);
}

/** Changes that were noted for projects that have no columns. */
export async function forgetOrphanedChanges(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM contact_changes h WHERE NOT EXISTS (SELECT FROM contact_stores s WHERE s.project_id = h.project_id)`,
  );
}
