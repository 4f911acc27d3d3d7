/** A suppressed address is never sent marketing email, even if its contact is subscribed. */
import { describe, expect, test } from 'vitest';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { begin, finish, snapshot } from '../../src/domain/campaigns/run.js';
import { advance } from '../../src/domain/executions/advance.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { sendDue } from '../helpers/send-due.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { sendLane } from '../helpers/send-lane.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';
import {
  emailsOf,
  executionRow,
  exit,
  historyOf,
  insertGraph,
  insertTemplate,
  pathOf,
  sendTemplate,
  startByEvent,
  type TemplateSpec,
} from '../helpers/workflow-graph.js';

const api = useApi();
const { contact, draft } = campaignHelpers(api);

const suppress = async (project: TestProject, email: string, reason = 'manual'): Promise<void> => {
  expect((await api.as(project, 'POST', '/suppressions', { email, reason })).statusCode).toBeLessThan(300);
};
const lift = (project: TestProject, email: string) => api.as(project, 'DELETE', `/suppressions/${email}`);

/** Sends a campaign, and takes its snapshot as its workflow does. */
async function start(project: TestProject, overrides: Record<string, unknown> = {}) {
  const id = await draft(project, overrides);
  const response = await api.as(project, 'POST', `/campaigns/${id}/send`);
  expect(response.statusCode, response.body).toBe(200);
  const run = { campaignId: id, projectId: project.id, attempt: 1 };
  await begin(api.ctx, run);
  expect(await snapshot(api.ctx, run)).toMatchObject({ done: true });
  return run;
}

const recipients = async (campaignId: string): Promise<string[]> =>
  (
    await api.ctx.prisma.email.findMany({
      where: { campaignId },
      select: { toEmail: true },
      orderBy: { toEmail: 'asc' },
    })
  ).map(({ toEmail }) => toEmail);

const handOverCampaign = async (run: CampaignRun): Promise<string[]> => (await sendLane(api.ctx, run)).recipients;
const handOverDue = async (): Promise<string[]> => (await sendDue(api.ctx)).map(({ to }) => to).sort();

const emailTo = (project: TestProject, toEmail: string) =>
  api.ctx.prisma.email.findFirstOrThrow({ where: { projectId: project.id, toEmail } });

describe('a campaign', () => {
  test.each(['MARKETING', 'HEADLESS'])(
    '%s omits suppressed addresses with any reason from its snapshot, even if they are subscribed',
    async (type) => {
      const project = await api.project();
      for (const name of ['a', 'b', 'c', 'd']) await contact(project, `${name}@x.test`);
      await suppress(project, 'a@x.test', 'bounce');
      await suppress(project, 'b@x.test', 'complaint');
      await suppress(project, 'c@x.test', 'manual');
      const { campaignId } = await start(project, { type });
      expect(await recipients(campaignId)).toEqual(['d@x.test']);
      expect((await api.as(project, 'GET', `/campaigns/${campaignId}`)).json()).toMatchObject({ totalRecipients: 1 });
    },
  );

  test('with TRANSACTIONAL reaches all', async () => {
    const project = await api.project();
    for (const name of ['a', 'b']) await contact(project, `${name}@x.test`);
    await suppress(project, 'a@x.test', 'complaint');
    expect(await recipients((await start(project, { type: 'TRANSACTIONAL' })).campaignId)).toEqual([
      'a@x.test',
      'b@x.test',
    ]);
  });

  test('excludes suppressed addresses of its own project only', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await contact(project, 'a@x.test');
    await suppress(other, 'a@x.test');
    expect(await recipients((await start(project)).campaignId)).toEqual(['a@x.test']);
  });

  test('to suppressed addresses only has no recipients: 400', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    await suppress(project, 'a@x.test');
    expect(refused(await api.as(project, 'POST', `/campaigns/${await draft(project)}/send`))).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    });
  });

  test('is counted without them by POST /campaigns/audience', async () => {
    const project = await api.project();
    for (const name of ['a', 'b', 'c', 'd']) await contact(project, `${name}@x.test`);
    await contact(project, 'left@x.test', { subscribed: false });
    await suppress(project, 'a@x.test');
    await suppress(project, 'left@x.test');
    await suppress(project, 'stranger@x.test');
    const preview = async (body: object) =>
      (await api.as(project, 'POST', '/campaigns/audience', { audienceType: 'ALL', ...body })).json();
    expect(await preview({ type: 'MARKETING' })).toEqual({ matched: 5, unsubscribed: 1, willSend: 3 });
    expect(await preview({ type: 'HEADLESS' })).toEqual({ matched: 5, unsubscribed: 1, willSend: 3 });
    expect(await preview({ type: 'TRANSACTIONAL' })).toEqual({ matched: 5, unsubscribed: 1, willSend: 5 });
    const audienceCondition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'email', operator: 'in', value: ['a@x.test', 'b@x.test'] }] }],
    };
    expect(await preview({ audienceType: 'FILTERED', audienceCondition })).toEqual({
      matched: 2,
      unsubscribed: 0,
      willSend: 1,
    });
    expect(
      await recipients((await start(project, { audienceType: 'FILTERED', audienceCondition })).campaignId),
    ).toEqual(['b@x.test']);
  });

  test('an address suppressed after the snapshot is CANCELLED with the reason, and the counters add up', async () => {
    const project = await api.project();
    for (const name of ['a', 'b', 'c', 'd']) await contact(project, `${name}@x.test`);
    const run = await start(project);
    await suppress(project, 'a@x.test', 'bounce');
    await suppress(project, 'b@x.test', 'complaint');
    await suppress(project, 'c@x.test', 'manual');
    await lift(project, 'c@x.test');
    expect(await handOverCampaign(run)).toEqual(['c@x.test', 'd@x.test']);
    expect(await emailTo(project, 'a@x.test')).toMatchObject({
      status: 'CANCELLED',
      error: 'The address is suppressed (bounce) and gets no marketing mail',
      sentAt: null,
    });
    expect(await emailTo(project, 'b@x.test')).toMatchObject({
      status: 'CANCELLED',
      error: 'The address is suppressed (complaint) and gets no marketing mail',
    });
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect((await api.as(project, 'GET', `/campaigns/${run.campaignId}`)).json()).toMatchObject({
      status: 'SENT',
      totalRecipients: 4,
      sentCount: 2,
    });
    expect((await api.as(project, 'GET', `/campaigns/${run.campaignId}/stats`)).json()).toMatchObject({
      totalRecipients: 4,
      sentCount: 2,
      failedCount: 0,
      cancelledCount: 2,
      pendingCount: 0,
    });
  });

  test('a retry checks again: an address suppressed since the first attempt gets no email', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    const run = await start(project);
    const transport = createCaptureTransport();
    transport.failNext({ kind: 'transient', stage: 'envelope', response: '451 busy' });
    expect(await sendLane(api.ctx, run, transport)).toMatchObject({ retried: 1, recipients: [] });
    expect(await emailTo(project, 'a@x.test')).toMatchObject({ status: 'PENDING', error: '451 busy', attempts: 1 });
    await api.ctx.pool.query(`UPDATE campaign_retries SET due_at = now() WHERE campaign_id = $1`, [run.campaignId]);
    await suppress(project, 'a@x.test');
    expect(await handOverCampaign(run)).toEqual([]);
    expect(await emailTo(project, 'a@x.test')).toMatchObject({ status: 'CANCELLED', attempts: 2 });
  });

  test('with TRANSACTIONAL is also sent to suppressed addresses', async () => {
    const project = await api.project();
    for (const name of ['a', 'b', 'c']) await contact(project, `${name}@x.test`);
    await suppress(project, 'a@x.test', 'bounce');
    await suppress(project, 'b@x.test', 'complaint');
    const run = await start(project, { type: 'TRANSACTIONAL' });
    expect(await handOverCampaign(run)).toEqual(['a@x.test', 'b@x.test', 'c@x.test']);
    await finish(api.ctx, run);
    expect((await api.as(project, 'GET', `/campaigns/${run.campaignId}/stats`)).json()).toMatchObject({
      totalRecipients: 3,
      sentCount: 3,
      failedCount: 0,
      cancelledCount: 0,
    });
  });
});

describe('POST /v1/send', () => {
  const send = (project: TestProject, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    api.as(project, 'POST', '/v1/send', { from: `a@${project.domain}`, ...body }, headers);
  const everything = async ({ id: projectId }: TestProject) => ({
    contacts: await api.ctx.prisma.contact.findMany({ where: { projectId } }),
    emails: await api.ctx.prisma.email.count({ where: { projectId } }),
    messages: await api.ctx.prisma.message.count({ where: { projectId } }),
    events: await api.ctx.prisma.event.count({ where: { projectId } }),
    keys: await api.ctx.prisma.idempotencyKey.count({ where: { projectId } }),
  });

  test.each(['MARKETING', 'HEADLESS'] as const)(
    'a %s template to a suppressed address returns 400 CONTACT_UNSUBSCRIBED with the reason, and writes nothing',
    async (type) => {
      const project = await api.project();
      const template = await insertTemplate(api.ctx, project, { type });
      await contact(project, 'a@x.test');
      await suppress(project, 'a@x.test');
      const before = await everything(project);
      for (const body of [
        { to: 'a@x.test' },
        { to: 'A@X.test', subscribed: true, data: { plan: 'pro' } },
        { to: ['b@x.test', 'a@x.test'], subscribed: true },
      ]) {
        const response = await send(project, { ...body, template }, { 'idempotency-key': 'k1' });
        expect(refused(response)).toEqual({ status: 400, code: 'CONTACT_UNSUBSCRIBED' });
        expect(response.json<{ error: { message: string } }>().error.message).toMatch(/suppressed/);
      }
      expect(await everything(project)).toEqual(before);
      // The key is free.
      await lift(project, 'a@x.test');
      expect((await send(project, { to: 'a@x.test', template }, { 'idempotency-key': 'k1' })).statusCode).toBe(200);
    },
  );

  test('an address without a contact is rejected too', async () => {
    const project = await api.project();
    const template = await insertTemplate(api.ctx, project, { type: 'MARKETING' });
    await suppress(project, 'stranger@x.test', 'complaint');
    expect(refused(await send(project, { to: 'stranger@x.test', template, subscribed: true }))).toEqual({
      status: 400,
      code: 'CONTACT_UNSUBSCRIBED',
    });
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('concurrent requests are rejected individually', async () => {
    const project = await api.project();
    const template = await insertTemplate(api.ctx, project, { type: 'MARKETING' });
    await suppress(project, 'bad@x.test');
    const names = Array.from({ length: 20 }, (_, n) => `good${n}@x.test`);
    const ask = (to: string, body: Record<string, unknown>) => send(project, { to, ...body });
    const asked = names.flatMap((to) => [
      ask(to, { template, subscribed: true }),
      ask('bad@x.test', { template, subscribed: true }),
      ask(to, { subject: 's', body: 'b' }),
    ]);
    const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
    expect(statuses).toEqual(names.flatMap(() => [200, 400, 200]));
  });

  test.each(['bounce', 'complaint', 'manual'] as const)(
    'a TRANSACTIONAL email is sent to a suppressed address (%s)',
    async (reason) => {
      const project = await api.project();
      await suppress(project, 'a@x.test', reason);
      expect((await send(project, { to: 'a@x.test', subject: 's', body: 'b' })).statusCode).toBe(200);
      expect(await handOverDue()).toContain('a@x.test');
      expect((await emailTo(project, 'a@x.test')).status).toBe('SENT');
    },
  );

  test('marketing mail accepted before the suppression of its address is not sent', async () => {
    const project = await api.project();
    const template = await insertTemplate(api.ctx, project, { type: 'MARKETING' });
    expect((await send(project, { to: 'a@x.test', template, subscribed: true })).statusCode).toBe(200);
    await suppress(project, 'a@x.test', 'complaint');
    expect(await handOverDue()).not.toContain('a@x.test');
    expect(await emailTo(project, 'a@x.test')).toMatchObject({ status: 'CANCELLED' });
  });

  test('marketing mail to a contact that unsubscribed after it was accepted is not sent', async () => {
    const project = await api.project();
    const template = await insertTemplate(api.ctx, project, { type: 'MARKETING' });
    expect((await send(project, { to: 'left@x.test', template, subscribed: true })).statusCode).toBe(200);
    await api.ctx.prisma.contact.updateMany({ where: { projectId: project.id }, data: { subscribed: false } });
    expect(await handOverDue()).not.toContain('left@x.test');
    expect(await emailTo(project, 'left@x.test')).toMatchObject({
      status: 'CANCELLED',
      error: 'The contact unsubscribed before this email was handed over.',
    });
  });

  test('a test of a campaign is sent to any given address', async () => {
    const project = await api.project();
    await suppress(project, 'me@x.test', 'bounce');
    expect(
      (await api.as(project, 'POST', `/campaigns/${await draft(project)}/test`, { email: 'me@x.test' })).statusCode,
    ).toBe(200);
    expect(await handOverDue()).toContain('me@x.test');
  });
});

describe('a workflow', () => {
  async function run(
    project: TestProject,
    template: TemplateSpec,
    email: string,
    customEmail?: string,
  ): Promise<string> {
    const recipient = customEmail === undefined ? undefined : { type: 'CUSTOM', customEmail };
    const graph = await insertGraph(api.ctx, project.id, {
      steps: { hello: sendTemplate(await insertTemplate(api.ctx, project, template), recipient), bye: exit('done') },
      edges: ['TRIGGER > hello', 'hello > bye'],
    });
    const executionId = await startByEvent(api.ctx, graph, await contact(project, email));
    await advance(api.ctx, { projectId: project.id, executionId, now: Date.now() });
    return executionId;
  }

  test.each(['MARKETING', 'HEADLESS'] as const)(
    'does not send a %s template to a suppressed address: the step is skipped with a reason, and the flow continues',
    async (type) => {
      const project = await api.project();
      await suppress(project, 'ada@x.test');
      const executionId = await run(project, { type }, 'ada@x.test');
      expect(await emailsOf(api.ctx, executionId)).toEqual([]);
      expect(await pathOf(api.ctx, executionId)).toBe('TRIGGER COMPLETED, hello SKIPPED, bye COMPLETED');
      expect((await historyOf(api.ctx, executionId))[1]).toMatchObject({
        summary: `Not sent: the recipient's address is suppressed, and the template "Welcome" is ${type}.`,
        error: null,
      });
      expect(await executionRow(api.ctx, executionId)).toMatchObject({ status: 'EXITED' });
    },
  );

  test('does so for a custom address, and sends to the contact if only another address is suppressed', async () => {
    const project = await api.project();
    await suppress(project, 'team@x.test');
    expect(await pathOf(api.ctx, await run(project, { type: 'MARKETING' }, 'ada@x.test', 'team@x.test'))).toContain(
      'hello SKIPPED',
    );
    const other = await api.project();
    await suppress(other, 'ada@x.test');
    const executionId = await run(other, { type: 'MARKETING' }, 'ada@x.test', 'team@x.test');
    expect((await emailsOf(api.ctx, executionId)).map(({ toEmail }) => toEmail)).toEqual(['team@x.test']);
  });

  test('sends a TRANSACTIONAL template', async () => {
    const project = await api.project();
    await suppress(project, 'ada@x.test', 'complaint');
    expect(await emailsOf(api.ctx, await run(project, { type: 'TRANSACTIONAL' }, 'ada@x.test'))).toHaveLength(1);
  });

  test('an address suppressed before the email is handed over gets no email: CANCELLED with the reason', async () => {
    const project = await api.project();
    const executionId = await run(project, { type: 'MARKETING' }, 'late@x.test');
    const custom = await run(project, { type: 'MARKETING' }, 'bob@x.test', 'late-team@x.test');
    for (const email of ['late@x.test', 'late-team@x.test']) await suppress(project, email, 'complaint');
    expect((await handOverDue()).filter((to) => ['late@x.test', 'late-team@x.test'].includes(to))).toEqual([]);
    for (const id of [executionId, custom])
      expect(await emailsOf(api.ctx, id)).toMatchObject([
        { status: 'CANCELLED', error: 'The address is suppressed (complaint) and gets no marketing mail' },
      ]);
  });
});
