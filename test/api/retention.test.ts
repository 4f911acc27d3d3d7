/** RETENTION_DAYS: old rows are deleted, running work keeps what it needs, and the figures stay. */
import { describe, expect, test } from 'vitest';
import { v7 } from 'uuid';
import { createContext, type ApiContext } from '../../src/context.js';
import { transaction } from '../../src/db/pool.js';
import { storeUnsubscribe } from '../../src/domain/contacts/sql/subscription.js';
import { insertEmail } from '../../src/domain/emails/sql/emails.js';
import { createLog } from '../../src/log.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { activityHelpers } from '../helpers/activity.js';
import { testConfig, useApi, type TestProject } from '../helpers/api.js';
import { feedbackHelpers } from '../helpers/feedback.js';

const api = useApi({ RETENTION_DAYS: '30' });
const { get, contact, workflow, execution, campaign } = activityHelpers(api);
const { apply } = feedbackHelpers(api);

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
/** Returns an id of that time. */
const idOf = (at: Date): string => v7({ msecs: at.getTime() });
const OLD = daysAgo(31);
const round = (): Promise<unknown> => runMaintenanceTask(api.ctx, 'retention');

async function message(
  project: TestProject,
  at: Date,
  fields: Partial<Prisma.MessageUncheckedCreateInput> = {},
): Promise<string> {
  const id = idOf(at);
  await api.ctx.prisma.message.create({
    data: {
      id,
      projectId: project.id,
      type: 'MARKETING',
      subject: 's',
      body: 'b',
      from: `news@${project.domain}`,
      createdAt: at,
      ...fields,
    },
  });
  return id;
}

async function email(
  project: TestProject,
  at: Date,
  fields: Partial<Prisma.EmailUncheckedCreateInput> = {},
): Promise<string> {
  const id = idOf(at);
  await api.ctx.prisma.email.create({
    data: {
      id,
      projectId: project.id,
      messageId: fields.messageId ?? (await message(project, at)),
      source: 'TRANSACTIONAL',
      type: 'TRANSACTIONAL',
      toEmail: `${id}@x.test`,
      status: 'SENT',
      sentAt: at,
      createdAt: at,
      ...fields,
    },
  });
  return id;
}

async function event(
  project: TestProject,
  at: Date,
  fields: Partial<Prisma.EventUncheckedCreateInput> = {},
): Promise<string> {
  const id = idOf(at);
  await api.ctx.prisma.event.create({
    data: { id, projectId: project.id, name: 'signed up', createdAt: at, ...fields },
  });
  return id;
}

const left = async (table: 'email' | 'event' | 'message', project: TestProject): Promise<string[]> => {
  const query = { where: { projectId: project.id }, select: { id: true }, orderBy: { id: 'asc' } } as const;
  const { prisma } = api.ctx;
  const rows = await (table === 'email'
    ? prisma.email.findMany(query)
    : table === 'event'
      ? prisma.event.findMany(query)
      : prisma.message.findMany(query));
  return rows.map(({ id }) => id);
};

describe('retention', () => {
  test('deletes older events and emails, with their hits, content, and attachments, and no others', async () => {
    const project = await api.project();
    const [gone, kept] = [await email(project, OLD), await email(project, daysAgo(29))];
    const content = (await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: gone } })).messageId;
    await api.ctx.prisma.attachment.create({
      data: {
        projectId: project.id,
        messageId: content,
        position: 0,
        filename: 'f',
        contentType: 'text/plain',
        content: Buffer.from('x'),
      },
    });
    for (const emailId of [gone, kept])
      await api.ctx.pool.query(
        `INSERT INTO tracking_hits (id, project_id, email_id, kind, machine) VALUES (uuid_v7(), $1, $2, 'open', false)`,
        [project.id, emailId],
      );
    await event(project, OLD, { emailId: gone, name: 'email.sent' });
    const young = await event(project, daysAgo(29));
    await round();
    expect(await left('email', project)).toEqual([kept]);
    expect(await left('event', project)).toEqual([young]);
    expect(await left('message', project)).toHaveLength(1);
    expect(await api.ctx.prisma.attachment.count({ where: { projectId: project.id } })).toBe(0);
    expect(
      await api.ctx.prisma.trackingHit.findMany({ where: { projectId: project.id }, select: { emailId: true } }),
    ).toEqual([{ emailId: kept }]);
    expect((await api.as(project, 'GET', `/emails/${gone}`)).statusCode).toBe(404);
  });

  test('keeps emails that are waiting or in flight, and those of active campaigns and executions', async () => {
    const project = await api.project();
    const news = await message(project, OLD);
    const running = await campaign(project, { status: 'SENDING' });
    await api.ctx.prisma.campaign.update({ where: { id: running }, data: { messageId: news } });
    const ada = await contact(project);
    const waiting = await execution(project, await workflow(project), ada, OLD, { waitingFor: 'paid' });
    const kept = [
      await email(project, OLD, { status: 'PENDING', sentAt: null }),
      await email(project, OLD, { status: 'SENDING', sentAt: null, claimedBy: idOf(OLD), claimedAt: OLD }),
      await email(project, OLD, { messageId: news, campaignId: running, source: 'CAMPAIGN' }),
      await email(project, OLD, { executionId: waiting, source: 'WORKFLOW' }),
    ];
    for (const status of ['DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED', 'FAILED', 'CANCELLED'] as const)
      await email(project, OLD, { status });
    await round();
    expect(await left('email', project)).toEqual(kept.toSorted());
    expect(await left('message', project)).toHaveLength(kept.length);
    await api.ctx.prisma.campaign.update({ where: { id: running }, data: { status: 'SENT' } });
    await api.ctx.prisma.workflowExecution.update({ where: { id: waiting }, data: { status: 'CANCELLED' } });
    await round();
    expect(await left('email', project)).toEqual(kept.slice(0, 2).toSorted());
  });

  test("keeps the event that started a contact's execution, and later events, until the execution ends", async () => {
    const project = await api.project();
    const [ada, bob] = [await contact(project), await contact(project)];
    const began = daysAgo(40);
    const trigger = await event(project, daysAgo(41), { contactId: ada });
    await event(project, daysAgo(42), { contactId: ada });
    const since = await event(project, daysAgo(35), { contactId: ada, name: 'paid' });
    await event(project, daysAgo(35), { contactId: bob, name: 'paid' });
    const id = await execution(project, await workflow(project), ada, began, { waitingFor: 'paid' });
    await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { triggerEventId: trigger } });
    await round();
    expect(await left('event', project)).toEqual([trigger, since].toSorted());
    await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { status: 'COMPLETED' } });
    await round();
    expect(await left('event', project)).toEqual([]);
  });

  test('keeps content that emails or a campaign need, and the newest content of a template', async () => {
    const project = await api.project();
    const shared = await message(project, OLD);
    await email(project, OLD, { messageId: shared });
    await email(project, daysAgo(1), { messageId: shared });
    const begun = await message(project, OLD);
    await api.ctx.prisma.campaign.update({
      where: { id: await campaign(project, { status: 'SENDING' }) },
      data: { messageId: begun },
    });
    const templateId = idOf(OLD);
    await api.ctx.prisma.template.create({
      data: {
        id: templateId,
        projectId: project.id,
        name: 'n',
        subject: 's',
        body: 'b',
        from: `news@${project.domain}`,
        version: 2,
      },
    });
    const newest = await message(project, OLD, { templateId, templateVersion: 2 });
    await message(project, OLD, { templateId, templateVersion: 1 });
    await message(project, OLD);
    await round();
    expect(await left('message', project)).toEqual([shared, begun, newest].toSorted());
  });

  test('skips content for which an email is being created', async () => {
    const project = await api.project();
    const [taken, free] = [await message(project, OLD), await message(project, OLD)];
    const id = idOf(new Date());
    await transaction(api.ctx.pool, async (tx) => {
      // As the move of a SEND_EMAIL does (src/domain/executions/sql/send.ts).
      await tx.query(`SELECT FROM messages WHERE id = $1 FOR KEY SHARE`, [taken]);
      await insertEmail(tx, {
        id,
        projectId: project.id,
        messageId: taken,
        contactId: null,
        source: 'TRANSACTIONAL',
        type: 'TRANSACTIONAL',
        toEmail: 'a@x.test',
      });
      // The email is not committed yet: only its lock on the message shows that it exists.
      await round();
      expect(await left('message', project)).not.toContain(free);
    });
    expect(await left('message', project)).toEqual([taken]);
    expect(await left('email', project)).toEqual([id]);
  });

  test('keeps every figure unchanged', async () => {
    const project = await api.project();
    const day = OLD.toISOString().slice(0, 10);
    const campaignId = await campaign(project, { status: 'SENT', startedAt: OLD, sentAt: OLD, totalRecipients: 4 });
    const messageId = await message(project, OLD);
    const ada = await contact(project);
    const fields = { campaignId, messageId, source: 'CAMPAIGN' as const };
    const opened = await email(project, OLD, { ...fields, contactId: ada });
    await email(project, OLD, fields);
    await email(project, OLD, { ...fields, status: 'FAILED', sentAt: null });
    await email(project, OLD, { ...fields, status: 'CANCELLED', sentAt: null });
    await api.ctx.pool.query(`INSERT INTO stat_deltas (project_id, campaign_id, day, sent) VALUES ($1, $2, $3, 2)`, [
      project.id,
      campaignId,
      day,
    ]);
    await apply({ emailId: opened, kind: 'opened', at: OLD });
    await storeUnsubscribe(api.ctx.pool, project.id, opened);
    for (let n = 0; n < 3; n++) await event(project, OLD, { contactId: ada });
    const urls = [
      `/campaigns/${campaignId}/stats`,
      `/campaigns/${campaignId}`,
      '/campaigns',
      `/analytics/timeseries?startDate=${day}&endDate=${day}`,
      `/analytics/top-events?days=365`,
      '/analytics/top-campaigns',
      '/analytics/campaign-stats',
      '/activity/stats',
      '/events/stats',
      `/events/stats?startDate=${day}&endDate=${day}`,
    ];
    const figures = async (): Promise<unknown[]> => Promise.all(urls.map((url) => get(project, url)));
    const before = await figures();
    expect(before[0]).toMatchObject({
      totalRecipients: 4,
      sentCount: 2,
      openedCount: 1,
      failedCount: 1,
      cancelledCount: 1,
      pendingCount: 0,
      unsubscribedCount: 1,
    });
    await round();
    expect(await left('email', project)).toEqual([]);
    expect(await left('event', project)).toHaveLength(1);
    expect(await figures()).toEqual(before);
    await runMaintenanceTask(api.ctx, 'figures');
    expect(await figures()).toEqual(before);
    // Lists contain the remaining rows.
    expect(await get(project, '/events?limit=1')).toMatchObject({ total: 1 });
    expect(await get(project, `/campaigns/${campaignId}/recipients`)).toEqual({
      data: [],
      cursor: null,
      hasMore: false,
      total: 0,
    });
  });

  test('deletes a name with its recorded deletions', async () => {
    const project = await api.project();
    for (const at of [OLD, daysAgo(1)]) for (const name of ['a', 'b']) await event(project, at, { name });
    await round();
    await runMaintenanceTask(api.ctx, 'figures');
    expect(await get(project, '/events/stats')).toEqual([
      { name: 'a', count: 2 },
      { name: 'b', count: 2 },
    ]);
    for (let repeat = 0; repeat < 2; repeat++)
      expect((await api.as(project, 'DELETE', '/events/a')).json()).toEqual({ deletedCount: repeat === 0 ? 1 : 0 });
    expect(await get(project, '/events/stats')).toEqual([{ name: 'b', count: 2 }]);
    expect(await get(project, '/events?limit=1')).toMatchObject({ total: 1 });
  });

  test('deletes more than one page', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, name, created_at)
       SELECT overlay(uuid_v7()::text PLACING '00000000-0000' FROM 1 FOR 13)::uuid, $1, 'old', now() - interval '31 days' FROM generate_series(1, 4100) n`,
      [project.id],
    );
    await round();
    expect(await left('event', project)).toEqual([]);
  });

  test('0 keeps everything', async () => {
    const project = await api.project();
    await event(project, daysAgo(3000));
    await email(project, daysAgo(3000));
    const config = testConfig(api.config.DATABASE_URL);
    const ctx: ApiContext = createContext(config, createLog('silent'), { name: 'test' });
    await runMaintenanceTask(ctx, 'retention');
    await ctx.close();
    expect(await left('event', project)).toHaveLength(1);
    expect(await left('email', project)).toHaveLength(1);
  });
});
