/** Limits on campaigns and workflows, the return of unused emails, and the notices. */
import { beforeEach, describe, expect, test } from 'vitest';
import { begin, cancel, snapshot } from '../../src/domain/campaigns/run.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { sendUsageNotices } from '../../src/domain/billing/notices.js';
import { advance } from '../../src/domain/executions/advance.js';
import { decryptVariables } from '../../src/domain/platform/emails.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused, TOMORROW } from '../helpers/campaign-api.js';
import { newUser, type TestUser } from '../helpers/session.js';
import { send, setLimits, usageOf } from '../helpers/usage.js';
import {
  exit,
  emailsOf,
  executionRow,
  historyOf,
  insertContact,
  insertGraph,
  insertTemplate,
  pathOf,
  sendTemplate,
  startByEvent,
} from '../helpers/workflow-graph.js';

const api = useApi();
const { draft } = campaignHelpers(api);

let project: TestProject;

beforeEach(async () => {
  project = await api.project();
});

async function audience(count: number): Promise<void> {
  await api.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'reader' || n || '@inbox.test', true FROM generate_series(1, $2::int) n`,
    [project.id, count],
  );
}

const sendCampaign = (id: string, scheduledFor?: string) =>
  api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor });
const statusOf = async (id: string) => (await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).status;
const EXCEEDED = { status: 403, code: 'BILLING_LIMIT_EXCEEDED' };

/** Does what the campaign's Temporal workflow does until its emails are queued. */
async function queueEmails(campaignId: string): Promise<void> {
  const { attempt } = await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id: campaignId } });
  const of: CampaignRun = { campaignId, projectId: project.id, attempt };
  await begin(api.ctx, of);
  while (!(await snapshot(api.ctx, of)).done);
}

describe('campaigns', () => {
  test('return 403 BILLING_LIMIT_EXCEEDED at the limit, now and for later this month, and stay drafts', async () => {
    await audience(1);
    await setLimits(api.ctx, project, { campaigns: 0 });
    const id = await draft(project);
    expect(refused(await sendCampaign(id))).toEqual(EXCEEDED);
    const soon = new Date(Date.now() + 1000);
    if (soon.getUTCMonth() === new Date().getUTCMonth())
      expect(refused(await sendCampaign(id, soon.toISOString()))).toEqual(EXCEEDED);
    expect(await statusOf(id)).toBe('DRAFT');
    expect(await api.ctx.prisma.outbox.count({ where: { workflowId: { startsWith: `campaign:${id}` } } })).toBe(0);
  });

  test('can be scheduled for a later month', async () => {
    await audience(1);
    await setLimits(api.ctx, project, { campaigns: 0 });
    const id = await draft(project);
    expect((await sendCampaign(id, new Date(Date.now() + 40 * 24 * 3600_000).toISOString())).statusCode).toBe(200);
  });

  test('are rejected if their audience exceeds the rest of the limit, and accepted if it does not', async () => {
    await audience(5);
    await setLimits(api.ctx, project, { campaigns: 9 });
    const [first, second] = [await draft(project), await draft(project)];
    expect((await sendCampaign(first)).statusCode).toBe(200);
    await queueEmails(first);
    expect(await usageOf(api.ctx, project)).toMatchObject({ CAMPAIGN: 5 });
    expect(refused(await sendCampaign(second))).toEqual(EXCEEDED);
    await setLimits(api.ctx, project, { campaigns: 10 });
    expect((await sendCampaign(second)).statusCode).toBe(200);
    await queueEmails(second);
    expect(await usageOf(api.ctx, project)).toEqual({ CAMPAIGN: 10, TRANSACTIONAL: 0, WORKFLOW: 0 });
  });

  test('count only recipients: unsubscribed contacts use nothing', async () => {
    await audience(3);
    await api.ctx.pool.query(
      `UPDATE contacts SET subscribed = false WHERE project_id = $1 AND email = 'reader1@inbox.test'`,
      [project.id],
    );
    await setLimits(api.ctx, project, { campaigns: 2 });
    const id = await draft(project);
    expect((await sendCampaign(id)).statusCode).toBe(200);
    await queueEmails(id);
    expect([await statusOf(id), (await usageOf(api.ctx, project)).CAMPAIGN]).toEqual(['SENDING', 2]);
  });

  test('that start concurrently and do not fit together: one is sent, one is canceled unsent', async () => {
    await audience(6);
    await setLimits(api.ctx, project, { campaigns: 10 });
    const ids = [await draft(project), await draft(project)];
    const responses = await Promise.all(ids.map((id) => sendCampaign(id)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    await Promise.all(ids.map(queueEmails));
    expect((await Promise.all(ids.map(statusOf))).sort()).toEqual(['CANCELLED', 'SENDING']);
    expect(await usageOf(api.ctx, project)).toMatchObject({ CAMPAIGN: 6 });
    const pending = await api.ctx.prisma.email.groupBy({
      by: ['campaignId'],
      where: { projectId: project.id, status: 'PENDING' },
      _count: true,
    });
    expect(pending.map(({ _count }) => _count)).toEqual([6]);
  });

  test('whose audience has grown since scheduling are canceled at their time, even if some pages fit', async () => {
    await audience(10_001);
    await setLimits(api.ctx, project, { campaigns: 10_000 });
    const id = await draft(project);
    await sendCampaign(id, TOMORROW());
    await queueEmails(id);
    expect(await statusOf(id)).toBe('CANCELLED');
    expect(await usageOf(api.ctx, project)).toMatchObject({ CAMPAIGN: 0 });
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id, status: { not: 'CANCELLED' } } })).toBe(
      0,
    );
  });

  test('that are canceled return the emails that were not sent', async () => {
    await audience(5);
    await setLimits(api.ctx, project, { campaigns: 5 });
    const id = await draft(project);
    await sendCampaign(id);
    await queueEmails(id);
    const [gone] = await api.ctx.prisma.email.findMany({ where: { campaignId: id } });
    await api.ctx.prisma.email.update({ where: { id: gone?.id ?? '' }, data: { status: 'SENT' } });
    expect((await api.as(project, 'POST', `/campaigns/${id}/cancel`)).statusCode).toBe(200);
    await cancel(api.ctx, { campaignId: id, projectId: project.id, attempt: 1 });
    expect(await usageOf(api.ctx, project)).toMatchObject({ CAMPAIGN: 1 });
  });

  test('count an email again if a worker that was assumed dead reports it as sent later', async () => {
    await audience(3);
    const id = await draft(project);
    await sendCampaign(id);
    await queueEmails(id);
    await api.as(project, 'POST', `/campaigns/${id}/cancel`);
    expect(await usageOf(api.ctx, project)).toMatchObject({ CAMPAIGN: 0 });
    const [late] = await api.ctx.prisma.email.findMany({ where: { campaignId: id } });
    await api.ctx.prisma.email.update({ where: { id: late?.id ?? '' }, data: { status: 'SENT' } });
    expect(await usageOf(api.ctx, project)).toMatchObject({ CAMPAIGN: 1 });
  });

  test('send tests even at the limit, and tests are not counted', async () => {
    await setLimits(api.ctx, project, { campaigns: 0, transactional: 0, workflows: 0 });
    const id = await draft(project);
    expect((await api.as(project, 'POST', `/campaigns/${id}/test`, { email: 'me@inbox.test' })).statusCode).toBe(200);
    expect(await usageOf(api.ctx, project)).toEqual({ CAMPAIGN: 0, TRANSACTIONAL: 0, WORKFLOW: 0 });
  });
});

describe('workflow emails', () => {
  const journeys = async (count: number): Promise<string[]> => {
    const templateId = await insertTemplate(api.ctx, project);
    const graph = await insertGraph(api.ctx, project.id, {
      steps: { hello: sendTemplate(templateId), bye: exit('done') },
      edges: ['TRIGGER > hello', 'hello > bye'],
    });
    const ids: string[] = [];
    for (let n = 0; n < count; n++)
      ids.push(await startByEvent(api.ctx, graph, await insertContact(api.ctx, project.id)));
    return ids;
  };
  const go = (executionId: string) => advance(api.ctx, { projectId: project.id, executionId, now: Date.now() });

  test('over the limit are not sent: the step is skipped with the reason, and the flow continues', async () => {
    await setLimits(api.ctx, project, { workflows: 1 });
    const [first = '', second = ''] = await journeys(2);
    await go(first);
    await go(second);
    expect(await pathOf(api.ctx, first)).toBe('TRIGGER COMPLETED, hello COMPLETED, bye COMPLETED');
    expect(await pathOf(api.ctx, second)).toBe('TRIGGER COMPLETED, hello SKIPPED, bye COMPLETED');
    expect((await historyOf(api.ctx, second))[1]).toMatchObject({
      summary: 'Not sent: the project has reached its monthly limit for workflow emails.',
      error: null,
    });
    expect([await emailsOf(api.ctx, second), await executionRow(api.ctx, second)]).toMatchObject([
      [],
      { status: 'EXITED', exitReason: 'done' },
    ]);
    expect(await usageOf(api.ctx, project)).toEqual({ WORKFLOW: 1, CAMPAIGN: 0, TRANSACTIONAL: 0 });
  });

  test('of 20 concurrent executions are sent exactly as often as the limit allows', async () => {
    await setLimits(api.ctx, project, { workflows: 7 });
    const ids = await journeys(20);
    await Promise.all(ids.map(go));
    const sent = await Promise.all(ids.map(async (id) => (await emailsOf(api.ctx, id)).length));
    expect(sent.filter((count) => count === 1)).toHaveLength(7);
    const paths = new Set(await Promise.all(ids.map((id) => pathOf(api.ctx, id))));
    expect([...paths].sort()).toEqual([
      'TRIGGER COMPLETED, hello COMPLETED, bye COMPLETED',
      'TRIGGER COMPLETED, hello SKIPPED, bye COMPLETED',
    ]);
    expect(await usageOf(api.ctx, project)).toMatchObject({ WORKFLOW: 7 });
  });
});

describe('the managers of a project', () => {
  let owner: TestUser;
  let admin: TestUser;

  beforeEach(async () => {
    [owner, admin] = [await newUser(api), await newUser(api)];
    const member = await newUser(api);
    const roles = [
      [owner, 'OWNER'],
      [admin, 'ADMIN'],
      [member, 'MEMBER'],
    ] as const;
    await api.ctx.prisma.membership.createMany({
      data: roles.map(([user, role]) => ({ projectId: project.id, userId: user.id, role })),
    });
    await sendUsageNotices(api.ctx);
    await api.ctx.prisma.email.deleteMany({ where: { source: 'PLATFORM' } });
  });

  /** Returns the recipients and texts of the emails about this project. */
  const mails = async () => {
    const rows = await api.ctx.prisma.email.findMany({
      where: { source: 'PLATFORM' },
      include: { message: true },
      orderBy: { toEmail: 'asc' },
    });
    return rows.map(({ toEmail, message, variables }) => ({
      to: toEmail,
      subject: message.subject,
      variables: decryptVariables(api.ctx.config, variables),
    }));
  };

  test('get an email at 80 % of a limit, once a month, however many checks run', async () => {
    await setLimits(api.ctx, project, { transactional: 10 });
    await send(api, project, { recipients: 7 });
    await sendUsageNotices(api.ctx);
    expect(await mails()).toEqual([]);
    await send(api, project);
    await Promise.all(Array.from({ length: 5 }, () => sendUsageNotices(api.ctx)));
    await send(api, project);
    await sendUsageNotices(api.ctx);
    const variables = {
      project: 'Test',
      category: 'transactional',
      limit: 10,
      usage: 8,
      link: `${api.config.DASHBOARD_URL}/projects/${project.id}/billing`,
    };
    const subject = '{{ project }} has used 80 % of its limit of {{ category }} emails';
    expect(await mails()).toEqual([owner.email, admin.email].sort().map((to) => ({ to, subject, variables })));
  });

  test('get another email at the limit, and only that one if both are reached together', async () => {
    await setLimits(api.ctx, project, { transactional: 5, workflows: 0 });
    await send(api, project, { recipients: 4 });
    await sendUsageNotices(api.ctx);
    await send(api, project);
    await sendUsageNotices(api.ctx);
    const subjects = (await mails()).filter(({ to }) => to === owner.email).map(({ subject }) => subject);
    const both = [
      '{{ project }} has reached its limit of {{ category }} emails',
      '{{ project }} has used 80 % of its limit of {{ category }} emails',
    ];
    expect(subjects.sort()).toEqual(both);
    await api.ctx.prisma.email.deleteMany({ where: { source: 'PLATFORM' } });
    await api.ctx.prisma.usageNotice.deleteMany({ where: { projectId: project.id } });
    await sendUsageNotices(api.ctx);
    expect((await mails()).map(({ to, subject }) => [to, subject])).toEqual(
      [owner.email, admin.email].sort().map((to) => [to, both[0]]),
    );
  });

  test('get no email that is recorded but cannot be written: both or neither', async () => {
    await setLimits(api.ctx, project, { transactional: 1 });
    await send(api, project);
    await api.ctx.pool.query(`ALTER TABLE emails ADD CONSTRAINT no_platform CHECK (source <> 'PLATFORM') NOT VALID`);
    await expect(sendUsageNotices(api.ctx)).rejects.toThrow();
    await api.ctx.pool.query(`ALTER TABLE emails DROP CONSTRAINT no_platform`);
    expect(await api.ctx.prisma.usageNotice.count({ where: { projectId: project.id } })).toBe(0);
    await sendUsageNotices(api.ctx);
    expect(await mails()).toHaveLength(2);
  });
});
