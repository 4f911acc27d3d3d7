/** `GET /jobs/:id/errors.csv`. */
import type { Context } from '../../context.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { csvLine } from '../csv.js';
import { readImportParams } from '../imports/options.js';
import { selectRejectedRows } from './errors-sql.js';
import { ERROR_COLUMN } from './errors-column.js';
import { findAnyJob, type JobRef, type JobRow } from './sql.js';
import { BulkErrors, ImportErrors } from './view.js';

/** Rows in memory together: a row has at most 256 KiB characters. */
const PAGE_SIZE = 200;

/**
 * Returns the errors of a job as the lines of a CSV file, with a header.
 *
 * The rows of an import have their original cells and delimiter, so that they can be corrected and imported again. After
 * 30 days, and for imports from before the rows were stored, only the first 1,000 addresses and reasons are left.
 *
 * @throws JOB_NOT_FOUND (404)
 */
export async function jobErrorLines(
  ctx: Context,
  projectId: string,
  jobId: string,
): Promise<AsyncGenerator<string> | Iterable<string>> {
  const job = { jobId, projectId };
  const row = isId(jobId) ? await findAnyJob(ctx.pool, job) : null;
  if (!row) throw notFound('JOB');
  if (row.kind === 'EXPORT') return [csvLine([ERROR_COLUMN])];
  if (row.kind === 'BULK') return listedErrors('contactId', BulkErrors.parse(row.errors).map(toPair));
  const first = await selectRejectedRows(ctx.pool, job, 0, 1);
  return first.length > 0
    ? rejectedLines(ctx, job, row)
    : listedErrors('email', ImportErrors.parse(row.errors).map(toPair));
}

const toPair = (error: { email: string; error: string } | { contactId: string; error: string }): string[] => [
  'email' in error ? error.email : error.contactId,
  error.error,
];

const listedErrors = (column: string, rows: string[][]): string[] => [
  csvLine([column, ERROR_COLUMN]),
  ...rows.map((cells) => csvLine(cells)),
];

async function* rejectedLines({ pool }: Context, job: JobRef, { params }: JobRow): AsyncGenerator<string> {
  const { header, delimiter } = readImportParams(params);
  const columns = header ?? ['email'];
  // A file of errors that is imported again has the reasons of its first import.
  const previous = columns.indexOf(ERROR_COLUMN);
  const count = columns.length;
  const toLine = (cells: string[], reason: string): string => {
    const padded = [...cells, ...Array.from({ length: Math.max(0, count - cells.length) }, () => '')];
    const own = padded.slice(0, count).filter((_, index) => index !== previous);
    return csvLine([...own, reason, ...padded.slice(count)], delimiter);
  };
  yield toLine(columns, ERROR_COLUMN);
  for (let line = 0; ;) {
    const rows = await selectRejectedRows(pool, job, line, PAGE_SIZE);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ cells, error }) => toLine(cells, error)).join('');
    line = last.line;
  }
}
