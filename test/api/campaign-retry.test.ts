/** Why emails of a campaign failed, and sending them again. */
import { expect, test } from 'vitest';
import { begin, finish, snapshot } from '../../src/domain/campaigns/run.js';
import { createLog } from '../../src/log.js';
import { newId } from '../../src/ids.js';
import { startRecovery } from '../../src/domain/delivery/recover.js';
import { leaseChunks } from '../../src/domain/delivery/sql/chunks.js';
import { readOpenWork } from '../../src/domain/delivery/sql/campaigns.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';
import { createCaptureTransport, type CaptureTransport } from '../helpers/capture-transport.js';
import { expireLeases } from '../helpers/chunks.js';
import { eventually } from '../helpers/eventually.js';
import { sendLane } from '../helpers/send-lane.js';

const api = useApi();
const { contact, draft, intents, setState } = campaignHelpers(api);

const REJECTED = {
  kind: 'permanent',
  stage: 'envelope',
  response: '550 5.1.1 <gone@x.test> unknown 4fBz8k1Lq2z',
} as const;

/** Runs the current attempt of a campaign as its Temporal workflow does. */
async function run(project: TestProject, campaignId: string, client: CaptureTransport): Promise<string[]> {
  const { attempt } = await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id: campaignId } });
  const ref = { campaignId, projectId: project.id, attempt };
  expect(await begin(api.ctx, ref)).toBe(true);
  while (!(await snapshot(api.ctx, ref)).done);
  const { recipients } = await sendLane(api.ctx, ref, client);
  expect(await finish(api.ctx, ref)).toMatchObject({ finished: true });
  return recipients;
}

/** A SENT campaign to a, b, and c@x.test. The server rejected a, and the outcome of b is unknown. */
async function sentWithFailures(client = createCaptureTransport()) {
  const project = await api.project();
  for (const name of ['a', 'b', 'c']) await contact(project, `${name}@x.test`);
  const id = await draft(project);
  expect((await api.as(project, 'POST', `/campaigns/${id}/send`, {})).statusCode).toBe(200);
  client.failNext({ ...REJECTED, to: 'a@x.test' });
  await run(project, id, client);
  await api.ctx.prisma.email.updateMany({
    where: { campaignId: id, toEmail: 'b@x.test' },
    data: { status: 'FAILED', ambiguous: true, error: 'unknown', response: null },
  });
  return { project, id, client };
}

const retry = async (project: TestProject, id: string, body?: unknown) => {
  const response = await api.as(project, 'POST', `/campaigns/${id}/retry-failed`, body);
  expect(response.statusCode, response.body).toBe(202);
  return response.json<{ retried: number }>().retried;
};
const state = (id: string) => api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } });
const stats = async (project: TestProject, id: string) =>
  (await api.as(project, 'GET', `/campaigns/${id}/stats`)).json<Record<string, number>>();

test('a retry sends only the emails that the server rejected, and the campaign keeps the time of its end', async () => {
  const { project, id, client } = await sentWithFailures();
  const { sentAt } = await state(id);
  expect(await retry(project, id)).toBe(1);
  expect(await state(id)).toMatchObject({ status: 'SENDING', attempt: 2 });
  expect((await intents(project)).at(-1)).toMatchObject({ workflowId: `campaign:${id}:2`, action: 'start' });
  expect(await run(project, id, client)).toEqual(['a@x.test']);
  expect(await state(id)).toMatchObject({ status: 'SENT', sentAt, totalRecipients: 3 });
  expect(await stats(project, id)).toMatchObject({ sentCount: 3, failedCount: 0, unknownCount: 1 });
});

test('a retry with includeAmbiguous also sends the emails with an unknown outcome', async () => {
  const { project, id, client } = await sentWithFailures();
  expect(await retry(project, id, { includeAmbiguous: true })).toBe(2);
  expect(await run(project, id, client)).toEqual(['a@x.test', 'b@x.test']);
  expect(await stats(project, id)).toMatchObject({ failedCount: 0, unknownCount: 0 });
});

test('a retry without failed emails changes nothing', async () => {
  const project = await api.project();
  const id = await draft(project);
  await setState(id, 'SENT');
  const before = await state(id);
  expect(await retry(project, id)).toBe(0);
  expect([await state(id), await intents(project)]).toEqual([before, []]);
});

test.each(['DRAFT', 'SCHEDULED', 'SENDING', 'CANCELLED'] as const)(
  'a %s campaign cannot be retried',
  async (status) => {
    const project = await api.project();
    const id = await draft(project);
    await setState(id, status);
    const before = await state(id);
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/retry-failed`, {}))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
    expect(await state(id)).toEqual(before);
  },
);

test('a retry needs a verified sender domain, an enabled project, and a boolean', async () => {
  const { project, id } = await sentWithFailures();
  const before = await state(id);
  const call = (body: unknown) => api.as(project, 'POST', `/campaigns/${id}/retry-failed`, body);
  expect(refused(await call({ includeAmbiguous: 'yes' }))).toEqual({
    status: 422,
    code: 'VALIDATION_ERROR',
    errors: ['includeAmbiguous invalid_type'],
  });
  await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'FAILED' } });
  expect((await call({})).statusCode).toBe(403);
  await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'VERIFIED' } });
  await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
  expect((await call({})).statusCode).toBe(403);
  expect(await state(id)).toEqual(before);
});

test('of two concurrent retries, one starts', async () => {
  const { project, id } = await sentWithFailures();
  const call = () => api.as(project, 'POST', `/campaigns/${id}/retry-failed`, {});
  const statuses = (await Promise.all([call(), call()])).map(({ statusCode }) => statusCode);
  expect(statuses.sort((a, b) => a - b)).toEqual([202, 409]);
  expect((await state(id)).attempt).toBe(2);
});

test('a retry sends nothing to a contact that unsubscribed in the meantime', async () => {
  const { project, id, client } = await sentWithFailures();
  await api.ctx.prisma.contact.updateMany({
    where: { projectId: project.id, email: 'a@x.test' },
    data: { subscribed: false },
  });
  expect(await retry(project, id)).toBe(1);
  expect(await run(project, id, client)).toEqual([]);
  expect(await stats(project, id)).toMatchObject({ failedCount: 0, cancelledCount: 1 });
});

test('an email that fails again during the retry is tried once', async () => {
  const { project, id, client } = await sentWithFailures();
  client.failNext({ ...REJECTED, to: 'a@x.test' });
  expect(await retry(project, id)).toBe(1);
  const attempts = client.attempts.length;
  await run(project, id, client);
  expect(client.attempts.length).toBe(attempts + 1);
  expect(await stats(project, id)).toMatchObject({ failedCount: 1 });
});

test.each([
  [false, 'FAILED'],
  [true, 'PENDING'],
] as const)(
  'with includeAmbiguous %s, an email of a lost worker is %s under AMBIGUOUS_SEND=skip',
  async (all, status) => {
    const { project, id } = await sentWithFailures();
    await retry(project, id, { includeAmbiguous: all });
    const ref = { campaignId: id, projectId: project.id, attempt: 2 };
    await begin(api.ctx, ref);
    while (!(await snapshot(api.ctx, ref)).done);
    const owner = newId();
    const [row] = await leaseChunks(api.ctx.pool, { campaignId: id, limit: 1, owner, leaseMs: 60_000 });
    if (!row) throw new Error('No chunk was leased');
    await api.ctx.prisma.campaignChunk.updateMany({ where: { campaignId: id }, data: { mark: row.size } });
    await expireLeases(api.ctx, ref);
    const loop = startRecovery({
      pool: api.ctx.pool,
      log: createLog('silent'),
      workerId: newId(),
      policy: 'skip',
      leaseMs: 100,
      journalDirectory: null,
      database: 'test',
      holds: () => false,
    });
    await eventually(async () => expect(await readOpenWork(api.ctx.pool, id)).toMatchObject({ isHeld: false }));
    await loop.stop();
    expect(
      await api.ctx.prisma.email.findFirstOrThrow({ where: { campaignId: id, toEmail: 'a@x.test' } }),
    ).toMatchObject({ status, ambiguous: true });
  },
);

test('failures are grouped by reply, without addresses and ids, and have an example', async () => {
  const project = await api.project();
  const id = await draft(project);
  for (const name of ['a', 'b', 'c']) await contact(project, `${name}@x.test`);
  await api.as(project, 'POST', `/campaigns/${id}/send`, {});
  const client = createCaptureTransport();
  for (const name of ['a', 'b'])
    client.failNext({
      ...REJECTED,
      response: `550 5.1.1 <${name}@x.test> unknown 4fBz${name}8k1Lq2z`,
      to: `${name}@x.test`,
    });
  client.failNext({ ...REJECTED, response: '554 spam', to: 'c@x.test' });
  await run(project, id, client);
  const answer = (await api.as(project, 'GET', `/campaigns/${id}/failures`)).json();
  expect(answer).toEqual({
    data: [
      {
        response: '550 5.1.1 <…> unknown …',
        count: 2,
        example: {
          emailId: expect.any(String),
          email: 'a@x.test',
          response: '550 5.1.1 <a@x.test> unknown 4fBza8k1Lq2z',
        },
      },
      { response: '554 spam', count: 1, example: expect.objectContaining({ email: 'c@x.test' }) },
    ],
    other: 0,
  });
});

test('an email whose outcome is unknown has this status detail, and another failed one has none', async () => {
  const { project, id } = await sentWithFailures();
  const detailOf = async (toEmail: string) => {
    const email = await api.ctx.prisma.email.findFirstOrThrow({ where: { campaignId: id, toEmail } });
    const { status, statusDetail, ambiguous } = (await api.as(project, 'GET', `/emails/${email.id}`)).json();
    return { status, statusDetail, ambiguous };
  };
  expect(await detailOf('b@x.test')).toEqual({ status: 'FAILED', statusDetail: 'unknown', ambiguous: true });
  expect(await detailOf('a@x.test')).toEqual({ status: 'FAILED', statusDetail: null, ambiguous: false });
});
