/** Jobs of all kinds. Beyond the specification. */
import { Readable } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { cancelJobByUser } from '../../domain/jobs/cancel.js';
import { jobErrorLines } from '../../domain/jobs/errors.js';
import { getJob, JOB_KINDS, listJobs } from '../../domain/jobs/get.js';
import { JobSchema, State } from '../job-schema.js';
import { CursorQuery, cursorPage, IdParams } from '../schemas.js';
import { withTypes } from '../typed.js';

const ListQuery = CursorQuery.extend({ kind: z.enum(JOB_KINDS).optional(), state: State.optional() });

const Csv = { schema: z.unknown().meta({ type: 'string' }) };

const tags = ['Jobs'];

export const jobRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/jobs',
    {
      schema: {
        tags,
        summary: 'List jobs',
        description:
          'Imports, bulk operations, exports, and replays of webhooks of the project, newest first. `total` is the ' +
          'number of jobs with the given `kind` and `state`.',
        querystring: ListQuery,
        response: { 200: cursorPage(JobSchema) },
      },
    },
    async ({ project, query }) => listJobs(ctx, project.id, query),
  );

  app.get(
    '/jobs/:id',
    { schema: { tags, summary: 'Retrieve a job', params: IdParams, response: { 200: JobSchema } } },
    async ({ project, params }) => getJob(ctx, project.id, params.id),
  );

  app.delete(
    '/jobs/:id',
    {
      schema: {
        tags,
        summary: 'Cancel a job',
        description:
          'Stops a waiting or active job after the chunk in progress. Changes that the job has made stay, and ' +
          '`result` reports them exactly. Returns the canceled job, or 409 if the job has ended. The job stays in ' +
          'the list.',
        params: IdParams,
        response: { 200: JobSchema },
      },
    },
    async ({ project, params }) => cancelJobByUser(ctx, project.id, params.id),
  );

  app.get(
    '/jobs/:id/errors.csv',
    {
      schema: {
        tags,
        summary: 'Download the errors of a job',
        description:
          'A CSV file with one row per error. The column `sendloom_error` is the reason. The rows of an import have ' +
          'their original columns and delimiter, so that they can be corrected and imported again with the same ' +
          'options: imports ignore the column `sendloom_error`. Cells are as in the imported file, so a cell can ' +
          'begin with `=`. While the job runs, the file contains the errors so far. The rejected rows are kept for 30 ' +
          'days; after that, the file has only the addresses and reasons of the first 1,000 errors.',
        params: IdParams,
        response: { 200: { description: 'The errors.', content: { 'text/csv': Csv } } },
      },
    },
    async ({ project, params }, reply) => {
      const lines = await jobErrorLines(ctx, project.id, params.id);
      return reply
        .headers({
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': `attachment; filename="errors-${params.id}.csv"`,
        })
        .send(Readable.from(lines));
    },
  );
};
