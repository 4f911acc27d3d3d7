/** Replays of a time range: the request, and the job (kind `replay`). */
import { z } from 'zod';
import type { Context } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { conflict, validationError } from '../../errors.js';
import { newId } from '../../ids.js';
import { JobFault } from '../jobs/close.js';
import { jobStart } from '../jobs/intents.js';
import { advanceJob, insertJob, lockOpenJob, setJobTotal, type JobAdvance, type JobRef } from '../jobs/sql.js';
import { endpointPoke } from './intents.js';
import { getEndpoint, ownNames } from './manage.js';
import { findDeliveringEndpoint } from './sql/queue.js';
import { countReplay, hasOpenReplay, replay, REPLAYED_STATUSES, type ReplayedStatus } from './sql/replay.js';
import { checkTypes } from './types.js';

/** Deliveries of a replay. */
export const MAX_REPLAYED = 100_000;

export interface Replay {
  since: Date;
  /** Not included. */
  until?: Date | undefined;
  /** Types and patterns; undefined: all types of the endpoint. */
  types?: string[] | undefined;
  status: ReplayedStatus;
}

/** The stored parameters of a job. */
const ReplayParams = z.object({
  endpointId: z.string(),
  since: z.coerce.date(),
  until: z.coerce.date(),
  types: z.array(z.string()).nullable(),
  status: z.enum(REPLAYED_STATUSES),
});

export const readReplayParams = (params: unknown): z.infer<typeof ReplayParams> => ReplayParams.parse(params);

/**
 * Counts the deliveries of a replay.
 *
 * @throws WEBHOOK_NOT_FOUND (404), VALIDATION_ERROR (422, an empty range, an unknown type, or more than 100,000)
 */
export async function previewReplay(
  ctx: Context,
  projectId: string,
  endpointId: string,
  { since, until: end, types, status }: Replay,
): Promise<number> {
  await getEndpoint(ctx, projectId, endpointId);
  const until = end ?? new Date();
  const invalid = (field: string, message: string) => validationError([{ field, message, code: 'custom' }]);
  if (since >= until) throw end ? invalid('until', 'must be after `since`') : invalid('since', 'must be in the past');
  const errors = types ? checkTypes(types, await ownNames(ctx, projectId), 'types') : [];
  if (errors.length > 0) throw validationError(errors);
  const range = { endpointId, projectId, since, until, types: types ?? null };
  const count = await countReplay(ctx.pool, range, status, MAX_REPLAYED);
  if (count > MAX_REPLAYED)
    throw invalid('since', `The range has more than ${MAX_REPLAYED} deliveries. Choose a shorter one.`);
  return count;
}

/**
 * Queues a job that delivers the failed deliveries, or all events, of a time range again, under the same ids. Events that no
 * longer exist are not replayed.
 *
 * @param createdBy the user of the session; null for a key
 * @returns the job's id, and the number of deliveries
 * @throws the errors of previewReplay, CONFLICT (409, another replay of the endpoint has not ended)
 */
export async function requestReplay(
  ctx: Context,
  projectId: string,
  endpointId: string,
  { since, until: end, types, status }: Replay,
  createdBy: string | null,
): Promise<{ jobId: string; count: number }> {
  const count = await previewReplay(ctx, projectId, endpointId, { since, until: end, types, status });
  const until = end ?? new Date();
  const job = { jobId: newId(), projectId };
  const params = { endpointId, since, until, types: types ?? null, status };
  await transaction(ctx.pool, async (tx) => {
    if (await hasOpenReplay(tx, endpointId, projectId))
      throw conflict('Another replay of this endpoint has not ended.');
    await insertJob(tx, { ...job, kind: 'REPLAY', operation: status, params, createdBy, total: count });
    await enqueue(tx, [jobStart(job, 'REPLAY')]);
  });
  ctx.wake('outbox');
  return { jobId: job.jobId, count };
}

/**
 * Puts the deliveries of a replay into the queue, all in one transaction with the end of the job: some seconds for the
 * largest replay.
 *
 * @returns null if the job is gone or has ended
 * @throws JobFault if the endpoint was deleted
 */
export async function runReplay(ctx: Context, job: JobRef): Promise<JobAdvance | null> {
  const advance = await transaction(ctx.pool, async (tx) => {
    const row = await lockOpenJob(tx, job);
    if (!row) return null;
    const { endpointId, status, ...range } = readReplayParams(row.params);
    const endpoint = { endpointId, projectId: job.projectId };
    if (!(await findDeliveringEndpoint(tx, endpointId))) throw new JobFault('The webhook endpoint was deleted.');
    const count = await replay(tx, { ...endpoint, ...range }, status);
    await setJobTotal(tx, job, count);
    await enqueue(tx, [endpointPoke(endpoint)]);
    return advanceJob(tx, job, { cursor: count, success: count, failed: 0, errors: [] });
  });
  ctx.wake('outbox');
  return advance;
}
