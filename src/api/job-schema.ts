/** The schema of jobs of all kinds. */
import { z } from 'zod';
import { BULK_OPERATIONS } from '../domain/bulk/params.js';
import { EXPORT_FORMATS } from '../domain/exports/params.js';
import { CELL_TYPES } from '../domain/imports/options.js';
import { JOB_STATES } from '../domain/jobs/get.js';
import { REPLAYED_STATUSES } from '../domain/webhooks/sql/replay.js';
import { Timestamp } from './schemas.js';

const count = z.int();

export const State = z.enum(JOB_STATES);

/** The response of a request that queues a job. */
export const AcceptedJob = z.object({ message: z.string(), jobId: z.string() }).meta({ id: 'AcceptedJob' });

const RESULT = 'Null until the job has ended. For a canceled or failed job, it covers the part that was done before.';
const ERRORS = 'The first 10 errors. `GET /jobs/:id/errors.csv` returns all stored errors.';

const details = {
  id: z.string(),
  state: State,
  progress: z.int().describe('From 0 to 100.'),
  operation: z
    .string()
    .nullable()
    .describe(
      'The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or ' +
        '`ALL` of a replay.',
    ),
  filename: z.string().nullable().describe('The name of the imported file.'),
  createdBy: z
    .string()
    .nullable()
    .describe('The id of the user who created the job (`userId` of a member). Null for an API key.'),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable().describe('Null until a worker has processed a part of the job.'),
  endedAt: Timestamp.nullable(),
  failedReason: z.string().nullable(),
};

const ImportReport = z
  .object({
    totalRows: count,
    successCount: count.describe('The sum of `createdCount` and `updatedCount`.'),
    createdCount: count,
    updatedCount: count,
    skippedCount: count.describe('Rows of existing contacts, if the import skips them.'),
    failureCount: count,
    unknownTimezoneCount: count.describe('Rows whose time zone is not known. They were imported without it.'),
    unknownTimezones: z.array(z.string()).describe('Up to ten of these names.'),
    errors: z.array(z.object({ row: count, email: z.string(), error: z.string() })).describe(ERRORS),
  })
  .meta({ id: 'ImportReport' });

const BulkReport = z
  .object({
    operation: z.enum(BULK_OPERATIONS),
    totalRequested: count,
    successCount: count,
    skippedCount: count,
    failureCount: count,
    errors: z.array(z.object({ contactId: z.string(), error: z.string() })).describe(ERRORS),
  })
  .meta({ id: 'BulkReport' });

const ExportReport = z
  .object({
    url: z
      .string()
      .nullable()
      .describe('The signed URL of the file. Null if the job did not complete, and after `expiresAt`.'),
    expiresAt: Timestamp.nullable().describe('24 hours after the end of the job.'),
    rows: count,
    bytes: count.describe('The size of the file.'),
    format: z.enum(EXPORT_FORMATS),
    mapping: z
      .record(z.string(), z.object({ to: z.string().nullable(), type: z.enum(CELL_TYPES).optional() }))
      .nullable()
      .describe('For contacts as CSV: the `mapping` with which an import of the file changes nothing.'),
  })
  .meta({ id: 'ExportReport' });

const ReplayReport = z
  .object({
    webhookId: z.string(),
    status: z.enum(REPLAYED_STATUSES),
    since: Timestamp,
    until: Timestamp.describe('Not included.'),
    types: z.array(z.string()).nullable().describe('Null for all types of the endpoint.'),
    count: count.describe('Deliveries that were put into the queue.'),
  })
  .meta({ id: 'ReplayReport' });

/** A job as in `GET /jobs/:id`. */
export const JobSchema = z
  .discriminatedUnion('kind', [
    z.object({ ...details, kind: z.literal('import'), result: ImportReport.nullable().describe(RESULT) }),
    z.object({ ...details, kind: z.literal('bulk'), result: BulkReport.nullable().describe(RESULT) }),
    z.object({ ...details, kind: z.literal('export'), result: ExportReport.nullable().describe(RESULT) }),
    z.object({ ...details, kind: z.literal('replay'), result: ReplayReport.nullable().describe(RESULT) }),
  ])
  .meta({ id: 'Job' });
