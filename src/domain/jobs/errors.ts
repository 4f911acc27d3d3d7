/** `GET /jobs/:id/errors.csv`. */
import type { Context } from '../../context.js';
import { csvLine } from '../csv.js';
import { getJob } from './get.js';
import { selectJobErrors } from './sql.js';
import { BulkErrors, ImportErrors } from './view.js';

/** The column with the reason. Imports ignore a column of this name. */
export const ERROR_COLUMN = 'sendloom_error';

/**
 * Returns the errors of a job as CSV, with a header. Exports have none.
 *
 * @throws JOB_NOT_FOUND (404)
 */
export async function jobErrorsCsv(ctx: Context, projectId: string, jobId: string): Promise<string> {
  const { kind } = await getJob(ctx, projectId, jobId);
  const errors = await selectJobErrors(ctx.pool, { jobId, projectId });
  const [column, rows] =
    kind === 'import'
      ? ['email', ImportErrors.parse(errors).map(({ email, error }) => [email, error])]
      : ['contactId', BulkErrors.parse(errors).map(({ contactId, error }) => [contactId, error])];
  return [[column, ERROR_COLUMN], ...rows].map(csvLine).join('');
}
