/** Columns of contacts: reading them, and what has changed since they were made. The writing is in column-build.ts. */
import type { PoolClient } from 'pg';
import { copyRows } from '../../../db/copy-rows.js';
import type { Queryable } from '../../../db/pool.js';

/** The form in which columns are stored (src/domain/columns/encode.ts). Another number makes all of them anew. */
export const COLUMN_FORMAT = 2;

/** Before every other. */
export const EARLIEST_ID = '00000000-0000-0000-0000-000000000000';

/** Contacts of one chunk: those with ids from `first` on, up to the next chunk. */
export interface ChunkRow {
  first: string;
  /** Another one whenever the chunk is made anew. */
  version: string;
  contacts: number;
  /** Whether something of its contacts is in no column. */
  partial: boolean;
}

/** Whether a project's columns are complete. */
export async function hasColumns(db: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'column-store',
    text: `SELECT FROM contact_stores WHERE project_id = $1 AND format = $2 AND built_to IS NULL`,
    values: [projectId, COLUMN_FORMAT],
  });
  return rowCount !== 0;
}

/** The chunks of a project, by id; null when it has no columns, or they are not complete yet. */
export async function selectChunks(tx: Queryable, projectId: string): Promise<ChunkRow[] | null> {
  const { rows } = await tx.query<ChunkRow | { first: null }>({
    name: 'column-chunks',
    text: `SELECT c.first_id AS first, c.version, c.contacts, c.partial FROM contact_stores s LEFT JOIN contact_chunks c USING (project_id)
            WHERE s.project_id = $1 AND s.format = $2 AND s.built_to IS NULL ORDER BY c.first_id`,
    values: [projectId, COLUMN_FORMAT],
  });
  const chunks = rows.flatMap((row) => (row.first === null ? [] : [row]));
  // Without a contact there is one all the same.
  return chunks.length === 0 ? null : chunks;
}

/**
 * The contacts that have changed, come or gone since their chunk was made, by id, 16 bytes each; null when there are
 * more than `limit`.
 */
export async function selectChanged(tx: PoolClient, projectId: string, limit: number): Promise<Buffer | null> {
  const { rows } = await tx.query<{ ids: Buffer | null; count: number }>({
    name: 'column-changes',
    text: `SELECT string_agg(uuid_send(id), ''::bytea) AS ids, count(*) AS count
             FROM (SELECT DISTINCT contact_id AS id FROM contact_changes WHERE project_id = $1 ORDER BY 1 LIMIT $2) AS changed`,
    values: [projectId, limit + 1],
  });
  const [row] = rows;
  if (!row || row.count > limit) return null;
  return row.ids ?? Buffer.alloc(0);
}

/** Of `contacts c`: those that the columns don't know as they are. The project is $1. */
export const IS_CHANGED = `c.id = ANY (ARRAY(SELECT h.contact_id FROM contact_changes h WHERE h.project_id = $1))`;

/** The paths of data that have columns. */
export async function selectDataFields(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ field: string }>({
    name: 'column-fields',
    text: `SELECT DISTINCT field FROM contact_columns WHERE project_id = $1 AND part = 'codes' AND starts_with(field, 'data.')`,
    values: [projectId],
  });
  return rows.map(({ field }) => field);
}

export type StoredPart = 'ids' | 'codes' | 'texts';

export interface WantedPart {
  first: string;
  field: string;
  part: StoredPart;
}

export interface ColumnPart {
  first: string;
  field: string;
  part: string;
  payload: Buffer;
}

/** Those of the parts that there are. */
export async function selectParts(tx: PoolClient, projectId: string, wanted: WantedPart[]): Promise<ColumnPart[]> {
  if (wanted.length === 0) return [];
  const rows = await copyRows(
    tx,
    `SELECT c.first_id::text, c.field, c.part, c.payload FROM jsonb_to_recordset($2::jsonb) AS w(first uuid, field text, part text)
       JOIN contact_columns c ON c.project_id = $1::uuid AND c.first_id = w.first AND c.field = w.field AND c.part = w.part`,
    [projectId, wanted],
  );
  return rows.map(([first, field, part, payload]) => ({
    first: String(first),
    field: String(field),
    part: String(part),
    payload: payload ?? Buffer.alloc(0),
  }));
}

/** The contacts of a query of ids, each once, in order, 16 bytes each. */
export async function selectIds(tx: PoolClient, { sql, values }: { sql: string; values: unknown[] }): Promise<Buffer> {
  const [row] = await copyRows(
    tx,
    `SELECT string_agg(uuid_send(id), ''::bytea) FROM (SELECT DISTINCT i.id FROM (${sql}) AS i(id) WHERE i.id IS NOT NULL ORDER BY 1) AS ordered`,
    values,
  );
  return row?.[0] ?? Buffer.alloc(0);
}

/**
 * Asks for columns of a project that has at least `contacts`. They are made by a worker; from now on its contacts'
 * changes are noted.
 */
export async function requestColumns(db: Queryable, projectId: string, contacts: number): Promise<void> {
  await db.query({
    name: 'columns-request',
    text: `INSERT INTO contact_stores (project_id, format, built_to)
           SELECT $1::uuid, $3::int, $4::uuid WHERE EXISTS (SELECT FROM contacts WHERE project_id = $1::uuid OFFSET $2 LIMIT 1) ON CONFLICT DO NOTHING`,
    values: [projectId, contacts - 1, COLUMN_FORMAT, EARLIEST_ID],
  });
}
