/** Jobs of all kinds (additions, section 3): `GET /jobs`. */
import { z } from 'zod';
import type { Context } from '../../context.js';
import { JobState, type JobKind } from '../../generated/prisma/enums.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { BULK_OPERATIONS, type BulkOperation } from '../bulk/params.js';
import { contactsMapping } from '../exports/contacts.js';
import { exportExpiry, exportUrl } from '../exports/download.js';
import { readExportParams, type ExportFormat } from '../exports/params.js';
import type { ImportMapping } from '../imports/options.js';
import { decodeCursor, encodeCursor, invalidCursor, type CursorPage } from '../pagination.js';
import { readReplayParams } from '../webhooks/replay.js';
import type { ReplayedStatus } from '../webhooks/sql/replay.js';
import { countJobs, findJobSummary, selectCurrentJobs, selectJobs, type JobSummaryRow } from './sql.js';
import { BulkErrors, ImportErrors, type BulkResult, type ImportResult } from './view.js';

/** The kinds in the API. `replay` is of the deliveries of webhooks. */
export const JOB_KINDS = ['import', 'bulk', 'export', 'replay'] as const;
export type JobKindName = (typeof JOB_KINDS)[number];

export const JOB_STATES = Object.values(JobState);

export interface ImportReport extends ImportResult {
  /** Rows of existing contacts, if the import skips them. */
  skippedCount: number;
  /** Rows whose time zone is not known. They were imported without it. */
  unknownTimezoneCount: number;
  /** Up to ten of these names. */
  unknownTimezones: string[];
}

export interface ExportReport {
  /** The signed URL of the file; null if the job did not complete, and after `expiresAt`. */
  url: string | null;
  expiresAt: Date | null;
  rows: number;
  /** The size of the file. */
  bytes: number;
  format: ExportFormat;
  /** The mapping with which an import of the file restores every contact; null for other files. */
  mapping: ImportMapping | null;
}

export interface ReplayReport {
  webhookId: string;
  status: ReplayedStatus;
  since: Date;
  until: Date;
  /** null: all types of the endpoint. */
  types: string[] | null;
  /** Deliveries that were put into the queue. */
  count: number;
}

interface JobDetails {
  id: string;
  state: JobState;
  /** 0 to 100. */
  progress: number;
  operation: string | null;
  filename: string | null;
  /** The user whose session created the job; null if a key did. */
  createdBy: string | null;
  createdAt: Date;
  /** Null until a worker has processed a part of it. */
  startedAt: Date | null;
  endedAt: Date | null;
  failedReason: string | null;
}

/** A job in the API. `result` is null until the job has ended. Its `errors` are the first ten. */
export type AnyJob = JobDetails &
  (
    | { kind: 'import'; result: ImportReport | null }
    | { kind: 'bulk'; result: BulkResult | null }
    | { kind: 'export'; result: ExportReport | null }
    | { kind: 'replay'; result: ReplayReport | null }
  );

export interface ListJobs {
  limit: number;
  cursor?: string;
  kind?: JobKindName;
  state?: JobState;
}

/** A constant in place of the sort value in the cursor, because this list is sorted by id only. */
const SORTED_BY_ID = 'job';

const DATABASE_KINDS: Record<JobKindName, JobKind> = {
  import: 'IMPORT',
  bulk: 'BULK',
  export: 'EXPORT',
  replay: 'REPLAY',
};

/**
 * Returns one page of the project's jobs, newest first. `total` is 0 after the first page (specification, Limits).
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that does not come from this list
 */
export async function listJobs(
  ctx: Context,
  projectId: string,
  { limit, cursor, kind, state }: ListJobs,
): Promise<CursorPage<AnyJob>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const stored = kind === undefined ? undefined : DATABASE_KINDS[kind];
  const filter = { projectId, kind: stored, state };
  const [rows, total] = await Promise.all([
    selectJobs(ctx.pool, { ...filter, after, limit: limit + 1 }),
    after === undefined ? countJobs(ctx.pool, filter) : 0,
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: page.map((job) => toAnyJob(ctx, job)),
    cursor: hasMore && last ? encodeCursor({ value: SORTED_BY_ID, id: last.id }) : null,
    hasMore,
    total,
  };
}

function readCursor(cursor: string): string {
  const { value, id } = decodeCursor(cursor);
  if (value !== SORTED_BY_ID) throw invalidCursor();
  return id;
}

/** @throws JOB_NOT_FOUND (404), also for a malformed id and for an id of another project */
export async function getJob(ctx: Context, projectId: string, jobId: string): Promise<AnyJob> {
  const job = isId(jobId) ? await findJobSummary(ctx.pool, { jobId, projectId }) : null;
  if (!job) throw notFound('JOB');
  return toAnyJob(ctx, job);
}

/** Returns the recent jobs that have not ended, or that ended since a time, newest first. */
export const listCurrentJobs = async (ctx: Context, projectId: string, endedSince: Date): Promise<AnyJob[]> =>
  (await selectCurrentJobs(ctx.pool, projectId, endedSince)).map((job) => toAnyJob(ctx, job));

const hasEnded = ({ state }: JobSummaryRow): boolean => state !== 'waiting' && state !== 'active';

function toAnyJob(ctx: Context, job: JobSummaryRow): AnyJob {
  const { id, state, progress, operation, filename, createdBy, createdAt, startedAt, endedAt, failedReason } = job;
  const details: JobDetails = {
    id,
    state,
    progress,
    operation,
    filename,
    createdBy,
    createdAt,
    startedAt,
    endedAt,
    failedReason,
  };
  switch (job.kind) {
    case 'IMPORT':
      return { ...details, kind: 'import', result: hasEnded(job) ? importReport(job) : null };
    case 'BULK':
      return { ...details, kind: 'bulk', result: hasEnded(job) ? bulkReport(job) : null };
    case 'EXPORT':
      return { ...details, kind: 'export', result: hasEnded(job) ? exportReport(ctx, job) : null };
    case 'REPLAY':
      return { ...details, kind: 'replay', result: hasEnded(job) ? replayReport(job) : null };
  }
}

function importReport(job: JobSummaryRow): ImportReport {
  const { total, successCount, createdCount, updatedCount, skippedCount, failureCount, errors } = job;
  const { unknownTimezoneCount, unknownTimezones } = job;
  return {
    totalRows: total ?? 0,
    successCount,
    createdCount,
    updatedCount,
    skippedCount,
    failureCount,
    unknownTimezoneCount,
    unknownTimezones,
    errors: ImportErrors.parse(errors),
  };
}

const BulkSummary = z.object({ requested: z.int().optional() });

function bulkReport({ params, operation, ...job }: JobSummaryRow): BulkResult {
  const { total, successCount, skippedCount, failureCount, errors } = job;
  return {
    operation: z.enum(BULK_OPERATIONS).parse(operation) satisfies BulkOperation,
    totalRequested: BulkSummary.parse(params).requested ?? total ?? 0,
    successCount,
    skippedCount,
    failureCount,
    errors: BulkErrors.parse(errors),
  };
}

function exportReport(ctx: Context, { id, state, cursor, endedAt, params }: JobSummaryRow): ExportReport {
  const { kind, format, bytes, columns } = readExportParams(params);
  const expiresAt = state === 'completed' && endedAt !== null ? exportExpiry(endedAt) : null;
  return {
    url: expiresAt !== null && expiresAt > new Date() ? exportUrl(ctx, id) : null,
    expiresAt,
    rows: cursor,
    bytes,
    format,
    mapping: kind === 'contacts' && format === 'csv' ? contactsMapping(columns) : null,
  };
}

function replayReport({ params, successCount: count }: JobSummaryRow): ReplayReport {
  const { endpointId: webhookId, ...range } = readReplayParams(params);
  return { webhookId, ...range, count };
}
