/** Contact imports and bulk jobs. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { DELIMITERS, ON_EXISTING } from '../../domain/imports/options.js';
import { BULK_OPERATIONS, type BulkOperation } from '../../domain/bulk/params.js';
import { requestBulk } from '../../domain/bulk/request.js';
import { plainFileName } from '../../domain/file-name.js';
import { submitImport } from '../../domain/imports/request.js';
import { discardingOnError, ImportUpload } from '../../domain/imports/upload.js';
import { getBulkJob, getImportJob } from '../../domain/jobs/view.js';
import { acceptForms, type FileRules } from '../form-file.js';
import { readImportForm } from '../import-form.js';
import { AcceptedJob } from '../job-schema.js';
import { withTypes } from '../typed.js';

const JobParams = z.object({ jobId: z.string() });

const jobFields = {
  id: z.string(),
  state: z.enum(['waiting', 'active', 'completed', 'failed', 'cancelled']),
  progress: z.int().describe('From 0 to 100.'),
  failedReason: z.string().nullable(),
};
const count = z.int();
const RESULT =
  'Null until the job has ended. For a canceled or failed job, it covers the rows that were processed before.';

const ImportJob = z
  .object({
    ...jobFields,
    result: z
      .object({
        totalRows: count,
        successCount: count.describe('The sum of `createdCount` and `updatedCount`.'),
        createdCount: count,
        updatedCount: count.describe(
          'Rows whose contact already existed, in the project or earlier in the file, including rows without a ' +
            'change.',
        ),
        failureCount: count,
        errors: z
          .array(
            z.object({
              row: count.describe('The line in the file at which the row begins. The header is line 1.'),
              email: z.string(),
              error: z.string(),
            }),
          )
          .describe('The first 1,000 errors.'),
      })
      .nullable()
      .describe(RESULT),
  })
  .meta({ id: 'ImportJob' });

const BulkJob = z
  .object({
    ...jobFields,
    result: z
      .object({
        operation: z.enum(BULK_OPERATIONS),
        totalRequested: count,
        successCount: count,
        skippedCount: count.describe('Contacts that already had the requested state, and repeated ids.'),
        failureCount: count.describe('Ids that match no contact of the project.'),
        errors: z.array(z.object({ contactId: z.string(), error: z.string() })),
      })
      .nullable()
      .describe(RESULT),
  })
  .meta({ id: 'BulkJob' });

const BulkBody = z.object({ contactIds: z.array(z.string().min(1).max(255)).min(1).max(1000) });

/** For the OpenAPI document only: the handler reads the form. */
const ImportForm = z.unknown().meta({
  id: 'ImportForm',
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary' },
    mapping: {
      type: 'string',
      description:
        'A JSON object with the columns by their names in the header: `{ "<header>": { "to": …, "type": … } }`. `to` ' +
        'is `email`, `subscribed`, `snoozedUntil`, `timezone`, `data.<key>`, `data` (a JSON object with several ' +
        'keys), or null for a column to ignore. `type` of `data.<key>` is `string`, `number`, `boolean`, `date` ' +
        '(ISO 8601), or `json`; without it, values are converted as without a mapping. Columns that are not ' +
        'mentioned are read as without a mapping.',
      examples: ['{"E-Mail":{"to":"email"},"Customer no.":{"to":"data.customerNumber","type":"string"}}'],
    },
    dryRun: {
      type: 'string',
      enum: ['true', 'false'],
      description: 'With `true`, the job reports the result that the import would have, and changes nothing.',
    },
    segmentId: {
      type: 'string',
      description: 'A static segment. All contacts of accepted and skipped rows become its members.',
    },
    onExisting: {
      type: 'string',
      enum: [...ON_EXISTING],
      description: 'With `skip`, rows of existing contacts do not change them. Default: `update`.',
    },
    delimiter: {
      type: 'string',
      enum: [...DELIMITERS],
      description:
        'The separator between cells. Default: the first one that gives a valid header, beginning with commas.',
    },
  },
});

const tags = ['Contacts'];
/** A mapping of a thousand columns. */
const MAX_FIELD_BYTES = 256 * 1024;

const fileRules = (maxMegabytes: number): FileRules => ({
  part: 'file',
  maxBytes: maxMegabytes * 1024 * 1024,
  maxFieldBytes: MAX_FIELD_BYTES,
  tooLarge: `The file is larger than ${maxMegabytes} MB.`,
  once: 'import one file per request',
});

const BULK: Array<{ operation: BulkOperation; summary: string; description: string }> = [
  {
    operation: 'subscribe',
    summary: 'Subscribe up to 1,000 contacts',
    description: 'Each contact that was not subscribed gets the event `contact.subscribed`. Ends a snooze.',
  },
  {
    operation: 'unsubscribe',
    summary: 'Unsubscribe up to 1,000 contacts',
    description: 'Each contact that was subscribed gets the event `contact.unsubscribed`. Ends a snooze.',
  },
  {
    operation: 'delete',
    summary: 'Delete up to 1,000 contacts permanently',
    description: 'The rules of `DELETE /contacts/:id` apply.',
  },
];

export const contactJobRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  for (const { operation, summary, description } of BULK) {
    app.post(
      `/contacts/bulk-${operation}`,
      {
        schema: {
          tags,
          summary,
          description:
            `${description} Ids of other projects count as failures. Queues a job; poll \`GET ` +
            '/contacts/bulk/:jobId` for its state.',
          body: BulkBody,
          response: { 202: AcceptedJob },
        },
      },
      async ({ project, account, body }, reply) => {
        const jobId = await requestBulk(ctx, project.id, operation, body.contactIds, account?.id ?? null);
        return reply.code(202).send({ message: 'The job is queued.', jobId });
      },
    );
  }

  app.get(
    '/contacts/bulk/:jobId',
    { schema: { tags, summary: 'Retrieve a bulk job', params: JobParams, response: { 200: BulkJob } } },
    async ({ project, params }) => getBulkJob(ctx, project.id, params.jobId),
  );

  app.get(
    '/contacts/import/:jobId',
    { schema: { tags, summary: 'Retrieve an import', params: JobParams, response: { 200: ImportJob } } },
    async ({ project, params }) => getImportJob(ctx, project.id, params.jobId),
  );

  // Its own scope, because it accepts only forms.
  const rules = fileRules(ctx.config.IMPORT_MAX_MB);
  await instance.register(async (scope) => {
    await acceptForms(scope, rules);
    withTypes(scope).post(
      '/contacts/import',
      {
        schema: {
          tags,
          summary: 'Import contacts from a CSV file',
          description:
            'Send a form (`multipart/form-data`) with the file in the part `file`: at most 5 MB (413 otherwise; the ' +
            'operator can raise it with `IMPORT_MAX_MB`), UTF-8, commas, and a header line. The column `email` is required. The column `subscribed` accepts ' +
            'true, 1, yes, false, 0, and no, and `timezone` names of time zones: others are left out, and the job counts ' +
            'them. Every other column becomes data: `true` and `false` become ' +
            'booleans, plain decimal numbers become numbers (except with a leading zero, a plus sign, or more ' +
            'than 15 digits), and all other values are strings. Spaces around a cell are removed, and an empty ' +
            'cell counts as not given.\n\nA new contact is subscribed unless its row sets the subscription. An ' +
            'existing contact keeps its subscription unless its row sets it. If an address occurs more than ' +
            'once, the last row wins. Invalid rows are reported with their line and reason. A file that cannot ' +
            'be read (binary content, another encoding, no `email` column) returns 422. Queues a job; poll `GET ' +
            '/contacts/import/:jobId` for its state. `GET /jobs/:id/errors.csv` returns the rejected rows with their ' +
            'reasons; correct them and import that file.\n\nThe fields of the form are optional. With a ' +
            '`mapping`, an apostrophe before `=`, `+`, `-`, or `@` at the beginning of a cell is removed: exports ' +
            'have it, so that spreadsheets do not evaluate the cell.',
          consumes: ['multipart/form-data'],
          body: ImportForm,
          response: { 202: AcceptedJob },
        },
      },
      async (request, reply) => {
        const upload = new ImportUpload(ctx, request.project.id);
        const jobId = await discardingOnError(upload, async () => {
          const { name, fields } = await readImportForm(request, rules, upload);
          return submitImport(ctx, upload, {
            ...fields,
            filename: plainFileName(name) || null,
            createdBy: request.account?.id ?? null,
          });
        });
        return reply.code(202).send({ message: 'The import is queued.', jobId });
      },
    );
  });
};
