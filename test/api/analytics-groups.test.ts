/** Figures over time by time zone, hour, and group, compared with the preceding period, and the growth of contacts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { foldEmailFigures } from '../../src/domain/analytics/sql/email-figures.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { enqueueHits } from '../../src/domain/tracking/sql.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';
import { feedbackHelpers } from '../helpers/feedback.js';

const api = useApi();
const { draft } = campaignHelpers(api);
const { sent } = feedbackHelpers(api);

interface Point {
  at: string;
  date: string;
  sent: number;
  opens: number;
  machineOpens: number;
  machineClicks: number;
  unsubscribes: number;
  group: { key: string | null; name: string | null } | null;
  previous: { sent: number } | null;
}

const get = async <T>(project: TestProject, url: string): Promise<T> => {
  const response = await api.as(project, 'GET', url);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<T>();
};
const series = (project: TestProject, query: string) => get<Point[]>(project, `/analytics/timeseries?${query}`);
const fold = async (): Promise<void> => {
  while ((await foldEmailFigures(api.ctx.pool, 3)) > 0);
};

interface Delta {
  at: string;
  sent?: number;
  opened?: number;
  source?: string;
  type?: string;
  campaign?: string;
  domain?: string;
}

/** Counts emails as their statements do. */
const count = async (project: TestProject, ...deltas: Delta[]): Promise<void> => {
  for (const { at, sent: sentCount = 1, opened = 0, source = 'TRANSACTIONAL', type, campaign, domain } of deltas)
    await api.ctx.pool.query(
      `INSERT INTO email_deltas (project_id, minute, campaign_id, source, type, domain, sent, opened)
       VALUES ($1, $2, $3, $4::email_source, $5::email_type, $6, $7, $8)`,
      [project.id, at, campaign ?? null, source, type ?? 'TRANSACTIONAL', domain ?? 'x.test', sentCount, opened],
    );
};

describe('GET /analytics/timeseries', () => {
  let project: TestProject;
  let campaign: string;

  beforeAll(async () => {
    project = await api.project();
    campaign = await draft(project, { name: 'Spring' });
    await count(
      project,
      { at: '2026-03-09T12:00:00Z', sent: 7 },
      { at: '2026-03-10T18:29:00Z', sent: 1, domain: 'a.test' },
      { at: '2026-03-10T18:31:00Z', sent: 2, source: 'CAMPAIGN', type: 'MARKETING', campaign, domain: 'b.test' },
      { at: '2026-03-11T00:10:00Z', sent: 4, opened: 3, source: 'WORKFLOW', type: 'HEADLESS', domain: 'b.test' },
    );
  });

  test.each([
    ['UTC', [3, 4]],
    ['Asia/Kolkata', [1, 6]],
    ['Asia/Kathmandu', [0, 7]],
    ['America/New_York', [7, 0]],
  ])('has the days of %s, folded or not', async (timezone, counts) => {
    const query = `startDate=2026-03-10&endDate=2026-03-11&timezone=${timezone}`;
    // The figures of UTC days come from the counters by day.
    const days = timezone === 'UTC' ? await series(project, `${query}&groupBy=type`) : await series(project, query);
    if (timezone !== 'UTC')
      expect(days.map((day) => [day.date, day.sent])).toEqual([
        ['2026-03-10', counts[0]],
        ['2026-03-11', counts[1]],
      ]);
    await fold();
    const folded = timezone === 'UTC' ? await series(project, `${query}&groupBy=type`) : await series(project, query);
    expect(folded).toEqual(days);
  });

  test('has hours of the time zone, also those that are not whole hours of UTC', async () => {
    const hours = await series(project, 'startDate=2026-03-11&endDate=2026-03-11&interval=hour&timezone=Asia/Kolkata');
    expect(hours).toHaveLength(24);
    expect(hours[0]).toMatchObject({ at: '2026-03-10T18:30:00.000Z', date: '2026-03-11', sent: 2 });
    expect(hours[5]).toMatchObject({ at: '2026-03-10T23:30:00.000Z', sent: 4, opens: 3 });
  });

  test.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ])('lists the hours of %s, when clocks change, and the next day', async (day, hours) => {
    const points = await series(project, `startDate=${day}&endDate=${day}&interval=hour&timezone=Europe/Berlin`);
    expect(points).toHaveLength(hours);
    expect(new Set(points.map(({ at }) => at)).size).toBe(hours);
    const days = await series(project, `startDate=${day}&days=2&timezone=Europe/Berlin&endDate=${day}`);
    expect(days.map(({ date }) => date)).toEqual([day]);
  });

  test.each([
    [
      'source',
      [
        ['WORKFLOW', 4],
        ['CAMPAIGN', 2],
        ['TRANSACTIONAL', 1],
      ],
    ],
    [
      'type',
      [
        ['HEADLESS', 4],
        ['MARKETING', 2],
        ['TRANSACTIONAL', 1],
      ],
    ],
    [
      'recipientDomain',
      [
        ['b.test', 6],
        ['a.test', 1],
      ],
    ],
    ['campaign', [['Spring', 2]]],
    ['template', []],
    ['workflow', []],
  ] as const)('groupBy=%s lists the largest groups first, and all other emails', async (groupBy, groups) => {
    const query = `startDate=2026-03-10&endDate=2026-03-11&timezone=Asia/Tokyo&groupBy=${groupBy}`;
    const points = await series(project, query);
    const sums = new Map<string | null, number>();
    for (const { group, sent: sentCount } of points)
      sums.set(group?.name ?? null, (sums.get(group?.name ?? null) ?? 0) + sentCount);
    const rest = 7 - groups.reduce((sum, [, one]) => sum + one, 0);
    expect([...sums]).toEqual([...groups, [null, rest]]);
  });

  test('lists at most 10 groups', async () => {
    const many = await api.project();
    for (let n = 1; n <= 12; n++) await count(many, { at: '2026-03-10T12:00:00Z', sent: n, domain: `d${n}.test` });
    const points = await series(
      many,
      'startDate=2026-03-10&endDate=2026-03-10&timezone=Etc/UTC&groupBy=recipientDomain',
    );
    expect(points).toHaveLength(11);
    expect(points.at(-1)).toMatchObject({ group: { key: null, name: null }, sent: 3 });
    expect(points[0]).toMatchObject({ group: { key: 'd12.test', name: 'd12.test' }, sent: 12 });
  });

  test('compare=previous has the figures of the period before', async () => {
    const query = 'startDate=2026-03-10&endDate=2026-03-11&timezone=Asia/Tokyo';
    expect((await series(project, query)).map(({ previous }) => previous)).toEqual([null, null]);
    const compared = await series(project, `${query}&compare=previous`);
    expect(compared.map(({ previous }) => previous?.sent)).toEqual([0, 7]);
  });

  test('counts machines and unsubscriptions, each email once, also in UTC days', async () => {
    const own = await api.project();
    const [one] = await sent(own, 1);
    if (!one) throw new Error('unreachable');
    const hit = (kind: 'open' | 'click') => ({
      id: newId(),
      emailId: one.id,
      kind,
      url: kind === 'click' ? 'https://x.test/' : null,
      machine: true,
      reason: 'scanner',
      userAgent: null,
      ip: null,
      ageMs: 0,
      delayMs: -1000,
    });
    await enqueueHits(api.ctx.pool, [hit('open'), hit('open'), hit('click')]);
    while ((await drainHits(api.ctx)) > 0);
    await enqueueHits(api.ctx.pool, [hit('open')]);
    while ((await drainHits(api.ctx)) > 0);
    const link = api.ctx.links.unsubscribeUrl(one.contactId ?? '', one.id);
    const response = await api.app.inject({
      method: 'POST',
      url: new URL(link).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    expect(response.statusCode).toBe(200);
    expect(await series(own, 'days=1')).toEqual([
      expect.objectContaining({ machineOpens: 1, machineClicks: 1, unsubscribes: 1, opens: 0, clicks: 0 }),
    ]);
  });

  test.each([
    ['interval=hour&days=32', 'startDate too_big'],
    ['timezone=Nowhere', 'timezone invalid_string'],
    ['groupBy=color', 'groupBy'],
    ['interval=week', 'interval'],
    ['compare=next', 'compare'],
    ['startDate=2026-03-11&endDate=2026-03-10', 'startDate custom'],
    ['startDate=yesterday', 'startDate custom'],
  ])('%s returns 422', async (query, error) => {
    const answer = refused(await api.as(project, 'GET', `/analytics/timeseries?${query}`));
    expect(answer).toMatchObject({ status: 422, errors: [expect.stringContaining(error)] });
  });
});

describe('GET /analytics/contacts', () => {
  test('has the contacts of each local day, and their total', async () => {
    const project = await api.project();
    for (const at of ['2026-03-01T12:00:00Z', '2026-03-10T03:00:00Z', '2026-03-10T05:00:00Z', '2026-03-12T12:00:00Z'])
      await api.ctx.prisma.contact.create({
        data: {
          id: newId(),
          projectId: project.id,
          email: `${newId()}@x.test`,
          subscribed: true,
          createdAt: new Date(at),
        },
      });
    await api.ctx.prisma.event.create({
      data: {
        id: newId(),
        projectId: project.id,
        contactId: null,
        name: 'contact.unsubscribed',
        createdAt: new Date('2026-03-10T12:00:00Z'),
      },
    });
    const query = 'startDate=2026-03-09&endDate=2026-03-11&timezone=America/New_York';
    expect(await get(project, `/analytics/contacts?${query}`)).toEqual([
      { date: '2026-03-09', created: 1, subscribed: 0, unsubscribed: 0, total: 2 },
      { date: '2026-03-10', created: 1, subscribed: 0, unsubscribed: 1, total: 3 },
      { date: '2026-03-11', created: 0, subscribed: 0, unsubscribed: 0, total: 3 },
    ]);
  });

  test('rejects an unknown time zone', async () => {
    const project = await api.project();
    expect((await api.as(project, 'GET', '/analytics/contacts?timezone=X')).statusCode).toBe(422);
  });
});
