/** Figures by day: correct with late and repeated reports, folded or not. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { foldEvents } from '../../src/domain/events/sql/days.js';
import { foldFigures } from '../../src/domain/analytics/sql/figures.js';
import { activityHelpers } from '../helpers/activity.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { feedbackHelpers } from '../helpers/feedback.js';
import { refusal } from '../helpers/session.js';

const api = useApi();
const { get, campaign, contact, execution, workflow } = activityHelpers(api);
const { tracked, insertEvents } = eventHelpers(api);
const { sent, apply } = feedbackHelpers(api);

const DAY = 86_400_000;
const Day = z.object({
  date: z.string(),
  sent: z.number(),
  delivered: z.number(),
  opens: z.number(),
  clicks: z.number(),
  bounces: z.number(),
  complaints: z.number(),
});
const timeseries = async (project: TestProject, query = '') =>
  z.array(Day).parse(await get(project, `/analytics/timeseries${query}`));
const none = { sent: 0, delivered: 0, opens: 0, clicks: 0, bounces: 0, complaints: 0 };
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const fold = async (): Promise<void> => {
  await foldFigures(api.ctx.pool, 5000);
  await foldEvents(api.ctx.pool, 5000);
};

describe('GET /analytics/timeseries', () => {
  it('returns the last 30 UTC days by default, today last, with zeros', async () => {
    expect(await timeseries(await api.project())).toEqual(
      Array.from({ length: 30 }, (_, index) => ({ date: dayAgo(29 - index), ...none })),
    );
  });

  it('counts each email once per column, on the day of the change, before and after the fold', async () => {
    const project = await api.project();
    const emails = await sent(project, 4);
    const [a, b, c, d] = emails.map(({ id }) => id);
    if (!a || !b || !c || !d) throw new Error('No emails');
    const on = (day: string, hour = 12): Date => new Date(`2026-03-${day}T${hour}:00:00.000Z`);
    const said = [
      ...[a, b].map((emailId) => ({ emailId, kind: 'delivered' as const, at: on('10', 23) })),
      { emailId: a, kind: 'opened' as const, at: on('13') },
      { emailId: a, kind: 'clicked' as const, at: on('14'), url: 'https://x.test/1' },
      { emailId: a, kind: 'clicked' as const, at: on('15'), url: 'https://x.test/2' },
      { emailId: c, kind: 'bounced' as const, at: on('11'), bounceType: 'permanent' as const, reason: 'gone' },
      { emailId: d, kind: 'complained' as const, at: on('12'), reason: 'abuse' },
    ];
    await apply(...said);
    await fold();
    // A repeat and an earlier open: the email counts on that day and no longer on the other.
    await apply(...said, { emailId: a, kind: 'opened', at: on('12') });
    const expected = [
      { date: '2026-03-10', ...none, delivered: 2 },
      { date: '2026-03-11', ...none, bounces: 1 },
      { date: '2026-03-12', ...none, opens: 1, complaints: 1 },
      { date: '2026-03-13', ...none },
      { date: '2026-03-14', ...none, clicks: 1 },
      { date: '2026-03-15', ...none },
    ];
    const query = '?startDate=2026-03-10&endDate=2026-03-15';
    expect(await timeseries(project, query)).toEqual(expected);
    await fold();
    expect(await timeseries(project, query)).toEqual(expected);
    expect(await timeseries(await api.project(), query)).toEqual(expected.map(({ date }) => ({ date, ...none })));
  });

  it('uses the day of timestamps, and `days` if no start is given', async () => {
    const project = await api.project();
    const dates = async (query: string): Promise<string[]> =>
      (await timeseries(project, query)).map(({ date }) => date);
    expect(await dates('?startDate=2026-03-10T23:59:59.999Z&endDate=2026-03-12T00:00:00.000Z')).toEqual([
      '2026-03-10',
      '2026-03-11',
      '2026-03-12',
    ]);
    expect(await dates('?endDate=2026-03-01&days=2')).toEqual(['2026-02-28', '2026-03-01']);
    expect(await dates(`?startDate=${dayAgo(1)}`)).toEqual([dayAgo(1), dayAgo(0)]);
    expect(await dates('?days=365')).toHaveLength(365);
    expect(await dates('?days=1000')).toHaveLength(365);
    expect(await dates('?startDate=2025-03-11&endDate=2026-03-10')).toHaveLength(365);
  });

  it.each([
    ['startDate=2026-03-11&endDate=2026-03-10', 'startDate'],
    ['startDate=2025-03-10&endDate=2026-03-10', 'startDate'],
    ['startDate=2020-01-01', 'startDate'],
    ['startDate=2999-01-01', 'startDate'],
    ['startDate=2026-02-30', 'startDate'],
    ['endDate=soon', 'endDate'],
    ['days=0', 'days'],
    ['days=-1', 'days'],
    ['days=week', 'days'],
  ])('returns 422 for %s, like top-events', async (query, field) => {
    const project = await api.project();
    for (const path of ['timeseries', 'top-events'])
      expect(refusal(await api.as(project, 'GET', `/analytics/${path}?${query}`))).toEqual([
        422,
        'VALIDATION_ERROR',
        field,
      ]);
  });
});

describe('GET /analytics/top-campaigns', () => {
  it('returns the campaigns with the most opens first, with rates as fractions of the sent emails', async () => {
    const project = await api.project();
    const ids: string[] = [];
    for (const [openedCount, clickedCount] of [
      [2, 0],
      [5, 1],
      [2, 2],
    ] as const)
      ids.push(
        await campaign(project, {
          status: 'SENT',
          sentAt: new Date(),
          totalRecipients: 10,
          sentCount: 8,
          openedCount,
          clickedCount,
        }),
      );
    await campaign(project, { status: 'DRAFT' });
    await campaign(await api.project(), { status: 'SENT', sentCount: 8, openedCount: 8 });
    const top = z.array(z.looseObject({ id: z.string() })).parse(await get(project, '/analytics/top-campaigns'));
    expect(top.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]]);
    expect(top[0]).toEqual({
      id: ids[1],
      name: 'News',
      subject: 'Hello',
      status: 'SENT',
      sentAt: expect.any(String),
      totalRecipients: 10,
      sentCount: 8,
      deliveredCount: 0,
      openedCount: 5,
      clickedCount: 1,
      bouncedCount: 0,
      openRate: 5 / 8,
      clickRate: 1 / 8,
    });
    expect(await get(project, '/analytics/top-campaigns?limit=1')).toHaveLength(1);
    expect(refusal(await api.as(project, 'GET', '/analytics/top-campaigns?limit=0'))).toEqual([
      422,
      'VALIDATION_ERROR',
      'limit',
    ]);
  });

  it('counts unfolded deltas once', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email) throw new Error('No email');
    await api.ctx.prisma.campaign.update({ where: { id: email.campaignId }, data: { sentCount: 1 } });
    await apply({ emailId: email.id, kind: 'opened', at: new Date() });
    const expected = [expect.objectContaining({ id: email.campaignId, openedCount: 1, openRate: 1 })];
    expect(await get(project, '/analytics/top-campaigns')).toEqual(expected);
    await fold();
    expect(await get(project, '/analytics/top-campaigns')).toEqual(expected);
  });

  it('returns the campaigns whose sending began in the range', async () => {
    const project = await api.project();
    const march = await campaign(project, {
      status: 'SENT',
      startedAt: new Date('2026-03-31T23:59:59.999Z'),
      sentAt: new Date('2026-04-01T00:10:00Z'),
      sentCount: 1,
    });
    await campaign(project, { status: 'SENDING', startedAt: new Date('2026-04-01T00:00:00Z'), sentCount: 1 });
    expect(await get(project, '/analytics/top-campaigns?startDate=2026-03-01&endDate=2026-03-31')).toMatchObject([
      { id: march },
    ]);
    expect(await get(project, '/analytics/top-campaigns')).toHaveLength(2);
  });
});

describe('GET /analytics/campaign-stats', () => {
  it('counts all, active, and completed campaigns; averages the rates of completed ones with sent emails', async () => {
    const project = await api.project();
    expect(await get(project, '/analytics/campaign-stats')).toEqual({
      total: 0,
      active: 0,
      completed: 0,
      averageOpenRate: 0,
      averageClickRate: 0,
    });
    await campaign(project, { status: 'SENT', sentCount: 100, openedCount: 50, clickedCount: 10 });
    await campaign(project, { status: 'SENT', sentCount: 10, openedCount: 1, clickedCount: 0 });
    await campaign(project, { status: 'SENT', sentCount: 0 });
    await campaign(project, { status: 'SENDING', sentCount: 10, openedCount: 10 });
    await campaign(project, { status: 'SCHEDULED' });
    await campaign(project, { status: 'DRAFT' });
    expect(await get(project, '/analytics/campaign-stats')).toEqual({
      total: 6,
      active: 2,
      completed: 3,
      averageOpenRate: 0.3,
      averageClickRate: 0.05,
    });
  });
});

describe('GET /analytics/top-events', () => {
  it('returns the most frequent first, with the trend against the same number of days before', async () => {
    const project = await api.project();
    const on = (name: string, day: string, count: number) =>
      Array.from({ length: count }, () => ({ name, createdAt: new Date(`${day}T10:00:00Z`) }));
    await insertEvents(project, [
      ...on('rises', '2026-03-01', 2),
      ...on('rises', '2026-03-08', 3),
      ...on('falls', '2026-03-07', 4),
      ...on('falls', '2026-03-14', 1),
      ...on('is new', '2026-03-10', 2),
      ...on('is new', '2026-02-28', 9),
      ...on('is gone', '2026-03-02', 9),
      ...on('is to come', '2026-03-15', 9),
    ]);
    await insertEvents(await api.project(), on('rises', '2026-03-08', 5));
    const expected = [
      { name: 'rises', count: 3, trend: 0.5 },
      { name: 'is new', count: 2, trend: 1 },
      { name: 'falls', count: 1, trend: -0.75 },
    ];
    expect(await get(project, '/analytics/top-events?startDate=2026-03-08&endDate=2026-03-14')).toEqual(expected);
    await fold();
    expect(await get(project, '/analytics/top-events?startDate=2026-03-08&endDate=2026-03-14&limit=2')).toEqual(
      expected.slice(0, 2),
    );
  });

  it('counts the last 30 days by default', async () => {
    const project = await api.project();
    await tracked(project);
    await insertEvents(project, [{ name: 'long ago', createdAt: new Date(Date.now() - 31 * DAY) }]);
    expect(await get(project, '/analytics/top-events')).toEqual([{ name: 'signed up', count: 1, trend: 1 }]);
  });
});

describe('GET /activity/stats', () => {
  it('returns zeros at first', async () => {
    expect(await get(await api.project(), '/activity/stats')).toEqual({
      totalEvents: 0,
      totalEmailsSent: 0,
      totalEmailsOpened: 0,
      totalEmailsClicked: 0,
      totalWorkflowsStarted: 0,
      openRate: 0,
      clickRate: 0,
    });
  });

  it('counts events, emails, and executions by day; an email with two clicked links counts once', async () => {
    const project = await api.project();
    const emails = await sent(project, 4);
    await api.ctx.pool.query(`INSERT INTO stat_deltas (project_id, day, sent) VALUES ($1, '2026-03-01', 4)`, [
      project.id,
    ]);
    const [email] = emails;
    if (!email) throw new Error('No email');
    for (const url of ['https://x.test/1', 'https://x.test/2'])
      await apply({ emailId: email.id, kind: 'clicked', at: new Date('2026-03-02T12:00:00Z'), url });
    await apply({ emailId: email.id, kind: 'opened', at: new Date('2026-03-02T12:00:00Z') });
    await insertEvents(project, [
      { createdAt: new Date('2026-03-01T12:00:00Z') },
      { createdAt: new Date('2026-03-04T12:00:00Z') },
    ]);
    await execution(project, await workflow(project), await contact(project), new Date('2026-03-02T00:00:00Z'));
    // Two clicks and an open, reported today.
    const ever = {
      totalEvents: 5,
      totalEmailsSent: 4,
      totalEmailsOpened: 1,
      totalEmailsClicked: 1,
      totalWorkflowsStarted: 1,
      openRate: 0.25,
      clickRate: 0.25,
    };
    expect(await get(project, '/activity/stats')).toEqual(ever);
    const march = { ...ever, totalEvents: 1 };
    expect(await get(project, '/activity/stats?startDate=2026-03-01T09:00:00Z&endDate=2026-03-02')).toEqual(march);
    await fold();
    expect(await get(project, '/activity/stats')).toEqual(ever);
    expect(await get(project, '/activity/stats?startDate=2026-03-01&endDate=2026-03-02T23:00:00Z')).toEqual(march);
    expect(await get(project, '/activity/stats?startDate=2026-03-03&endDate=2026-03-03')).toMatchObject({
      totalEvents: 0,
      totalEmailsSent: 0,
      totalWorkflowsStarted: 0,
    });
    expect(await get(await api.project(), '/activity/stats')).toMatchObject({
      totalEvents: 0,
      totalEmailsSent: 0,
      totalWorkflowsStarted: 0,
    });
  });

  it('returns 422 for an invalid date', async () => {
    for (const query of ['startDate=x', 'startDate=2026-03-02T00:00:00Z&endDate=2026-03-01T23:59:59Z'])
      expect(refusal(await api.as(await api.project(), 'GET', `/activity/stats?${query}`))).toEqual([
        422,
        'VALIDATION_ERROR',
        'startDate',
      ]);
  });
});
