/** Campaigns at the reader's local time, and variant tests, over skipped time and clock changes. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiContext } from '../../src/context.js';
import { chooseWinner } from '../../src/domain/campaigns/decision.js';
import { cancelCampaign, sendCampaign } from '../../src/domain/campaigns/send.js';
import { getCampaignStats } from '../../src/domain/campaigns/stats.js';
import { listWaves } from '../../src/domain/campaigns/waves.js';
import { insertAudience, insertCampaign, type Audience } from '../helpers/audience.js';
import type { CapturedMail, CaptureTransport } from '../helpers/capture-transport.js';
import { eventually } from '../helpers/eventually.js';
import { useSkippedTime } from '../helpers/skipped-time.js';

vi.setConfig({ testTimeout: 180_000 });

const MINUTE = 60_000;
const ZONES = [
  'Pacific/Apia',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Europe/Berlin',
  'Europe/London',
  'Africa/Lagos',
  'America/New_York',
  'America/Los_Angeles',
  'Pacific/Honolulu',
];

let ctx: ApiContext;
let env: TestWorkflowEnvironment;
let transport: CaptureTransport;
let project: Audience;

useSkippedTime((parts) => ({ ctx, env, transport } = parts));

beforeEach(async () => {
  project = await insertAudience(ctx, 3 * (ZONES.length + 1));
  // Three contacts per zone, and three without one.
  await ctx.pool.query(
    `UPDATE contacts SET data = data || jsonb_build_object('timezone', ($2::text[])[(data ->> 'n')::int % $3 + 1])
      WHERE project_id = $1 AND (data ->> 'n')::int % $3 < $3 - 1`,
    [project.id, ZONES, ZONES.length + 1],
  );
});

const row = (id: string) => ctx.prisma.campaign.findUniqueOrThrow({ where: { id } });
const carried = (): Promise<void> => eventually(async () => expect(await ctx.prisma.outbox.count()).toBe(0));
const sleepUntil = async (time: number): Promise<void> => env.sleep(Math.max(1, time - (await env.currentTimeMs())));
const dateOf = ({ raw }: CapturedMail): number => Date.parse(/^Date: (.*)$/m.exec(raw.toString())?.[1] ?? '');
const localTime = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at);

async function schedule(scheduledFor: string): Promise<string> {
  const id = await insertCampaign(ctx, project);
  await sendCampaign(ctx, project.id, id, { scheduledFor, timezone: 'recipient', fallbackTimezone: 'Europe/Berlin' });
  await carried();
  return id;
}

test.each([
  ['Berlin and London go forward', '2027-03-28T09:00'],
  ['New York and Los Angeles go forward', '2027-03-14T09:00'],
  ['Lord Howe and Chatham go back', '2027-04-04T09:00'],
  ['Berlin and London go back', '2027-10-31T09:00'],
])('on the day when the clocks of %s, each reader gets the email at 09:00', async (_places, local) => {
  const id = await schedule(local);
  const forecast = await listWaves(ctx, project.id, id);
  expect(forecast.isForecast).toBe(true);
  await sleepUntil(Date.parse(`${local}Z`) - 14 * 60 * MINUTE);
  await eventually(async () => expect(await row(id)).toMatchObject({ snapshotDone: true, totalRecipients: 39 }));

  const { data: waves } = await listWaves(ctx, project.id, id);
  expect(waves).toEqual(forecast.data);
  expect(waves.flatMap(({ zones }) => zones).sort()).toEqual([...ZONES].sort());
  expect(waves.reduce((sum, { total }) => sum + total, 0)).toBe(39);
  expect(waves.reduce((sum, { fallback }) => sum + fallback, 0)).toBe(3);
  let expected = 0;
  for (const { at, total, zones } of waves) {
    for (const zone of zones) expect(localTime(at.getTime(), zone)).toBe(`${local.replace('T', ' ')}:00`);
    await sleepUntil(at.getTime() - MINUTE);
    expect(transport.mails).toHaveLength(expected);
    expected += total;
    await sleepUntil(at.getTime() + MINUTE);
    await eventually(() => expect(transport.mails).toHaveLength(expected));
    for (const mail of transport.mails.slice(-total)) expect(dateOf(mail)).toBe(at.getTime());
  }
  await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', sentCount: 39 }));
  expect(new Set(transport.mails.map(({ to }) => to)).size).toBe(39);
  expect((await listWaves(ctx, project.id, id)).data).toEqual(waves.map((wave) => ({ ...wave, sent: wave.total })));
});

test('the timer of a wave says in the Web UI which wave comes next', async () => {
  const id = await schedule('2027-03-28T09:00');
  await sleepUntil(Date.parse('2027-03-28T00:30:00Z'));
  await eventually(() => expect(transport.mails.length).toBeGreaterThan(0));
  const { events } = await env.client.workflow.getHandle(`campaign:${id}:1`).fetchHistory();
  const summaries = (events ?? [])
    .filter((event) => event.timerStartedEventAttributes)
    .map((event) => JSON.parse(Buffer.from(event.userMetadata?.summary?.data ?? []).toString()) as unknown);
  expect(summaries).toContain('wave 2 of 11: 09:00 Pacific/Apia, 3');
});

test('contacts that unsubscribe between two waves get no email, and those that move get one', async () => {
  const id = await schedule('2027-03-28T09:00');
  await sleepUntil(Date.parse('2027-03-28T04:00:00Z'));
  await eventually(async () => expect((await row(id)).snapshotDone).toBe(true));
  await ctx.pool.query(
    `UPDATE contacts SET subscribed = false WHERE project_id = $1 AND data ->> 'timezone' = 'America/New_York'`,
    [project.id],
  );
  await ctx.pool.query(
    `UPDATE contacts SET data = data || '{"timezone": "Pacific/Honolulu"}' WHERE project_id = $1 AND data ->> 'timezone' = 'Asia/Tokyo'`,
    [project.id],
  );
  await sleepUntil(Date.parse('2027-03-29T00:00:00Z'));
  await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', sentCount: 36 }));
  expect(new Set(transport.mails.map(({ to }) => to)).size).toBe(36);
  expect(await getCampaignStats(ctx, project.id, id)).toMatchObject({ cancelledCount: 3, pendingCount: 0 });
  const { data } = await listWaves(ctx, project.id, id);
  expect(data.find(({ zones }) => zones.includes('America/New_York'))).toMatchObject({ total: 3, sent: 0 });
});

test('a campaign that is canceled between two waves sends nothing more', async () => {
  const id = await schedule('2027-03-28T09:00');
  await sleepUntil(Date.parse('2027-03-28T04:00:00Z'));
  await eventually(async () => expect((await row(id)).snapshotDone).toBe(true));
  await eventually(() => expect(transport.mails).toHaveLength(18));
  await cancelCampaign(ctx, project.id, id);
  await sleepUntil(Date.parse('2027-03-30T00:00:00Z'));
  expect(transport.mails).toHaveLength(18);
  expect(await ctx.prisma.email.groupBy({ by: ['status'], where: { campaignId: id }, _count: true })).toEqual(
    expect.arrayContaining([
      { status: 'SENT', _count: 18 },
      { status: 'CANCELLED', _count: 21 },
    ]),
  );
  const { data } = await listWaves(ctx, project.id, id);
  expect(data.reduce((sum, { sent }) => sum + sent, 0)).toBe(18);
});

describe('a variant test', () => {
  const variants = [
    { id: 'a', subject: 'First', weight: 50 },
    { id: 'b', subject: 'Second', weight: 50 },
  ];

  async function startTest(test: object): Promise<string> {
    const id = await insertCampaign(ctx, project);
    await ctx.prisma.campaign.update({ where: { id }, data: { variants, test } });
    await sendCampaign(ctx, project.id, id, { force: true });
    await carried();
    await eventually(async () => expect((await row(id)).testSentAt).not.toBeNull());
    return id;
  }

  const subjects = (mails: CapturedMail[]): string[] => [
    ...new Set(mails.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '')),
  ];

  test('waits for 72 hours, and then sends the winner to the rest', async () => {
    const id = await startTest({ share: 50, metric: 'clicks', after: 72, decide: 'auto' });
    const tested = transport.mails.length;
    expect(tested).toBeLessThan(39);
    await ctx.pool.query(
      `SELECT apply_feedback(array_agg(id), array_agg('clicked'::text), array_agg(now()), array_agg('{"url": "https://x.test/"}'::jsonb))
         FROM emails WHERE campaign_id = $1 AND variant = 'b'`,
      [id],
    );
    await env.sleep(71 * 60 * MINUTE);
    expect(transport.mails).toHaveLength(tested);
    await env.sleep(2 * 60 * MINUTE);
    await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', sentCount: 39 }));
    expect((await row(id)).decision).toMatchObject({ variant: 'b', by: 'auto' });
    expect(subjects(transport.mails.slice(tested))).toEqual(['Second']);
    expect(new Set(transport.mails.map(({ to }) => to)).size).toBe(39);
  });

  test('that is decided by a request continues immediately', async () => {
    const id = await startTest({ share: 50, metric: 'clicks', after: 1, decide: 'manual' });
    const tested = transport.mails.length;
    await env.sleep(200 * 60 * MINUTE);
    expect(transport.mails).toHaveLength(tested);
    await chooseWinner(ctx, project.id, id, 'a');
    await eventually(async () => expect(await row(id)).toMatchObject({ status: 'SENT', sentCount: 39 }));
    expect(subjects(transport.mails.slice(tested))).toEqual(['First']);
  });
});
