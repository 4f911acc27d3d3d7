/** The rows of imports and bulk jobs: state, progress, counts. */
import type { JobKind, JobState } from '../../generated/prisma/enums.js';
import type { Queryable } from '../../db/pool.js';

export interface JobRef {
  jobId: string;
  projectId: string;
}

export interface NewJob extends JobRef {
  kind: JobKind;
  params: Record<string, unknown>;
  total?: number;
  skippedCount?: number;
}

export async function insertJob(
  tx: Queryable,
  { jobId, projectId, kind, params, total, skippedCount = 0 }: NewJob,
): Promise<void> {
  await tx.query(
    `INSERT INTO jobs (id, project_id, kind, params, total, skipped_count) VALUES ($1, $2, $3::job_kind, $4, $5, $6)`,
    [jobId, projectId, kind, JSON.stringify(params), total ?? null, skippedCount],
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

/** Sets the number of items of a locked job. */
export async function setJobTotal(tx: Queryable, { jobId }: JobRef, total: number): Promise<void> {
  await tx.query(`UPDATE jobs SET state = 'active', total = $2, updated_at = now() WHERE id = $1`, [jobId, total]);
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
    `UPDATE jobs SET state = $3::job_state, failed_reason = $4, updated_at = now()
      WHERE id = $1 AND project_id = $2 AND state IN ('waiting', 'active')`,
    [jobId, projectId, state, failedReason],
  );
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
