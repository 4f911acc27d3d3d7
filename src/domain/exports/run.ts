/**
 * Runs an export. The Temporal workflow `exportJob` calls `runExport` until the job is done.
 *
 * The file is stored in the database and not in the storage of uploads (src/storage). A worker may run on another
 * machine than the APIs, which share only the database. A part is committed with the position in the rows, so that a
 * killed worker continues without a gap or a repetition; storage has no such transaction. The alternative, to read the rows
 * when the URL is opened, could not return the same file twice: PostgreSQL keeps no snapshot for 24 hours.
 *
 * Each row is exported once, as it is when its page is read. Rows that are created after the start are left out.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { ApiError } from '../../errors.js';
import { countRecipients } from '../campaigns/sql/recipients.js';
import { ContactQuery, contactsInSet, resolveContactQuery } from '../contact-queries/set.js';
import { countContacts } from '../contacts/sql/list.js';
import { countEvents } from '../events/sql/list.js';
import { JobFault } from '../jobs/close.js';
import { lockOpenJob, setJobTotal, type JobAdvance, type JobRef, type JobRow } from '../jobs/sql.js';
import { countSuppressions } from '../suppressions/sql.js';
import { exportHeader, readExportPage, type FixedExport } from './pages.js';
import { readExportParams, type ExportParams } from './params.js';
import { advanceExport, dropExportSet, insertExportPart, storeExportSet } from './sql.js';
import { surveyColumns } from './survey.js';

const compress = promisify(gzip);

/** The time after which a call returns, so that the workflow shows the progress and a stopping worker ends soon. */
const MAX_CALL_MS = 5000;

/**
 * Exports rows for some seconds: one page per transaction.
 *
 * @returns null if the job is gone or has ended
 * @throws JobFault if the query has become invalid
 */
export async function runExport(ctx: Context, job: JobRef): Promise<JobAdvance | null> {
  const deadline = Date.now() + MAX_CALL_MS;
  for (;;) {
    const advance = await transaction(ctx.pool, (tx) => exportPage(tx, job));
    if (advance === null || advance.done || Date.now() > deadline) return advance;
  }
}

async function exportPage(tx: PoolClient, job: JobRef): Promise<JobAdvance | null> {
  const row = await lockOpenJob(tx, job);
  if (!row) return null;
  const params = readExportParams(row.params);
  if (params.startedAt === null) return fixSet(tx, job, params);
  const spec: FixedExport = { ...params, ...job, startedAt: params.startedAt };
  const page = await readExportPage(tx, spec);
  const isDone = page.after === null;
  const { parts, bytes } = await storePart(tx, spec, row, page.rows, isDone);
  const cursor = row.cursor + page.rows.length;
  await advanceExport(tx, job, { params: { after: page.after, parts, bytes }, cursor, isDone });
  if (isDone) await dropExportSet(tx, job);
  return { done: isDone, cursor, total: isDone ? cursor : Math.max(row.total ?? 0, cursor) };
}

/** Stores the rows as the next part of the file, with its beginning and its end. */
async function storePart(
  tx: PoolClient,
  spec: FixedExport,
  { cursor }: JobRow,
  rows: string[],
  isDone: boolean,
): Promise<Pick<ExportParams, 'parts' | 'bytes'>> {
  const text = spec.format === 'csv' ? csvPart(spec, rows) : jsonPart(rows, { isFirst: cursor === 0, spec, isDone });
  if (text === '') return spec;
  const content = Buffer.from(text);
  await insertExportPart(tx, spec, spec.parts, await compress(content));
  return { parts: spec.parts + 1, bytes: spec.bytes + content.length };
}

const csvPart = (spec: FixedExport, rows: string[]): string =>
  `${spec.parts === 0 ? exportHeader(spec) : ''}${rows.join('')}`;

/** A JSON array with one row per line. */
function jsonPart(
  rows: string[],
  { isFirst, spec, isDone }: { isFirst: boolean; spec: FixedExport; isDone: boolean },
): string {
  const begin = spec.parts === 0 ? '[' : '';
  const separator = rows.length > 0 ? (isFirst ? '\n' : ',\n') : '';
  return `${begin}${separator}${rows.join(',\n')}${isDone ? '\n]\n' : ''}`;
}

/** Fixes the set of rows, the columns, and an estimate of their number, in a transaction of its own. */
async function fixSet(tx: PoolClient, job: JobRef, params: ExportParams): Promise<JobAdvance> {
  await prepareWideQuery(tx);
  const startedAt = new Date().toISOString();
  const hasSet = params.query !== null;
  const total = hasSet
    ? await storeExportSet(tx, job, await storedClause(tx, job, params))
    : await estimateTotal(tx, job, params);
  const columns = params.kind === 'contacts' && params.format === 'csv' ? await surveyColumns(tx, job, { hasSet }) : [];
  await setJobTotal(tx, job, total);
  await advanceExport(tx, job, { params: { startedAt, columns }, cursor: 0, isDone: false });
  return { done: false, cursor: 0, total };
}

/** A segment or condition that was valid at the request may not be valid any more. */
async function storedClause(tx: PoolClient, { projectId }: JobRef, { query }: ExportParams) {
  try {
    return contactsInSet(await resolveContactQuery(tx, projectId, ContactQuery.parse(query)));
  } catch (error) {
    if (error instanceof ApiError) throw new JobFault('The query is no longer valid: a segment of it was deleted.');
    throw error;
  }
}

async function estimateTotal(
  tx: PoolClient,
  { projectId }: JobRef,
  { kind, campaignId }: ExportParams,
): Promise<number> {
  switch (kind) {
    case 'contacts':
      return countContacts(tx, { projectId });
    case 'recipients':
      return countRecipients(tx, campaignId ?? '', undefined);
    case 'events':
      return countEvents(tx, { projectId });
    case 'suppressions':
      return countSuppressions(tx, { projectId });
  }
}
