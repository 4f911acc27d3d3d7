/** Exports. Beyond the specification. */
import { Readable } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { CONTACT_STATUSES } from '../../domain/contact-queries/set.js';
import { openExport } from '../../domain/exports/download.js';
import { EXPORT_FORMATS, EXPORT_KINDS } from '../../domain/exports/params.js';
import { requestExport } from '../../domain/exports/request.js';
import { ConditionTree } from '../condition-schema.js';
import { AcceptedJob } from '../job-schema.js';
import { withTypes } from '../typed.js';

const ExportBody = z
  .object({
    kind: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS).default('csv'),
    query: z
      .object({
        condition: ConditionTree.optional(),
        segmentId: z.string().optional(),
        search: z.string().optional().describe('Part of the address. Case-insensitive.'),
        status: z.enum(CONTACT_STATUSES).optional(),
      })
      .optional()
      .describe('Only for contacts: all of these must match. A condition and a segment exclude each other.'),
    campaignId: z.string().optional().describe('Required for recipients, and only for them.'),
  })
  .meta({ id: 'ExportBody' });

const File = { schema: z.unknown().meta({ type: 'string', format: 'binary' }) };

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const;

const tags = ['Jobs'];

export const exportRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/exports',
    {
      schema: {
        tags,
        summary: 'Export contacts, recipients, events, or suppressions',
        description:
          'Queues a job; poll `GET /jobs/:id` until its `result` has the `url` of the file. The URL is signed, requires ' +
          'no key, and is valid for 24 hours. The set of rows is fixed when the job begins: each row is exported once, ' +
          'as it is when it is read, and rows that are created later are left out. A project can have 5 exports that ' +
          'have not ended (409 otherwise).\n\nCSV is UTF-8 with commas. An apostrophe precedes cells that begin with ' +
          '`=`, `+`, `-`, or `@`, except numbers, so that spreadsheets do not evaluate them. Contacts have a column ' +
          'for each key of their data, up to 200; all other values are in the column `data` as JSON. `result.mapping` ' +
          'imports the file without a change. JSON is one array of objects as the API returns them.',
        body: ExportBody,
        response: { 202: AcceptedJob },
      },
    },
    async ({ project, account, body }, reply) => {
      const jobId = await requestExport(ctx, project.id, { ...body, createdBy: account?.id ?? null });
      return reply.code(202).send({ message: 'The export is queued.', jobId });
    },
  );

  app.get(
    '/exports/:token',
    {
      config: { auth: 'none' },
      schema: {
        tags,
        summary: 'Download an export',
        description: 'The target of `url` of an export. Requires no key. Returns 404 after 24 hours.',
        params: z.object({ token: z.string() }),
        response: {
          200: { description: 'The file.', content: { 'text/csv': File, 'application/json': File } },
        },
      },
    },
    async ({ params }, reply) => {
      const { filename, format, bytes, content } = await openExport(ctx, params.token);
      return reply
        .headers({
          'Content-Type': CONTENT_TYPES[format],
          'Content-Length': bytes,
          'Content-Disposition': `attachment; filename="${filename}"`,
          'Cache-Control': 'private, no-store',
          'X-Content-Type-Options': 'nosniff',
        })
        .send(Readable.from(content, { objectMode: false }));
    },
  );
};
