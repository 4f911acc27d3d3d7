/** `POST /exports`. */
import type { ApiContext } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { conflict, notFound, validationError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { requireCampaign } from '../campaigns/manage.js';
import { resolveContactQuery, type ContactQuery } from '../contact-queries/set.js';
import { jobStart } from '../jobs/intents.js';
import { insertJob } from '../jobs/sql.js';
import type { ExportFormat, ExportKind, ExportParams } from './params.js';
import { countOpenExports } from './sql.js';

/** Exports of a project that have not ended. Each occupies a worker and stores a file for a day. */
export const MAX_OPEN_EXPORTS = 5;

export interface ExportRequest {
  kind: ExportKind;
  format: ExportFormat;
  /** Contacts only. */
  query?: ContactQuery;
  /** Recipients only, and required for them. */
  campaignId?: string;
  /** The user of the session; null for a key. */
  createdBy: string | null;
}

/**
 * Queues an export. The job and the start of its workflow are committed together.
 *
 * @returns the job's id
 * @throws VALIDATION_ERROR (422) for a missing or unexpected `campaignId` or `query`, and an invalid condition;
 * CAMPAIGN_NOT_FOUND, SEGMENT_NOT_FOUND (404); BAD_REQUEST (400, a condition that references an unknown segment);
 * CONFLICT (409) if the project has too many exports that have not ended
 */
export async function requestExport(
  ctx: ApiContext,
  projectId: string,
  { kind, format, query, campaignId, createdBy }: ExportRequest,
): Promise<string> {
  if (kind === 'recipients' && campaignId === undefined)
    throw validationError([{ field: 'campaignId', message: 'is required if kind is recipients', code: 'required' }]);
  if (kind !== 'recipients' && campaignId !== undefined)
    throw validationError([{ field: 'campaignId', message: 'is only for kind recipients', code: 'custom' }]);
  if (kind !== 'contacts' && query !== undefined)
    throw validationError([{ field: 'query', message: 'is only for kind contacts', code: 'custom' }]);
  if (campaignId !== undefined) {
    if (!isId(campaignId)) throw notFound('CAMPAIGN');
    await requireCampaign(ctx, projectId, campaignId);
  }
  if (query !== undefined) await resolveContactQuery(ctx.pool, projectId, query, 'query');

  const job = { jobId: newId(), projectId };
  const params: Pick<ExportParams, 'kind' | 'format' | 'campaignId' | 'query'> = {
    kind,
    format,
    campaignId: campaignId ?? null,
    query: query ?? null,
  };
  await transaction(ctx.pool, async (tx) => {
    if ((await countOpenExports(tx, projectId)) >= MAX_OPEN_EXPORTS)
      throw conflict(
        `The project has ${MAX_OPEN_EXPORTS} exports that have not ended. Wait until one ends, or cancel one.`,
      );
    await insertJob(tx, { ...job, kind: 'EXPORT', operation: kind, params, createdBy });
    await enqueue(tx, [jobStart(job, 'EXPORT')]);
  });
  ctx.wake('outbox');
  return job.jobId;
}
