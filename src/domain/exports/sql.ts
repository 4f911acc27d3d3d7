/** SQL of exports: pages of rows with a limited size, the parts of the file, and the progress of the job. */
import type { PoolClient } from 'pg';
import type { Queryable } from '../../db/pool.js';
import { FIRST_ID } from '../../ids.js';
import type { ContactClause } from '../conditions/sql/conditions.js';
import { timezoneColumn } from '../contacts/timezone.js';
import type { JobRef } from '../jobs/sql.js';

/** Rows of one page. */
export const EXPORT_PAGE_ROWS = 2000;
/** A page ends after the row that exceeds this size of data, so that large rows do not fill the memory. */
const PAGE_DATA_BYTES = 2 * 1024 * 1024;

/** Cuts a page with the column `data` by the size of that column. The first row is always in it. */
const bySize = (page: string, order: string): string => `
  SELECT * FROM (
    SELECT p.*, sum(octet_length(data)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - octet_length(data) AS before
      FROM (${page}) p) sized
   WHERE before < ${PAGE_DATA_BYTES} ORDER BY ${order}`;

export interface ExportedContact {
  id: string;
  email: string;
  subscribed: boolean;
  snoozedUntil: Date | null;
  timezone: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** As JSON. */
  data: string;
}

const CONTACT = `c.id, c.email, c.subscribed, c.snoozed_until AS "snoozedUntil", ${timezoneColumn('c.')}, c.created_at AS "createdAt",
  c.updated_at AS "updatedAt", c.data::text AS data`;

export interface ContactsPage {
  projectId: string;
  /** Contacts that were created later are left out. */
  startedAt: string;
  after: readonly [createdAt: string, id: string];
}

/**
 * Returns the next contacts of the project, oldest first. The time comes before the id, because both limits are then in
 * one index: without statistics, the planner would otherwise sort all contacts of the project for each page.
 */
export async function selectContactsToExport(
  db: Queryable,
  { projectId, startedAt, after }: ContactsPage,
): Promise<ExportedContact[]> {
  const { rows } = await db.query<ExportedContact>({
    name: 'export-contacts',
    text: bySize(
      `SELECT ${CONTACT} FROM contacts c
        WHERE c.project_id = $1 AND (c.created_at, c.id) > ($2::timestamptz, $3::uuid) AND c.created_at <= $4
        ORDER BY c.created_at, c.id LIMIT ${EXPORT_PAGE_ROWS}`,
      '"createdAt", id',
    ),
    values: [projectId, ...after, startedAt],
  });
  return rows;
}

/** Returns the next contacts of a fixed set. Contacts that were deleted since are left out. */
export async function selectSetToExport(
  db: Queryable,
  { jobId }: Pick<JobRef, 'jobId'>,
  after: string | null,
): Promise<{ rows: ExportedContact[]; last: string | null }> {
  const { rows: ids } = await db.query<{ id: string }>({
    name: 'export-set-page',
    text: `SELECT contact_id AS id FROM export_contacts
            WHERE job_id = $1 AND contact_id > $2 ORDER BY contact_id LIMIT ${EXPORT_PAGE_ROWS}`,
    values: [jobId, after ?? FIRST_ID],
  });
  const wanted = ids.map(({ id }) => id);
  if (wanted.length === 0) return { rows: [], last: null };
  const { rows } = await db.query<ExportedContact>({
    name: 'export-set-contacts',
    text: bySize(`SELECT ${CONTACT} FROM contacts c WHERE c.id = ANY ($1::uuid[])`, 'id'),
    values: [wanted],
  });
  // If the page was cut by its size, the next one continues after its last contact.
  const isCut = rows.length > 0 && (await hasMoreOf(db, wanted, rows.at(-1)?.id ?? FIRST_ID));
  return { rows, last: (isCut ? rows.at(-1)?.id : wanted.at(-1)) ?? null };
}

async function hasMoreOf(db: Queryable, ids: string[], after: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'export-set-more',
    text: `SELECT 1 FROM contacts WHERE id = ANY ($1::uuid[]) AND id > $2 LIMIT 1`,
    values: [ids, after],
  });
  return rowCount === 1;
}

/** Stores the set of a query. @returns its size */
export async function storeExportSet(
  tx: PoolClient,
  { jobId, projectId }: JobRef,
  { sql, values }: ContactClause,
): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO export_contacts (job_id, project_id, contact_id)
     SELECT $${values.length + 1}, $${values.length + 2}, c.id FROM contacts c WHERE ${sql}`,
    [...values, jobId, projectId],
  );
  return rowCount ?? 0;
}

export interface ExportedEvent {
  id: string;
  name: string;
  contactId: string | null;
  contactEmail: string | null;
  emailId: string | null;
  createdAt: Date;
  /** As JSON. */
  data: string;
}

/** Returns the next events of the project, newest first, before the position `after`. */
export async function selectEventsToExport(
  db: Queryable,
  projectId: string,
  after: readonly [createdAt: string, id: string],
): Promise<ExportedEvent[]> {
  const { rows } = await db.query<ExportedEvent>({
    name: 'export-events',
    text: bySize(
      `SELECT e.id, e.name, e.contact_id AS "contactId", c.email AS "contactEmail", e.email_id AS "emailId",
              e.created_at AS "createdAt", coalesce(e.data::text, '{}') AS data
         FROM (SELECT * FROM events WHERE project_id = $1 AND (created_at, id) < ($2::timestamptz, $3::uuid)
                ORDER BY created_at DESC, id DESC LIMIT ${EXPORT_PAGE_ROWS}) e
         LEFT JOIN LATERAL (SELECT email FROM contacts WHERE id = e.contact_id LIMIT 1) c ON true`,
      '"createdAt" DESC, id DESC',
    ),
    values: [projectId, ...after],
  });
  return rows;
}

export async function insertExportPart(
  tx: Queryable,
  { jobId, projectId }: JobRef,
  position: number,
  content: Buffer,
): Promise<void> {
  await tx.query({
    name: 'export-insert-part',
    text: `INSERT INTO export_parts (job_id, project_id, position, content) VALUES ($1, $2, $3, $4)`,
    values: [jobId, projectId, position, content],
  });
}

export async function selectExportPart(db: Queryable, { jobId }: JobRef, position: number): Promise<Buffer | null> {
  const { rows } = await db.query<{ content: Buffer }>({
    name: 'export-part',
    text: `SELECT content FROM export_parts WHERE job_id = $1 AND position = $2`,
    values: [jobId, position],
  });
  return rows[0]?.content ?? null;
}

/** Deletes the file and the set of an export. */
export async function dropExport(tx: Queryable, { jobId }: JobRef): Promise<void> {
  await tx.query(`DELETE FROM export_parts WHERE job_id = $1`, [jobId]);
  await dropExportSet(tx, { jobId });
}

export async function dropExportSet(tx: Queryable, { jobId }: Pick<JobRef, 'jobId'>): Promise<void> {
  await tx.query(`DELETE FROM export_contacts WHERE job_id = $1`, [jobId]);
}

export interface ExportProgress {
  /** Merged into the parameters of the job. */
  params: Record<string, unknown>;
  /** Rows so far. */
  cursor: number;
  isDone: boolean;
}

/** Stores the progress of a locked export. The total is an estimate until the export is done. */
export async function advanceExport(
  tx: Queryable,
  { jobId }: JobRef,
  { params, cursor, isDone }: ExportProgress,
): Promise<void> {
  await tx.query({
    name: 'export-advance',
    text: `UPDATE jobs
              SET params = params || $2::jsonb, cursor = $3, success_count = $3,
                  total = CASE WHEN $4 THEN $3 ELSE greatest(total, $3) END,
                  state = CASE WHEN $4 THEN 'completed' ELSE 'active' END::job_state,
                  progress = CASE WHEN $4 THEN 100 ELSE least(99, $3::bigint * 100 / greatest(total, 1)) END,
                  started_at = coalesce(started_at, now()),
                  ended_at = CASE WHEN $4 THEN clock_timestamp() END, updated_at = now()
            WHERE id = $1`,
    values: [jobId, JSON.stringify(params), cursor, isDone],
  });
}

/** Locks the project's list of exports, and returns how many have not ended. */
export async function countOpenExports(tx: Queryable, projectId: string): Promise<number> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 8))`, [projectId]);
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*) AS count FROM jobs
      WHERE project_id = $1 AND kind = 'EXPORT' AND state IN ('waiting', 'active')`,
    [projectId],
  );
  return rows[0]?.count ?? 0;
}

/** Deletes parts of exports that ended before a time. @returns the number of parts */
export async function deleteExpiredExports(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM export_parts WHERE ctid = ANY (ARRAY(
       SELECT p.ctid FROM export_parts p JOIN jobs j ON j.id = p.job_id
        WHERE j.ended_at < $1 LIMIT $2))`,
    [before.toISOString(), limit],
  );
  return rowCount ?? 0;
}
