/** Scheduled campaigns over skipped time: the API's own functions, the outbox and its relay, a whole worker. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ApiContext } from '../../src/context.js';
import { cancelCampaign, sendCampaign } from '../../src/domain/campaigns/send.js';
import type { CaptureTransport } from '../helpers/capture-transport.js';
import { insertAudience, insertCampaign, type Audience } from '../helpers/audience.js';
import { eventually } from '../helpers/eventually.js';
import { useSkippedTime } from '../helpers/skipped-time.js';

vi.setConfig({ testTimeout: 120_000 });

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let ctx: ApiContext;
let env: TestWorkflowEnvironment;
let transport: CaptureTransport;
let project: Audience;

useSkippedTime((parts) => ({ ctx, env, transport } = parts));

beforeEach(async () => {
  project = await insertAudience(ctx, 25);
});

/** A date by the server's clock, in the format of the API. */
const inFuture = async (ms: number): Promise<string> => new Date((await env.currentTimeMs()) + ms).toISOString();
const row = (id: string) => ctx.prisma.campaign.findUniqueOrThrow({ where: { id } });
const runOf = (id: string, attempt: number) => env.client.workflow.getHandle(`campaign:${id}:${attempt}`);
const statusOf = async (id: string, attempt: number): Promise<string> =>
  (await runOf(id, attempt).describe()).status.name;

/** Schedules a campaign and waits until the relay has delivered its intents. */
async function schedule(id: string, ms: number): Promise<void> {
  await sendCampaign(ctx, project.id, id, { scheduledFor: await inFuture(ms) });
  await carried();
}

const carried = (): Promise<void> => eventually(async () => expect(await ctx.prisma.outbox.count()).toBe(0));

test('a campaign that is scheduled for 30 days ahead is sent at that time, and not before', async () => {
  const id = await insertCampaign(ctx, project);
  await schedule(id, 30 * DAY);
  await env.sleep(30 * DAY - HOUR);
  expect(await row(id)).toMatchObject({ status: 'SCHEDULED', totalRecipients: 0 });
  expect(await ctx.prisma.email.count({ where: { campaignId: id } })).toBe(0);
  expect((await runOf(id, 1).fetchHistory()).events?.length).toBe(1);

  await env.sleep(HOUR);
  await eventually(async () =>
    expect(await row(id)).toMatchObject({ status: 'SENT', totalRecipients: 25, sentCount: 25 }),
  );
  expect(new Set(transport.mails.map(({ to }) => to)).size).toBe(25);
  expect(transport.mails).toHaveLength(25);
});

test('a rescheduled campaign is sent once at its new date, and the old workflow does nothing', async () => {
  const id = await insertCampaign(ctx, project);
  await schedule(id, 10 * DAY);
  await schedule(id, 20 * DAY);
  await eventually(async () => expect(await statusOf(id, 1)).not.toBe('RUNNING'));
  expect(await statusOf(id, 2)).toBe('RUNNING');

  await env.sleep(15 * DAY);
  expect(await row(id)).toMatchObject({ status: 'SCHEDULED', attempt: 2 });
  expect(transport.mails).toEqual([]);
  await env.sleep(5 * DAY + HOUR);
  await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', sentCount: 25 }));
  expect(transport.mails).toHaveLength(25);
});

test('the workflow of a superseded date does nothing even if it runs', async () => {
  const id = await insertCampaign(ctx, project);
  await schedule(id, 10 * DAY);
  await schedule(id, 20 * DAY);
  // As if the cancellation of the first workflow had been lost.
  const late = await env.client.workflow.start('campaignSend', {
    workflowId: `campaign:${id}:late`,
    taskQueue: 'bulk',
    args: [{ campaignId: id, projectId: project.id, attempt: 1 }],
  });
  // result() would advance the clock to the second date.
  await eventually(async () => expect((await late.describe()).status.name).toBe('COMPLETED'));
  expect(await row(id)).toMatchObject({ status: 'SCHEDULED', attempt: 2 });
  expect(transport.mails).toEqual([]);
});

test('a scheduled campaign that is sent now is sent once', async () => {
  const id = await insertCampaign(ctx, project);
  await schedule(id, 10 * DAY);
  await sendCampaign(ctx, project.id, id);
  await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', sentCount: 25 }));
  await env.sleep(11 * DAY);
  expect(transport.mails).toHaveLength(25);
});

test('a campaign that is canceled while it is scheduled is never sent', async () => {
  const id = await insertCampaign(ctx, project);
  await schedule(id, 10 * DAY);
  await cancelCampaign(ctx, project.id, id);
  await eventually(async () => expect(await statusOf(id, 1)).not.toBe('RUNNING'));
  await env.sleep(11 * DAY);
  expect(await row(id)).toMatchObject({ status: 'CANCELLED', totalRecipients: 0 });
  expect(transport.mails).toEqual([]);
  await carried();
});

test('contacts created before the date get the campaign, and contacts unsubscribed before it do not', async () => {
  const id = await insertCampaign(ctx, project);
  await schedule(id, 10 * DAY);
  await env.sleep(5 * DAY);
  await ctx.prisma.contact.updateMany({
    where: { projectId: project.id, email: { startsWith: 'c1@' } },
    data: { subscribed: false },
  });
  await ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed) VALUES (uuid_v7(), $1, 'new@x.test', true)`,
    [project.id],
  );
  await env.sleep(5 * DAY + HOUR);
  await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', totalRecipients: 25 }));
  const recipients = transport.mails.map(({ to }) => to);
  expect(recipients).toContain('new@x.test');
  expect(recipients).not.toContain(`c1@inbox.${project.domain}`);
});
