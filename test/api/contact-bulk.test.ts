/** `POST /contacts/bulk`. */
import { describe, expect, test } from 'vitest';
import { PART_SIZE } from '../../src/domain/bulk/sql/contacts.js';
import { runBulkChunk } from '../../src/domain/bulk/run.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { runBulk } from '../helpers/jobs.js';
import { dump } from '../helpers/routes.js';

const api = useApi();

const PRO = { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] };

/** Creates contacts `c0@x.test`, `c1@x.test`, …; every second one has the plan "pro". @returns their ids */
async function insert(project: TestProject, count: number, from = 0): Promise<string[]> {
  const { rows } = await api.ctx.pool.query<{ id: string }>(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $1, 'c' || n || '@x.test', true,
            jsonb_build_object('plan', CASE WHEN n % 2 = 0 THEN 'pro' ELSE 'free' END)
       FROM generate_series($3::int, $3::int + $2::int - 1) n RETURNING id`,
    [project.id, count, from],
  );
  return rows.map(({ id }) => id);
}

async function queue(project: TestProject, body: Record<string, unknown>): Promise<string> {
  const response = await api.as(project, 'POST', '/contacts/bulk', body);
  expect(response.statusCode, response.body).toBe(202);
  return response.json<{ jobId: string }>().jobId;
}

const jobOf = async (project: TestProject, id: string) => {
  const response = await api.as(project, 'GET', `/jobs/${id}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ state: string; result: Record<string, unknown> | null }>();
};

/** Runs a job, which must be completed. @returns its result */
async function run(project: TestProject, body: Record<string, unknown>) {
  const jobId = await queue(project, body);
  await runBulk(api.ctx, { jobId, projectId: project.id });
  const { state, result } = await jobOf(project, jobId);
  expect(state).toBe('completed');
  const { successCount, skippedCount, failureCount, totalRequested, errors } = result ?? {};
  return { totalRequested, successCount, skippedCount, failureCount, errors };
}

const counts = (totalRequested: number, successCount: number, skippedCount: number) => ({
  totalRequested,
  successCount,
  skippedCount,
  failureCount: 0,
  errors: [],
});

const contactsOf = (project: TestProject) =>
  api.ctx.prisma.contact.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });

const staticSegment = async (project: TestProject, body: Record<string, unknown> = {}): Promise<string> => {
  const response = await api.as(project, 'POST', '/segments', { name: 'Some', type: 'STATIC', ...body });
  return response.json<{ id: string }>().id;
};

const eventsOf = async (project: TestProject): Promise<string[]> =>
  (await api.ctx.prisma.event.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } })).map(
    ({ name }) => name,
  );

test('changes the contacts of a query, except some', async () => {
  const project = await api.project();
  const ids = await insert(project, 9);
  expect(
    await run(project, { operation: 'unsubscribe', query: { condition: PRO }, except: [ids[0]?.toUpperCase()] }),
  ).toEqual(counts(4, 4, 0));
  const unsubscribed = (await contactsOf(project)).filter(({ subscribed }) => !subscribed).map(({ id }) => id);
  expect(unsubscribed).toEqual([ids[2], ids[4], ids[6], ids[8]]);
  expect(await eventsOf(project)).toEqual(Array.from({ length: 4 }, () => 'contact.unsubscribed'));
});

test('subscribes contacts, ends their snoozes, and skips the others', async () => {
  const project = await api.project();
  const [off = '', snoozed = ''] = await insert(project, 3);
  await api.ctx.pool.query('UPDATE contacts SET subscribed = false WHERE id = $1', [off]);
  await api.ctx.pool.query(`UPDATE contacts SET snoozed_until = now() + interval '1 day' WHERE id = $1`, [snoozed]);
  expect(await run(project, { operation: 'subscribe', query: {} })).toEqual(counts(3, 2, 1));
  expect((await contactsOf(project)).map(({ subscribed, snoozedUntil }) => [subscribed, snoozedUntil])).toEqual(
    Array.from({ length: 3 }, () => [true, null]),
  );
  const events = await api.ctx.prisma.event.findMany({ where: { projectId: project.id } });
  expect(events.map(({ name, contactId }) => [name, contactId])).toEqual([['contact.subscribed', off]]);
});

test('changes given contacts once, except some, and reports ids that match no contact', async () => {
  const [project, other] = [await api.project(), await api.project()];
  const [a = '', b = '', c = ''] = await insert(project, 3);
  const [theirs = ''] = await insert(other, 1);
  const before = await contactsOf(other);
  const result = await run(project, { operation: 'delete', contactIds: [a, a, b, theirs], except: [b] });
  expect(result).toEqual({
    totalRequested: 3,
    successCount: 1,
    skippedCount: 1,
    failureCount: 1,
    errors: [{ contactId: theirs, error: 'Contact not found' }],
  });
  expect((await contactsOf(project)).map(({ id }) => id)).toEqual([b, c]);
  expect(await contactsOf(other)).toEqual(before);
});

test('merges data, and skips contacts that have it', async () => {
  const project = await api.project();
  await insert(project, 4);
  const data = { plan: 'pro', city: 'Oslo', old: null, empty: '' };
  expect(await run(project, { operation: 'set', query: {}, data })).toEqual(counts(4, 4, 0));
  expect((await contactsOf(project)).map((contact) => contact.data)).toEqual(
    Array.from({ length: 4 }, () => ({ plan: 'pro', city: 'Oslo' })),
  );
  expect(await run(project, { operation: 'set', query: {}, data })).toEqual(counts(4, 0, 4));
  expect(await run(project, { operation: 'set', query: {}, data: { city: null } })).toEqual(counts(4, 4, 0));
});

test('leaves contacts whose data would exceed the limits, and reports them', async () => {
  const project = await api.project();
  const [full = ''] = await insert(project, 2);
  await api.ctx.pool.query(
    `UPDATE contacts SET data = (SELECT jsonb_object_agg('k' || n, n) FROM generate_series(1, 100) n) WHERE id = $1`,
    [full],
  );
  expect(await run(project, { operation: 'set', query: {}, data: { more: 1 } })).toMatchObject({
    successCount: 1,
    failureCount: 1,
    errors: [{ contactId: full, error: "The contact's data would have more than 100 keys or 64 KiB" }],
  });
});

test('adds contacts to a static segment and removes them, with events if it is tracked', async () => {
  const project = await api.project();
  const ids = await insert(project, 4);
  const segmentId = await staticSegment(project, { trackMembership: true });
  const members = async (): Promise<unknown> =>
    (await api.as(project, 'GET', `/segments/${segmentId}`)).json<{ memberCount: number }>().memberCount;
  const add = { operation: 'addToSegment', segmentId, query: { condition: PRO } };
  expect(await run(project, add)).toEqual(counts(2, 2, 0));
  expect(await run(project, { ...add, query: {} })).toEqual(counts(4, 2, 2));
  expect(await members()).toBe(4);
  const remove = { operation: 'removeFromSegment', segmentId, query: { segmentId }, except: [ids[0]] };
  expect(await run(project, remove)).toEqual(counts(3, 3, 0));
  expect(await members()).toBe(1);
  expect((await eventsOf(project)).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'segment.some.entry'),
    ...Array.from({ length: 3 }, () => 'segment.some.exit'),
  ]);
});

test('fails if the segment is deleted before the job runs', async () => {
  const project = await api.project();
  const contactIds = await insert(project, 1);
  const segmentId = await staticSegment(project);
  const jobId = await queue(project, { operation: 'addToSegment', segmentId, contactIds });
  await api.as(project, 'DELETE', `/segments/${segmentId}`);
  await expect(runBulk(api.ctx, { jobId, projectId: project.id })).rejects.toThrow('no longer exists');
});

test('suppresses addresses and lifts suppressions, and leaves stronger reasons', async () => {
  const project = await api.project();
  await insert(project, 3);
  await api.as(project, 'POST', '/suppressions', { email: 'c0@x.test', reason: 'bounce' });
  expect(await run(project, { operation: 'suppress', query: {} })).toEqual(counts(3, 2, 1));
  const stored = await api.ctx.prisma.suppression.findMany({ where: { projectId: project.id } });
  expect(stored.map(({ email, reason }) => `${email} ${reason}`).toSorted()).toEqual([
    'c0@x.test bounce',
    'c1@x.test manual',
    'c2@x.test manual',
  ]);
  expect(await run(project, { operation: 'unsuppress', query: { condition: PRO } })).toEqual(counts(2, 2, 0));
  expect(await run(project, { operation: 'unsuppress', query: {} })).toEqual(counts(3, 1, 2));
});

describe('the set of a query', () => {
  const job = async (project: TestProject, body: Record<string, unknown>) => ({
    jobId: await queue(project, body),
    projectId: project.id,
  });

  test('is fixed when the job begins', async () => {
    const project = await api.project();
    const ids = await insert(project, 10);
    const ref = await job(project, { operation: 'set', query: { condition: PRO }, data: { done: true } });
    // The first call of a short job only stores its contacts.
    expect(await runBulkChunk(api.ctx, ref)).toEqual({ done: false, cursor: 0, total: 5 });
    await insert(project, 5, 100);
    await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE id = $1`, [ids[0]]);
    await api.as(project, 'DELETE', `/contacts/${ids[2]}`);
    await runBulk(api.ctx, ref);
    expect((await jobOf(project, ref.jobId)).result).toMatchObject({ successCount: 4, failureCount: 1 });
    const done = (await contactsOf(project)).filter(({ data }) => JSON.stringify(data).includes('done'));
    expect(done.map(({ id }) => id)).toEqual([ids[0], ids[4], ids[6], ids[8]]);
  });

  test('can be empty', async () => {
    const project = await api.project();
    expect(await run(project, { operation: 'delete', query: { search: 'unknown' } })).toEqual(counts(0, 0, 0));
  });

  test('is processed exactly once by two concurrent workers', async () => {
    const project = await api.project();
    const total = 3 * PART_SIZE + 1;
    await insert(project, total);
    const ref = await job(project, { operation: 'unsubscribe', query: {} });
    await Promise.all([runBulk(api.ctx, ref), runBulk(api.ctx, ref)]);
    expect((await jobOf(project, ref.jobId)).result).toMatchObject({ successCount: total, skippedCount: 0 });
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(total);
    expect(await api.ctx.prisma.jobContacts.count({ where: { jobId: ref.jobId } })).toBe(0);
  });

  test('is discarded when the job is canceled, and the result has what was done', async () => {
    const project = await api.project();
    await insert(project, 3);
    const ref = await job(project, { operation: 'delete', query: {} });
    expect((await runBulkChunk(api.ctx, ref))?.total).toBe(3);
    expect((await api.as(project, 'DELETE', `/jobs/${ref.jobId}`)).statusCode).toBe(200);
    expect(await runBulkChunk(api.ctx, ref)).toBeNull();
    const { state, result } = await jobOf(project, ref.jobId);
    expect([state, result?.successCount]).toEqual(['cancelled', 0]);
    expect(await contactsOf(project)).toHaveLength(3);
    expect(await api.ctx.prisma.jobContacts.count({ where: { jobId: ref.jobId } })).toBe(0);
  });
});

test('a cancellation during the second part reports exactly the first part', async () => {
  const project = await api.project();
  const ids = await insert(project, PART_SIZE + 1);
  const ref = {
    jobId: await queue(project, { operation: 'unsubscribe', contactIds: ids }),
    projectId: project.id,
  };
  const holder = await api.ctx.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [ids.at(-1)]);
    // The second part waits for the locked contact, gives up, and tries again, until the cancellation comes between.
    const running = runBulk(api.ctx, ref);
    await expect
      .poll(async () => (await api.ctx.prisma.job.findUnique({ where: { id: ref.jobId } }))?.cursor)
      .toBe(PART_SIZE);
    expect((await api.as(project, 'DELETE', `/jobs/${ref.jobId}`)).statusCode).toBe(200);
    await running;
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  const { state, result } = await jobOf(project, ref.jobId);
  expect(state).toBe('cancelled');
  expect(result).toMatchObject({ totalRequested: PART_SIZE + 1, successCount: PART_SIZE, skippedCount: 0 });
  const unsubscribed = (await contactsOf(project)).filter(({ subscribed }) => !subscribed);
  expect(unsubscribed.map(({ id }) => id)).toEqual(ids.slice(0, -1));
  expect(await eventsOf(project)).toHaveLength(PART_SIZE);
});

describe('bad input', () => {
  test.each([
    { operation: 'erase', query: {} },
    { operation: 'delete' },
    { operation: 'delete', query: {}, contactIds: [newId()] },
    { operation: 'delete', contactIds: [] },
    { operation: 'delete', contactIds: ['x'] },
    { operation: 'delete', contactIds: Array.from({ length: 10_001 }, newId) },
    { operation: 'delete', query: { condition: { logic: 'AND' } } },
    { operation: 'delete', query: { limit: 5 } },
    { operation: 'delete', query: {}, except: ['x'] },
    { operation: 'delete', query: {}, except: Array.from({ length: 10_001 }, newId) },
    { operation: 'delete', query: {}, data: { a: 1 } },
    { operation: 'set', query: {} },
    { operation: 'set', query: {}, data: {} },
    { operation: 'set', query: {}, data: { empty: '' } },
    { operation: 'addToSegment', query: {} },
    { operation: 'subscribe', query: {}, segmentId: newId() },
  ])('returns 422 and queues nothing', async (body) => {
    const project = await api.project();
    const before = await dump(api.ctx);
    expect(refused(await api.as(project, 'POST', '/contacts/bulk', body))).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
    });
    expect(await dump(api.ctx)).toEqual(before);
  });

  test('returns 404 for a segment of another project and 400 for a dynamic segment', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const theirs = await staticSegment(other);
    const dynamic = await staticSegment(project, { type: 'DYNAMIC', condition: PRO });
    const status = async (body: unknown) => (await api.as(project, 'POST', '/contacts/bulk', body)).statusCode;
    expect(await status({ operation: 'addToSegment', segmentId: theirs, query: {} })).toBe(404);
    expect(await status({ operation: 'addToSegment', segmentId: dynamic, query: {} })).toBe(400);
    expect(await status({ operation: 'delete', query: { segmentId: theirs } })).toBe(404);
  });
});
