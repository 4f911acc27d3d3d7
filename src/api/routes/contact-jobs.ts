/** Contact imports and bulk jobs. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import type { BulkOperation } from '../../domain/bulk/params.js';
import { requestBulk } from '../../domain/bulk/request.js';
import { MAX_IMPORT_BYTES, requestImport } from '../../domain/imports/request.js';
import { getBulkJob, getImportJob } from '../../domain/jobs/view.js';
import { readFormFile, takeForms, type FileRules } from '../form-file.js';
import { withTypes } from '../typed.js';

const Accepted = z.object({ message: z.string(), jobId: z.string() }).meta({ id: 'AcceptedJob' });
const JobParams = z.object({ jobId: z.string() });

const jobFields = {
  id: z.string(),
  state: z.enum(['waiting', 'active', 'completed', 'failed', 'cancelled']),
  progress: z.int().describe('0 to 100'),
  failedReason: z.string().nullable(),
};
const count = z.int();
const RESULT = 'null until the job has ended. Of a cancelled or failed one, what was done until then.';

const ImportJob = z
  .object({
    ...jobFields,
    result: z
      .object({
        totalRows: count,
        successCount: count.describe('createdCount and updatedCount'),
        createdCount: count,
        updatedCount: count.describe(
          'Rows whose contact was there, in the project or further up in the file, even where nothing was different',
        ),
        failureCount: count,
        errors: z
          .array(
            z.object({
              row: count.describe('The line of the file on which the row begins; the header is 1'),
              email: z.string(),
              error: z.string(),
            }),
          )
          .describe('The first 1,000'),
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
        operation: z.enum(['subscribe', 'unsubscribe', 'delete']),
        totalRequested: count,
        successCount: count,
        skippedCount: count.describe('Contacts that were so already, and ids that came again'),
        failureCount: count.describe('Ids of no contact of the project'),
        errors: z.array(z.object({ contactId: z.string(), error: z.string() })),
      })
      .nullable()
      .describe(RESULT),
  })
  .meta({ id: 'BulkJob' });

const BulkBody = z.object({ contactIds: z.array(z.string().min(1).max(255)).min(1).max(1000) });

/** For the document: a form is read by the handler. */
const ImportForm = z.unknown().meta({
  id: 'ImportForm',
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
});

const tags = ['Contacts'];
const FILE: FileRules = {
  part: 'file',
  maxBytes: MAX_IMPORT_BYTES,
  tooLarge: 'The file is larger than 5 MB.',
  once: 'one file is one import',
};

const BULK: Array<{ operation: BulkOperation; summary: string; description: string }> = [
  {
    operation: 'subscribe',
    summary: 'Subscribe up to 1,000 contacts',
    description: 'Each contact that was not subscribed gets the event `contact.subscribed`; a snooze ends.',
  },
  {
    operation: 'unsubscribe',
    summary: 'Unsubscribe up to 1,000 contacts',
    description: 'Each contact that was subscribed gets the event `contact.unsubscribed`; a snooze ends.',
  },
  {
    operation: 'delete',
    summary: 'Delete up to 1,000 contacts for good',
    description: 'By the rules of `DELETE /contacts/:id`.',
  },
];

export const contactJobRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  for (const { operation, summary, description } of BULK) {
    app.post(
      `/contacts/bulk-${operation}`,
      {
        schema: {
          tags,
          summary,
          description: `Queued: see \`GET /contacts/bulk/:jobId\`. ${description} Ids of other projects count as failures.`,
          body: BulkBody,
          response: { 202: Accepted },
        },
      },
      async ({ project, body }, reply) => {
        const jobId = await requestBulk(ctx, project.id, operation, body.contactIds);
        return reply.code(202).send({ message: 'The job is queued.', jobId });
      },
    );
  }

  app.get(
    '/contacts/bulk/:jobId',
    { schema: { tags, summary: 'How far a bulk job is', params: JobParams, response: { 200: BulkJob } } },
    async ({ project, params }) => getBulkJob(ctx, project.id, params.jobId),
  );

  app.get(
    '/contacts/import/:jobId',
    { schema: { tags, summary: 'How far an import is', params: JobParams, response: { 200: ImportJob } } },
    async ({ project, params }) => getImportJob(ctx, project.id, params.jobId),
  );

  // In a scope of its own: no other route takes a form, and this one takes nothing else.
  await instance.register(async (scope) => {
    await takeForms(scope, FILE);
    withTypes(scope).post(
      '/contacts/import',
      {
        schema: {
          tags,
          summary: 'Import contacts from a CSV file',
          description:
            'A form (`multipart/form-data`) with the file in the part `file`: at most 5 MB (else 413), UTF-8, commas, a header line. The column `email` is needed; `subscribed` takes true, 1, yes, false, 0 and no; every ' +
            'other column becomes data: `true` and `false` booleans, plain decimal numbers numbers (never with a leading zero or plus, or more than 15 digits), else text. Blanks around a cell do not count, and an ' +
            'empty cell is not given. A new contact is subscribed unless its row says otherwise; a known one keeps its subscription unless its row has it. Where an address comes twice, the last row counts. Bad rows are ' +
            'refused one by one, with line and reason. Queued: see `GET /contacts/import/:jobId`. A file that no row could make good (binary, another encoding, no column `email`) is a 422.',
          consumes: ['multipart/form-data'],
          body: ImportForm,
          response: { 202: Accepted },
        },
      },
      async (request, reply) => {
        const { content } = await readFormFile(request, FILE);
        const jobId = await requestImport(ctx, request.project.id, content);
        return reply.code(202).send({ message: 'The import is queued.', jobId });
      },
    );
  });
};
