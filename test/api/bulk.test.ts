/** `POST /contacts/bulk-*`. */
import { describe, expect, it, test } from 'vitest';
import { insertEmail, insertMessage } from '../../src/domain/emails/sql/emails.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { jobHelpers, runBulk } from '../helpers/jobs.js';
import { dump } from '../helpers/routes.js';

const api = useApi();
const { queueBulk, bulkStatus, bulk, contacts, flips } = jobHelpers(api);

/** Creates contacts `c0@x.test`, `c1@x.test`, …; @returns their ids */
async function insert(project: TestProject, count: number, subscribed = true): Promise<string[]> {
  const { rows } = await api.ctx.pool.query<{ id: string }>(
    `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'c' || n || '@x.test', $3 FROM generate_series(0, $2::int - 1) n RETURNING id`,
    [project.id, count, subscribed],
  );
  return rows.map(({ id }) => id);
}

const OPERATIONS = ['subscribe', 'unsubscribe', 'delete'];

describe.each(OPERATIONS)('POST /contacts/bulk-%s', (operation) => {
  it('returns 202 with a job id, and commits the job and the start of its workflow', async () => {
    const project = await api.project();
    const [id = ''] = await insert(project, 1);
    const jobId = await queueBulk(project, operation, [id]);
    expect(await bulkStatus(project, jobId)).toEqual({
      id: jobId,
      state: 'waiting',
      progress: 0,
      result: null,
      failedReason: null,
    });
    const intents = await api.ctx.prisma.outbox.findMany({
      where: { workflowId: `bulk:${jobId}` },
      select: { action: true, payload: true },
    });
    expect(intents).toMatchObject([
      {
        action: 'start',
        payload: { workflowType: 'bulkJob', taskQueue: 'bulk', args: [{ jobId, projectId: project.id }] },
      },
    ]);
  });

  it('returns 422 for no ids, 1,001 ids, and values that are not strings, and queues nothing', async () => {
    const project = await api.project();
    const many = Array.from({ length: 1001 }, newId);
    const before = await dump(api.ctx);
    for (const contactIds of [[], many, 'x', [1], [null], [''], undefined])
      expect((await api.as(project, 'POST', `/contacts/bulk-${operation}`, { contactIds })).statusCode).toBe(422);
    expect(await dump(api.ctx)).toEqual(before);
    expect(
      (await api.as(project, 'POST', `/contacts/bulk-${operation}`, { contactIds: many.slice(1) })).statusCode,
    ).toBe(202);
  });

  it('counts ids of other projects, unknown ids, and malformed ids as failures without changes', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const [mine = ''] = await insert(project, 1, operation === 'unsubscribe');
    const [theirs = ''] = await insert(other, 1, operation === 'unsubscribe');
    const before = await contacts(other);
    const unknown = newId();
    const result = await bulk(project, operation, [theirs, mine, unknown, 'Not-an-ID']);
    expect(result).toEqual({
      operation,
      totalRequested: 4,
      successCount: 1,
      skippedCount: 0,
      failureCount: 3,
      errors: [theirs, unknown, 'Not-an-ID'].map((contactId) => ({ contactId, error: 'Contact not found' })),
    });
    expect(await contacts(other)).toEqual(before);
  });

  it('processes 1,000 contacts once each with two concurrent workers, and skips duplicate ids', async () => {
    const project = await api.project();
    const ids = await insert(project, 999, operation === 'unsubscribe');
    const jobId = await queueBulk(project, operation, [...ids, ids[0]?.toUpperCase() ?? '']);
    const job = { jobId, projectId: project.id };
    await Promise.all([runBulk(api.ctx, job), runBulk(api.ctx, job)]);
    expect(await bulkStatus(project, jobId)).toMatchObject({
      state: 'completed',
      progress: 100,
      result: { totalRequested: 1000, successCount: 999, skippedCount: 1, failureCount: 0 },
    });
    const events = await api.ctx.prisma.event.count({ where: { projectId: project.id } });
    expect(events).toBe(operation === 'delete' ? 0 : 999);
    const before = await dump(api.ctx);
    await runBulk(api.ctx, job);
    expect(await dump(api.ctx)).toEqual(before);
  });
});

describe('GET /contacts/bulk/:jobId', () => {
  test("returns 404 for another project's job, an import, an unknown id, and a malformed id", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const theirs = await queueBulk(other, 'delete', [newId()]);
    const imported = newId();
    await api.ctx.prisma.job.create({ data: { id: imported, projectId: project.id, kind: 'IMPORT' } });
    for (const id of [theirs, imported, newId(), 'x'])
      expect(refused(await api.as(project, 'GET', `/contacts/bulk/${id}`))).toEqual({
        status: 404,
        code: 'JOB_NOT_FOUND',
      });
  });
});

test('only contacts whose subscription changes get an event, and the others are skipped', async () => {
  const project = await api.project();
  const on = await insert(project, 2);
  await api.ctx.prisma.contact.updateMany({ where: { id: on[1] }, data: { subscribed: false } });
  expect(await bulk(project, 'unsubscribe', on)).toMatchObject({ successCount: 1, skippedCount: 1 });
  expect(await bulk(project, 'unsubscribe', on)).toMatchObject({ successCount: 0, skippedCount: 2 });
  expect(await bulk(project, 'subscribe', on)).toMatchObject({ successCount: 2, skippedCount: 0 });
  expect(await flips(project)).toEqual([
    'contact.subscribed bulk c0@x.test',
    'contact.subscribed bulk c1@x.test',
    'contact.unsubscribed bulk c0@x.test',
  ]);
});

test('a snooze ends when the subscription is written; unsubscribing a snoozed contact writes no event', async () => {
  const project = await api.project();
  const [id = ''] = await insert(project, 1, false);
  await api.ctx.prisma.contact.update({ where: { id }, data: { snoozedUntil: new Date(Date.now() + 3_600_000) } });
  expect(await bulk(project, 'unsubscribe', [id])).toMatchObject({ successCount: 1 });
  expect(await api.ctx.prisma.contact.findUniqueOrThrow({ where: { id } })).toMatchObject({
    subscribed: false,
    snoozedUntil: null,
  });
  expect(await flips(project)).toEqual([]);
});

test('contacts are deleted by the rules of DELETE /contacts/:id', async () => {
  const project = await api.project();
  const ids = await insert(project, 300);
  const [first = '', last = ''] = [ids[0], ids[299]];
  const { prisma, pool } = api.ctx;
  const projectId = project.id;
  const messageId = newId();
  await insertMessage(pool, {
    id: messageId,
    projectId,
    type: 'MARKETING',
    subject: 's',
    body: 'b',
    from: `a@${project.domain}`,
  });
  const [marketing, transactional] = [newId(), newId()];
  await insertEmail(pool, {
    id: marketing,
    projectId,
    messageId,
    contactId: first,
    source: 'TRANSACTIONAL',
    type: 'MARKETING',
    toEmail: 'c0@x.test',
  });
  await insertEmail(pool, {
    id: transactional,
    projectId,
    messageId,
    contactId: last,
    source: 'TRANSACTIONAL',
    type: 'TRANSACTIONAL',
    toEmail: 'c299@x.test',
  });
  const workflow = await prisma.workflow.create({ data: { id: newId(), projectId, name: 'w', eventName: 'e' } });
  const waiting = await prisma.workflowExecution.create({
    data: { id: newId(), projectId, workflowId: workflow.id, contactId: first, status: 'WAITING' },
  });
  expect(await bulk(project, 'delete', ids.slice(1, 250).concat(first, last))).toMatchObject({
    successCount: 251,
    failureCount: 0,
  });
  expect(await prisma.contact.count({ where: { projectId } })).toBe(49);
  expect(await prisma.email.findUniqueOrThrow({ where: { id: marketing } })).toMatchObject({
    contactId: null,
    status: 'CANCELLED',
    error: 'The contact was deleted.',
  });
  expect(await prisma.email.findUniqueOrThrow({ where: { id: transactional } })).toMatchObject({
    contactId: null,
    status: 'PENDING',
    error: null,
  });
  expect(await prisma.outbox.count({ where: { workflowId: `execution:${waiting.id}`, action: 'cancel' } })).toBe(1);
});
