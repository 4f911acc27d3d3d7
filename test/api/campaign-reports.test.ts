/** The links of a campaign, its figures over time, and its recipients by what they did. */
import { beforeAll, describe, expect, test } from 'vitest';
import { foldEmailFigures } from '../../src/domain/analytics/sql/email-figures.js';
import { foldLinks } from '../../src/domain/campaigns/sql/links.js';
import { storeUnsubscribe } from '../../src/domain/contacts/sql/subscription.js';
import { applyRetention } from '../../src/domain/maintenance/retention.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { enqueueHits } from '../../src/domain/tracking/sql.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';
import { feedbackHelpers } from '../helpers/feedback.js';

const api = useApi();
const { contact, draft, email } = campaignHelpers(api);
const { apply } = feedbackHelpers(api);

const SENT_AT = new Date('2026-03-10T22:58:30Z');
const minutesLater = (minutes: number): Date => new Date(SENT_AT.getTime() + minutes * 60_000);

const fold = async (): Promise<void> => {
  while ((await foldEmailFigures(api.ctx.pool, 5)) > 0);
  while ((await foldLinks(api.ctx.pool, 5)) > 0);
};
const get = async <T>(project: TestProject, url: string): Promise<T> => {
  const response = await api.as(project, 'GET', url);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<T>();
};

interface Click {
  emailId: string;
  url?: string | null;
  label?: string;
  machine?: boolean;
  at?: Date;
}

/** Stores hits as the drain does. */
async function click(...clicks: Click[]): Promise<void> {
  await enqueueHits(
    api.ctx.pool,
    clicks.map(({ emailId, url = 'https://shop.test/', label, machine = false, at = minutesLater(60) }) => ({
      id: newId(),
      emailId,
      kind: url === null ? ('open' as const) : ('click' as const),
      url,
      label,
      machine,
      reason: machine ? 'scanner' : null,
      userAgent: 'Browser',
      ip: '192.0.2.1',
      ageMs: 0,
      at,
      delayMs: -10_000_000_000,
    })),
  );
  while ((await drainHits(api.ctx)) > 0);
}

/** A campaign with this number of sent emails. */
async function sentCampaign(count: number): Promise<{ project: TestProject; id: string; emails: string[] }> {
  const project = await api.project();
  const id = await draft(project);
  const emails: string[] = [];
  for (let n = 0; n < count; n++)
    emails.push(
      await email(project, id, {
        status: 'SENT',
        createdAt: SENT_AT,
        sentAt: SENT_AT,
        toEmail: `reader${n}@x.test`,
        contactId: await contact(project, `reader${n}@x.test`),
      }),
    );
  await api.ctx.prisma.campaign.update({ where: { id }, data: { status: 'SENT', startedAt: SENT_AT } });
  return { project, id, emails };
}

interface Links {
  data: Array<Record<string, unknown>>;
  other: unknown;
}

describe('GET /campaigns/:id/links', () => {
  test('counts people once, all their clicks, and machines separately, folded or not', async () => {
    const { project, id, emails } = await sentCampaign(3);
    const [a = '', b = '', c = ''] = emails;
    await click({ emailId: a, at: minutesLater(5) }, { emailId: b, at: minutesLater(10) });
    await click({ emailId: a, at: minutesLater(30) }, { emailId: c, machine: true });
    const expected = {
      data: [
        {
          url: 'https://shop.test/',
          label: null,
          people: 2,
          clicks: 3,
          machineClicks: 1,
          firstAt: minutesLater(5).toISOString(),
          lastAt: minutesLater(30).toISOString(),
        },
      ],
      other: null,
    };
    expect(await get(project, `/campaigns/${id}/links`)).toEqual(expected);
    await fold();
    expect(await get(project, `/campaigns/${id}/links`)).toEqual(expected);
  });

  test('lists links by people, and the same URL with two labels twice', async () => {
    const { project, id, emails } = await sentCampaign(2);
    const [a = '', b = ''] = emails;
    await click({ emailId: a, label: 'header' }, { emailId: b, label: 'footer' });
    await click({ emailId: b, label: 'header' }, { emailId: b, url: 'https://other.test/', machine: true });
    const { data } = await get<Links>(project, `/campaigns/${id}/links`);
    expect(data.map(({ label, people, machineClicks }) => [label, people, machineClicks])).toEqual([
      ['header', 2, 0],
      ['footer', 1, 0],
      [null, 0, 1],
    ]);
  });

  test('lists at most 500 links, and all further ones as other', async () => {
    const { project, id } = await sentCampaign(0);
    const insert = (first: number, last: number) =>
      api.ctx.pool.query(
        `INSERT INTO link_deltas (project_id, campaign_id, url, people, clicks, first_at, last_at)
         SELECT $1, $2, 'https://x.test/' || n, 1, 2, now(), now() FROM generate_series($3::int, $4::int) n`,
        [project.id, id, first, last],
      );
    await insert(1, 502);
    const { data, other } = await get<Links>(project, `/campaigns/${id}/links`);
    expect([data.length, other]).toEqual([500, expect.objectContaining({ people: 2, clicks: 4, machineClicks: 0 })]);
    // More URLs than the table keeps: those that contain data of the recipient.
    await insert(503, 6000);
    while ((await foldLinks(api.ctx.pool, 5000)) > 0);
    expect(await api.ctx.prisma.campaignLink.count({ where: { campaignId: id } })).toBe(5001);
    expect((await get<Links>(project, `/campaigns/${id}/links`)).other).toMatchObject({ people: 5500, clicks: 11_000 });
  });

  test('a click through the redirect has the label of its link', async () => {
    const { project, id, emails } = await sentCampaign(1);
    const url = api.ctx.links.tracking.of(emails[0] ?? '').clickUrl('https://shop.test/a?b=1', 'cta') ?? '';
    const response = await api.app.inject({
      method: 'GET',
      url: new URL(url).pathname,
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0.0.0 Safari/537.36' },
    });
    expect([response.statusCode, response.headers.location]).toEqual([302, 'https://shop.test/a?b=1']);
    await api.ctx.pool.query(`UPDATE tracking_queue SET due_at = now() - interval '1 second'`);
    while ((await drainHits(api.ctx)) > 0);
    expect((await get<Links>(project, `/campaigns/${id}/links`)).data).toEqual([
      expect.objectContaining({ url: 'https://shop.test/a?b=1', label: 'cta' }),
    ]);
  });

  test('keeps its figures when retention deletes the emails', async () => {
    const { project, id, emails } = await sentCampaign(1);
    await click({ emailId: emails[0] ?? '' });
    const before = await get<Links>(project, `/campaigns/${id}/links`);
    const old = emails[0]?.replace(/^.{8}-.{4}/, '01800000-0000') ?? '';
    for (const [table, column] of [
      ['emails', 'id'],
      ['tracking_hits', 'email_id'],
      ['campaign_clicks', 'email_id'],
    ])
      await api.ctx.pool.query(`UPDATE ${table} SET ${column} = $2 WHERE ${column} = $1`, [emails[0], old]);
    await applyRetention({ ...api.ctx, config: { ...api.ctx.config, RETENTION_DAYS: 30 } });
    expect(await api.ctx.prisma.campaignClick.count({ where: { campaignId: id } })).toBe(0);
    expect(await get(project, `/campaigns/${id}/links`)).toEqual(before);
  });
});

describe('GET /campaigns/:id/timeseries', () => {
  test('has the figures of each interval with zeros in between, folded or not, in the time zone', async () => {
    const { project, id, emails } = await sentCampaign(2);
    const [a = '', b = ''] = emails;
    await api.ctx.pool.query(
      `INSERT INTO email_deltas (project_id, minute, campaign_id, source, type, domain, sent)
       VALUES ($1, '2026-03-10T22:58:00Z', $2, 'CAMPAIGN', 'MARKETING', 'x.test', 2)`,
      [project.id, id],
    );
    await apply(
      { emailId: a, kind: 'opened', at: minutesLater(2) },
      { emailId: a, kind: 'clicked', at: minutesLater(2), url: 'https://shop.test/' },
      { emailId: b, kind: 'bounced', at: minutesLater(121), bounceType: 'permanent', reason: 'gone' },
      { emailId: b, kind: 'complained', at: minutesLater(1), reason: 'spam' },
    );
    const none = {
      sent: 0,
      opens: 0,
      clicks: 0,
      bounces: 0,
      complaints: 0,
      unsubscribes: 0,
      machineOpens: 0,
      machineClicks: 0,
    };
    const series = (query: string) =>
      get<Array<{ at: string; sent: number; opens: number }>>(project, `/campaigns/${id}/timeseries?${query}`);
    for (let round = 0; round < 2; round++) {
      expect(await series('interval=hour&timezone=Asia/Kolkata')).toEqual(
        [
          { ...none, at: '2026-03-10T22:30:00.000Z', sent: 2, opens: 0, complaints: 1 },
          { ...none, at: '2026-03-10T23:30:00.000Z' },
          { ...none, at: '2026-03-11T00:30:00.000Z', bounces: 1 },
        ].map((point, index) => (index === 0 ? { ...point, opens: 1, clicks: 1 } : point)),
      );
      const minutes = await series('interval=minute');
      expect(minutes).toHaveLength(122);
      expect(minutes[2]).toEqual({ ...none, at: '2026-03-10T23:00:00.000Z', opens: 1, clicks: 1 });
      expect(
        (await series('interval=day&timezone=Europe/Berlin')).map(({ at, sent, opens }) => [at, sent, opens]),
      ).toEqual([
        ['2026-03-09T23:00:00.000Z', 2, 0],
        ['2026-03-10T23:00:00.000Z', 0, 1],
      ]);
      await fold();
    }
  });

  test('an earlier report moves a figure to its minute', async () => {
    const { project, id, emails } = await sentCampaign(1);
    const emailId = emails[0] ?? '';
    await apply({ emailId, kind: 'opened', at: minutesLater(30) });
    await apply({ emailId, kind: 'opened', at: minutesLater(10) });
    await fold();
    const points = await get<Array<{ at: string; opens: number }>>(
      project,
      `/campaigns/${id}/timeseries?interval=minute`,
    );
    expect(points.filter(({ opens }) => opens !== 0)).toEqual([
      expect.objectContaining({ at: '2026-03-10T23:08:00.000Z', opens: 1 }),
    ]);
  });

  test('is empty before sending begins', async () => {
    const project = await api.project();
    expect(await get(project, `/campaigns/${await draft(project)}/timeseries`)).toEqual([]);
  });

  test.each(['Mars/Olympus', '+02:00', 'UTC; DROP', ''])('rejects the time zone %j', async (timezone) => {
    const project = await api.project();
    const id = await draft(project);
    const answer = await api.as(project, 'GET', `/campaigns/${id}/timeseries?timezone=${encodeURIComponent(timezone)}`);
    expect(refused(answer)).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['timezone invalid_string'],
    });
  });
});

describe('the recipients of a campaign by what they did', () => {
  let project: TestProject;
  let id: string;
  const named: Record<string, string> = {};

  beforeAll(async () => {
    const at = SENT_AT;
    project = await api.project();
    id = await draft(project);
    const add = async (name: string, fields: Parameters<typeof email>[2]): Promise<void> => {
      const toEmail = `${name}@people.test`;
      named[await email(project, id, { toEmail, contactId: await contact(project, toEmail), ...fields })] = name;
    };
    await add('plain', { status: 'SENT', sentAt: at });
    await add('delivered', { status: 'DELIVERED', sentAt: at, deliveredAt: at });
    await add('opener', { status: 'OPENED', sentAt: at, openedAt: at });
    await add('clicker', { status: 'CLICKED', sentAt: at, openedAt: at, clickedAt: at });
    await add('blind', { status: 'CLICKED', sentAt: at, clickedAt: at });
    await add('bouncer', { status: 'BOUNCED', sentAt: at, bouncedAt: at });
    await add('complainer', { status: 'COMPLAINED', sentAt: at, openedAt: at, bouncedAt: at, complainedAt: at });
    await add('rejected', { status: 'FAILED' });
    await add('unknown', { status: 'FAILED', ambiguous: true });
    await add('cancelled', { status: 'CANCELLED' });
    await api.ctx.prisma.campaign.update({ where: { id }, data: { status: 'SENT' } });
    const idOf = (name: string): string => Object.keys(named).find((one) => named[one] === name) ?? '';
    await storeUnsubscribe(api.ctx.pool, project.id, idOf('opener'));
    await storeUnsubscribe(api.ctx.pool, project.id, idOf('opener'));
    await api.ctx.prisma.campaignClick.createMany({
      data: ['clicker', 'blind'].map((name) => ({
        projectId: project.id,
        campaignId: id,
        linkId: '11111111-1111-4111-8111-111111111111',
        emailId: idOf(name),
      })),
    });
    await api.ctx.prisma.campaignLink.create({
      data: {
        projectId: project.id,
        campaignId: id,
        linkId: '11111111-1111-4111-8111-111111111111',
        url: 'https://shop.test/',
        people: 2,
      },
    });
  });

  interface Page {
    data: Array<{ emailId: string }>;
    cursor: string | null;
    total: number;
  }

  /** The names on all pages of two recipients, and the total of the first page. */
  async function listed(query: string): Promise<{ names: string[]; total: number }> {
    const names: string[] = [];
    let total: number | undefined;
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await get<Page>(
        project,
        `/campaigns/${id}/recipients?limit=2&${query}${cursor && `&cursor=${cursor}`}`,
      );
      total ??= page.total;
      names.push(...page.data.map(({ emailId }) => named[emailId] ?? '?'));
      cursor = page.cursor;
    }
    return { names, total: total ?? 0 };
  }

  test.each([
    ['opened', ['opener', 'clicker', 'complainer']],
    ['clicked', ['clicker', 'blind']],
    ['not_opened', ['plain', 'delivered', 'blind', 'bouncer']],
    ['not_clicked', ['plain', 'delivered', 'opener', 'bouncer', 'complainer']],
    ['bounced', ['bouncer', 'complainer']],
    ['complained', ['complainer']],
    ['failed', ['rejected']],
    ['unknown', ['unknown']],
    ['unsubscribed', ['opener']],
    ['cancelled', ['cancelled']],
  ])('did=%s lists them in the order of the snapshot, and its total is the figure', async (did, names) => {
    expect(await listed(`did=${did}`)).toEqual({ names, total: names.length });
  });

  test.each([
    ['url=https://shop.test/', ['clicker', 'blind']],
    ['url=https://unknown.test/', []],
    ['url=https://shop.test/&did=opened', ['clicker']],
    ['did=unsubscribed&status=OPENED', ['opener']],
    ['did=opened&status=CLICKED', ['clicker']],
    ['search=CLICKER', ['clicker']],
    ['search=r@people.test&did=not_opened', ['bouncer']],
    ['search=%25', []],
    ['search=b&url=https://shop.test/', ['blind']],
    ['status=SENT&search=people', ['plain']],
  ])('%s combines the filters', async (query, names) => {
    expect(await listed(query)).toEqual({ names, total: names.length });
  });

  test('a search with very many matching contacts reads the recipients in order', async () => {
    const { selectFilteredRecipients, countFilteredRecipients } =
      await import('../../src/domain/campaigns/sql/recipient-filters.js');
    const filter = { projectId: project.id, campaignId: id, search: { pattern: '%er@%', contactIds: null } };
    const rows = await selectFilteredRecipients(api.ctx.pool, filter, { limit: 10 });
    expect(rows.map(({ emailId }) => named[emailId])).toEqual(['opener', 'clicker', 'bouncer', 'complainer']);
    expect(await countFilteredRecipients(api.ctx.pool, filter, 3)).toBe(3);
  });

  test('an unknown value of did returns 422', async () => {
    expect(refused(await api.as(project, 'GET', `/campaigns/${id}/recipients?did=danced`))).toMatchObject({
      status: 422,
      errors: [expect.stringMatching(/^did /)],
    });
  });

  test('stats count each unsubscribed email once', async () => {
    expect(await get(project, `/campaigns/${id}/stats`)).toMatchObject({
      unsubscribedCount: 1,
      failedCount: 1,
      unknownCount: 1,
    });
  });
});
