/** `GET /jobs`, `DELETE /jobs/:id`, and the errors of a job as CSV. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prepareImport } from '../../src/domain/imports/prepare.js';
import { importChunk } from '../../src/domain/imports/run.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { form, jobHelpers, runBulk, runImport } from '../helpers/jobs.js';
import { dump } from '../helpers/routes.js';
import { newUser, request } from '../helpers/session.js';

const api = useApi();
const { queue, queueBulk } = jobHelpers(api);

const Job = z.looseObject({ id: z.string(), kind: z.string(), state: z.string(), result: z.unknown() });
const Page = z.object({
  data: z.array(Job),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number(),
});

const list = async (project: TestProject, query = '') => {
  const response = await api.as(project, 'GET', `/jobs${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return Page.parse(response.json());
};
const get = async (project: TestProject, id: string) => {
  const response = await api.as(project, 'GET', `/jobs/${id}`);
  expect(response.statusCode, response.body).toBe(200);
  return Job.parse(response.json());
};

describe('a job', () => {
  test('of an import has all fields, before and after its end', async () => {
    const project = await api.project();
    const jobId = await queue(project, 'email\na@x.test\nwrong\n');
    expect(await get(project, jobId)).toEqual({
      id: jobId,
      kind: 'import',
      state: 'waiting',
      progress: 0,
      operation: 'import',
      filename: 'contacts.csv',
      createdBy: null,
      createdAt: expect.any(String),
      startedAt: null,
      endedAt: null,
      result: null,
      failedReason: null,
    });
    await runImport(api.ctx, { jobId, projectId: project.id });
    expect(await get(project, jobId)).toMatchObject({
      state: 'completed',
      progress: 100,
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      result: {
        totalRows: 2,
        successCount: 1,
        createdCount: 1,
        updatedCount: 0,
        skippedCount: 0,
        failureCount: 1,
        errors: [{ row: 3, email: 'wrong', error: 'This is not an email address' }],
      },
    });
  });

  test('of a bulk operation names the operation', async () => {
    const project = await api.project();
    const jobId = await queueBulk(project, 'delete', [newId()]);
    await runBulk(api.ctx, { jobId, projectId: project.id });
    expect(await get(project, jobId)).toMatchObject({
      kind: 'bulk',
      operation: 'delete',
      filename: null,
      state: 'completed',
      endedAt: expect.any(String),
      result: { operation: 'delete', totalRequested: 1, successCount: 0, failureCount: 1 },
    });
  });

  test('that a session created names the user', async () => {
    const project = await api.project();
    const user = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'MEMBER' } });
    const headers = { 'x-project-id': project.id };
    const bulk = await request(api.app, 'POST', '/contacts/bulk-delete', {
      body: { contactIds: [newId()] },
      token: user.token,
      headers,
    });
    const { payload, headers: type } = form([{ name: 'file', filename: 'C:\\lists\\a.csv', content: 'email\n' }]);
    const imported = await api.app.inject({
      method: 'POST',
      url: '/contacts/import',
      headers: { ...headers, ...type, cookie: `token=${user.token}` },
      payload,
    });
    for (const [response, filename] of [
      [bulk, null],
      [imported, 'a.csv'],
    ] as const)
      expect(await get(project, response.json<{ jobId: string }>().jobId)).toMatchObject({
        createdBy: user.id,
        filename,
      });
  });
});

describe('GET /jobs', () => {
  test('returns pages, newest first, and filters by kind and state', async () => {
    const project = await api.project();
    await queue(await api.project(), 'email\n');
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.unshift(await queue(project, 'email\n'));
      ids.unshift(await queueBulk(project, 'delete', ['x']));
    }
    await runBulk(api.ctx, { jobId: ids[0] ?? '', projectId: project.id });
    const first = await list(project, '?limit=4');
    expect(first).toMatchObject({ hasMore: true, total: 6 });
    const second = await list(project, `?limit=4&cursor=${first.cursor}`);
    expect(second).toMatchObject({ hasMore: false, cursor: null, total: 0 });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);

    expect(await list(project, '?kind=bulk&limit=1')).toMatchObject({ data: [{ kind: 'bulk' }], total: 3 });
    expect(await list(project, '?kind=bulk&state=waiting')).toMatchObject({
      total: 2,
    });
    expect(await list(project, '?kind=replay')).toEqual({ data: [], cursor: null, hasMore: false, total: 0 });
  });

  test('returns 422 for an unknown kind or state, and for a cursor of another list', async () => {
    const project = await api.project();
    const other = Buffer.from(JSON.stringify(['recipient', newId()])).toString('base64url');
    for (const [query, field] of [
      ['kind=campaign', 'kind'],
      ['state=done', 'state'],
      ['limit=0', 'limit'],
      ['cursor=x', 'cursor'],
      [`cursor=${other}`, 'cursor'],
    ])
      expect(refused(await api.as(project, 'GET', `/jobs?${query}`)), query).toMatchObject({
        status: 422,
        errors: [expect.stringMatching(`^${field} `)],
      });
  });
});

describe('DELETE /jobs/:id', () => {
  test('cancels a waiting import, deletes its file, and cancels its Temporal workflow', async () => {
    const project = await api.project();
    const jobId = await queue(project, 'email\na@x.test\n');
    const response = await api.as(project, 'DELETE', `/jobs/${jobId}`);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toMatchObject({
      id: jobId,
      state: 'cancelled',
      endedAt: expect.any(String),
      result: { totalRows: 0, successCount: 0 },
    });
    expect(await api.ctx.prisma.importFile.count({ where: { jobId } })).toBe(0);
    expect(await api.ctx.prisma.outbox.count({ where: { workflowId: `import:${jobId}`, action: 'cancel' } })).toBe(1);
    await runImport(api.ctx, { jobId, projectId: project.id });
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('reports exactly the chunks that an active import has merged', async () => {
    const project = await api.project();
    const rows = Array.from({ length: 10_100 }, (_, row) => `c${row}@x.test`);
    const jobId = await queue(project, `email\n${rows.join('\n')}\n`);
    const job = { jobId, projectId: project.id };
    await prepareImport(api.ctx, job);
    await importChunk(api.ctx, job);
    const { result } = Job.parse((await api.as(project, 'DELETE', `/jobs/${jobId}`)).json());
    const contacts = await api.ctx.prisma.contact.count({ where: { projectId: project.id } });
    expect(contacts).toBeGreaterThan(0);
    expect(contacts).toBeLessThan(rows.length);
    expect(result).toMatchObject({ totalRows: rows.length, successCount: contacts, createdCount: contacts });
    expect(await importChunk(api.ctx, job)).toBeNull();
    expect(await api.ctx.prisma.importRow.count({ where: { jobId } })).toBe(0);
  });

  test('returns 409 for a job that has ended, and changes nothing', async () => {
    const project = await api.project();
    const jobId = await queueBulk(project, 'delete', [newId()]);
    await runBulk(api.ctx, { jobId, projectId: project.id });
    const before = await dump(api.ctx);
    expect(refused(await api.as(project, 'DELETE', `/jobs/${jobId}`))).toEqual({ status: 409, code: 'CONFLICT' });
    expect(await dump(api.ctx)).toEqual(before);
  });

  test('of two concurrent cancellations, one succeeds and one returns 409', async () => {
    const project = await api.project();
    const jobId = await queueBulk(project, 'delete', [newId()]);
    const responses = await Promise.all([1, 2].map(() => api.as(project, 'DELETE', `/jobs/${jobId}`)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(expect.arrayContaining([200, 409]));
  });
});

describe('GET /jobs/:id/errors.csv', () => {
  test('returns the errors of a bulk operation as a download', async () => {
    const project = await api.project();
    const jobId = await queueBulk(project, 'delete', ['a, "b"']);
    await runBulk(api.ctx, { jobId, projectId: project.id });
    const response = await api.as(project, 'GET', `/jobs/${jobId}/errors.csv`);
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="errors-${jobId}.csv"`,
    });
    expect(response.body).toBe('contactId,sendloom_error\r\n"a, ""b""",Contact not found\r\n');
  });
});
