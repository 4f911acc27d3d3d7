/** The rows of imports and bulk jobs: state, progress, counts. */
import type { JobKind, JobState } from '../../generated/prisma/enums.js';
import type { Queryable } from '../../db/pool.js';

export interface JobRef {
  jobId: string;
  projectId: string;
}

export interface NewJob extends JobRef {
  kind: JobKind;
  operation: string;
  params: Record<string, unknown>;
  filename?: string | null;
  /** The user whose session requests the job; null for a key. */
  createdBy?: string | null;
  total?: number;
  skippedCount?: number;
}

export async function insertJob(
  tx: Queryable,
  { jobId, projectId, kind, operation, params, filename, createdBy, total, skippedCount = 0 }: NewJob,
): Promise<void> {
  await tx.query(
    `INSERT INTO jobs (id, project_id, kind, operation, params, filename, created_by, total, skipped_count)
     VALUES ($1, $2, $3::job_kind, $4, $5, $6, $7, $8, $9)`,
    [
      jobId,
      projectId,
      kind,
      operation,
      JSON.stringify(params),
      filename ?? null,
      createdBy ?? null,
      total ?? null,
      skippedCount,
    ],
  );
}

export interface JobRow {
  id: string;
  kind: JobKind;
  state: JobState;
  progress: number;
  params: unknown;
  /** null until the job is prepared. */
  total: number | null;
  cursor: number;
  successCount: number;
  createdCount: number;
  updatedCount: number;
  skippedCount: number;
  failureCount: number;
  errors: unknown[];
  failedReason: string | null;
}

const COLUMNS = `id, kind, state, progress, params, total, cursor, success_count AS "successCount",
  created_count AS "createdCount", updated_count AS "updatedCount", skipped_count AS "skippedCount",
  failure_count AS "failureCount", errors, failed_reason AS "failedReason"`;

export async function findJob(db: Queryable, { jobId, projectId }: JobRef, kind: JobKind): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(
    `SELECT ${COLUMNS} FROM jobs WHERE id = $1 AND project_id = $2 AND kind = $3::job_kind`,
    [jobId, projectId, kind],
  );
  return rows[0] ?? null;
}

export async function findAnyJob(db: Queryable, { jobId, projectId }: JobRef): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE id = $1 AND project_id = $2`, [
    jobId,
    projectId,
  ]);
  return rows[0] ?? null;
}

/** Returns a completed export of any project. */
export async function findEndedExport(
  db: Queryable,
  jobId: string,
): Promise<(JobRef & { params: unknown; endedAt: Date }) | null> {
  const { rows } = await db.query<JobRef & { params: unknown; endedAt: Date }>(
    `SELECT id AS "jobId", project_id AS "projectId", params, ended_at AS "endedAt" FROM jobs
      WHERE id = $1 AND kind = 'EXPORT' AND state = 'completed'`,
    [jobId],
  );
  return rows[0] ?? null;
}

/** A job in lists: without its input, which can be long, and with few of its errors. */
export interface JobSummaryRow extends Omit<JobRow, 'params'> {
  operation: string | null;
  filename: string | null;
  createdBy: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Without the long parameters of a bulk job. */
  params: unknown;
  /** Rows of an import whose time zone is not known. */
  unknownTimezoneCount: number;
  unknownTimezones: string[];
}

/** Errors in a summary. GET /jobs/:id/errors.csv has all. */
export const MAX_SUMMARY_ERRORS = 10;

const SUMMARY = `id, kind, state, progress, params - '{contactIds,except,data}'::text[] AS params, total, cursor,
  success_count AS "successCount", created_count AS "createdCount", updated_count AS "updatedCount",
  skipped_count AS "skippedCount", failure_count AS "failureCount",
  jsonb_path_query_array(errors, '$[0 to ${MAX_SUMMARY_ERRORS - 1}]') AS errors, failed_reason AS "failedReason",
  operation, filename, created_by AS "createdBy", created_at AS "createdAt", started_at AS "startedAt",
  ended_at AS "endedAt", unknown_timezone_count AS "unknownTimezoneCount", unknown_timezones AS "unknownTimezones"`;

export async function findJobSummary(db: Queryable, { jobId, projectId }: JobRef): Promise<JobSummaryRow | null> {
  const { rows } = await db.query<JobSummaryRow>(`SELECT ${SUMMARY} FROM jobs WHERE id = $1 AND project_id = $2`, [
    jobId,
    projectId,
  ]);
  return rows[0] ?? null;
}

export interface JobFilter {
  projectId: string;
  kind?: JobKind;
  state?: JobState;
}

export interface JobPage extends JobFilter {
  /** The page starts after the job with this id (newest first). */
  after?: string;
  limit: number;
}

function conditions({ projectId, kind, state }: JobFilter): { clauses: string[]; values: unknown[] } {
  const clauses = ['project_id = $1'];
  const values: unknown[] = [projectId];
  if (kind !== undefined) clauses.push(`kind = $${values.push(kind)}::job_kind`);
  if (state !== undefined) clauses.push(`state = $${values.push(state)}::job_state`);
  return { clauses, values };
}

/** Returns up to `limit` jobs, newest first. */
export async function selectJobs(db: Queryable, { after, limit, ...filter }: JobPage): Promise<JobSummaryRow[]> {
  const { clauses, values } = conditions(filter);
  if (after !== undefined) clauses.push(`id < $${values.push(after)}::uuid`);
  const { rows } = await db.query<JobSummaryRow>(
    `SELECT ${SUMMARY} FROM jobs WHERE ${clauses.join(' AND ')} ORDER BY id DESC LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

/** The newest jobs among which `selectCurrentJobs` looks. */
const MAX_RECENT_JOBS = 500;

/** Returns the recent jobs that have not ended, or that ended since a time, newest first. */
export async function selectCurrentJobs(db: Queryable, projectId: string, endedSince: Date): Promise<JobSummaryRow[]> {
  const { rows } = await db.query<JobSummaryRow>({
    name: 'jobs-current',
    text: `SELECT ${SUMMARY} FROM jobs
            WHERE project_id = $1 AND id IN (
              SELECT id FROM (
                SELECT id, ended_at FROM jobs WHERE project_id = $1 ORDER BY id DESC LIMIT ${MAX_RECENT_JOBS}) AS recent
               WHERE ended_at IS NULL OR ended_at >= $2)
            ORDER BY id DESC`,
    values: [projectId, endedSince],
  });
  return rows;
}

export async function countJobs(db: Queryable, filter: JobFilter): Promise<number> {
  const { clauses, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM jobs WHERE ${clauses.join(' AND ')}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Locks a waiting or active job until the end of the transaction, so that only one worker runs it.
 */
export async function lockOpenJob(tx: Queryable, { jobId, projectId }: JobRef): Promise<JobRow | null> {
  const { rows } = await tx.query<JobRow>(
    `SELECT ${COLUMNS} FROM jobs
      WHERE id = $1 AND project_id = $2 AND state IN ('waiting', 'active') FOR NO KEY UPDATE`,
    [jobId, projectId],
  );
  return rows[0] ?? null;
}

/** Locks a job in any state until the end of the transaction. */
export async function lockJob(
  tx: Queryable,
  { jobId, projectId }: JobRef,
): Promise<{ kind: JobKind; state: JobState } | null> {
  const { rows } = await tx.query<{ kind: JobKind; state: JobState }>(
    `SELECT kind, state FROM jobs WHERE id = $1 AND project_id = $2 FOR NO KEY UPDATE`,
    [jobId, projectId],
  );
  return rows[0] ?? null;
}

/** Marks a waiting job as active, before its number of items is known. */
export async function markJobStarted(db: Queryable, { jobId, projectId }: JobRef): Promise<void> {
  await db.query(
    `UPDATE jobs SET state = 'active', started_at = now(), updated_at = now()
      WHERE id = $1 AND project_id = $2 AND state = 'waiting'`,
    [jobId, projectId],
  );
}

/** Sets the number of items of a locked job. */
export async function setJobTotal(tx: Queryable, { jobId }: JobRef, total: number): Promise<void> {
  await tx.query(
    `UPDATE jobs SET state = 'active', total = $2, started_at = coalesce(started_at, now()), updated_at = now()
      WHERE id = $1`,
    [jobId, total],
  );
}

/** The result of a chunk. */
export interface JobStep {
  /** The new cursor. */
  cursor: number;
  created?: number;
  updated?: number;
  success: number;
  skipped?: number;
  failed: number;
  errors: unknown[];
}

export interface JobAdvance {
  done: boolean;
  cursor: number;
  total: number;
}

/** The maximum number of stored errors (contract, section 3, "Import"). */
const MAX_ERRORS = 1000;

/** Adds the result of a chunk to a locked job, and completes the job after its last chunk. */
export async function advanceJob(tx: Queryable, { jobId }: JobRef, step: JobStep): Promise<JobAdvance> {
  const { rows } = await tx.query<JobAdvance>(
    `UPDATE jobs
        SET cursor = $2,
            created_count = created_count + $3, updated_count = updated_count + $4, success_count = success_count + $5,
            skipped_count = skipped_count + $6, failure_count = failure_count + $7,
            errors = CASE WHEN $8::jsonb = '[]' OR jsonb_array_length(errors) >= ${MAX_ERRORS} THEN errors
                          ELSE jsonb_path_query_array(errors || $8::jsonb, '$[0 to ${MAX_ERRORS - 1}]') END,
            state = CASE WHEN $2 >= total THEN 'completed' ELSE 'active' END::job_state,
            progress = CASE WHEN $2 >= total THEN 100 ELSE $2::bigint * 100 / total END,
            started_at = coalesce(started_at, now()),
            ended_at = CASE WHEN $2 >= total THEN clock_timestamp() END,
            updated_at = now()
      WHERE id = $1 RETURNING state = 'completed' AS done, cursor, total`,
    [
      jobId,
      step.cursor,
      step.created ?? 0,
      step.updated ?? 0,
      step.success,
      step.skipped ?? 0,
      step.failed,
      JSON.stringify(step.errors.slice(0, MAX_ERRORS)),
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('The update of a locked job returned no row.');
  return row;
}

/** Ends an open job. @returns whether it was open */
export async function closeJob(
  tx: Queryable,
  { jobId, projectId }: JobRef,
  state: 'cancelled' | 'failed',
  failedReason: string | null,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE jobs SET state = $3::job_state, failed_reason = $4, ended_at = clock_timestamp(), updated_at = now()
      WHERE id = $1 AND project_id = $2 AND state IN ('waiting', 'active')`,
    [jobId, projectId, state, failedReason],
  );
  // The contacts that a bulk job has not processed.
  if (rowCount === 1) await tx.query(`DELETE FROM job_contacts WHERE job_id = $1`, [jobId]);
  return rowCount === 1;
}

export interface OpenJobRow extends JobRef {
  kind: JobKind;
}

export async function openJobs(db: Queryable): Promise<OpenJobRow[]> {
  const { rows } = await db.query<OpenJobRow>(
    `SELECT id AS "jobId", project_id AS "projectId", kind FROM jobs WHERE state IN ('waiting', 'active')`,
  );
  return rows;
}
