/** Reading jobs (contract, section 3: "Import and bulk status"). */
import { z } from 'zod';
import type { Context } from '../../context.js';
import { findJob, type JobRow } from './sql.js';
import type { JobKind } from '../../generated/prisma/enums.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { readBulkParams, type BulkOperation } from '../bulk/params.js';

export const ImportErrors = z.array(z.object({ row: z.int(), email: z.string(), error: z.string() }));
export const BulkErrors = z.array(z.object({ contactId: z.string(), error: z.string() }));

export interface ImportResult {
  totalRows: number;
  /** Accepted rows: created contacts, and updates of contacts that were in the project or in an earlier row. */
  successCount: number;
  createdCount: number;
  updatedCount: number;
  failureCount: number;
  errors: z.infer<typeof ImportErrors>;
}

export interface BulkResult {
  operation: BulkOperation;
  totalRequested: number;
  successCount: number;
  skippedCount: number;
  failureCount: number;
  errors: z.infer<typeof BulkErrors>;
}

export interface Job<Result> {
  id: string;
  state: JobRow['state'];
  /** 0 to 100. */
  progress: number;
  /** null until the job has ended; for a canceled or failed job, the finished part. */
  result: Result | null;
  failedReason: string | null;
}

/** @throws JOB_NOT_FOUND (404), also for a malformed id, and for an id of another project or of a bulk job */
export const getImportJob = async (ctx: Context, projectId: string, jobId: string): Promise<Job<ImportResult>> =>
  toView(
    await requireJob(ctx, projectId, jobId, 'IMPORT'),
    ({ total, successCount, createdCount, updatedCount, failureCount, errors }) => ({
      totalRows: total ?? 0,
      successCount,
      createdCount,
      updatedCount,
      failureCount,
      errors: ImportErrors.parse(errors),
    }),
  );

/** @throws JOB_NOT_FOUND (404), also for a malformed id, and for an id of another project or of an import */
export const getBulkJob = async (ctx: Context, projectId: string, jobId: string): Promise<Job<BulkResult>> =>
  toView(
    await requireJob(ctx, projectId, jobId, 'BULK'),
    ({ params, total, successCount, skippedCount, failureCount, errors }) => {
      const { operation, requested } = readBulkParams(params);
      return {
        operation,
        totalRequested: requested ?? total ?? 0,
        successCount,
        skippedCount,
        failureCount,
        errors: BulkErrors.parse(errors),
      };
    },
  );

async function requireJob({ pool }: Context, projectId: string, jobId: string, kind: JobKind): Promise<JobRow> {
  const job = isId(jobId) ? await findJob(pool, { jobId, projectId }, kind) : null;
  if (!job) throw notFound('JOB');
  return job;
}

function toView<Result>(job: JobRow, result: (job: JobRow) => Result): Job<Result> {
  const { id, state, progress, failedReason } = job;
  const hasEnded = state !== 'waiting' && state !== 'active';
  return { id, state, progress, result: hasEnded ? result(job) : null, failedReason };
}
