import { describe, expect, it } from 'vitest';
import { transaction, type Queryable } from '../../src/db/pool.js';
import { countActivity, selectActivity, type ActivityFilter } from '../../src/domain/activity/sql.js';
import { EVENT_KINDS, kindOfEvent, nameClauses, type EventChoice } from '../../src/domain/events/sql/choice.js';
import { countEventsByName } from '../../src/domain/events/sql/days.js';
import { countEvents, selectEvents } from '../../src/domain/events/sql/list.js';
import { foldFigures } from '../../src/domain/analytics/sql/figures.js';
import { newId } from '../../src/ids.js';
import { activityHelpers, newestFirst, type Made } from '../helpers/activity.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { feedbackHelpers } from '../helpers/feedback.js';
import { refusal } from '../helpers/session.js';

const api = useApi();
const { get, feed, allPages, contact, event, workflow, execution, campaign } = activityHelpers(api);
const { tracked } = eventHelpers(api);
const { sent, apply } = feedbackHelpers(api);

const T0 = Date.parse('2026-03-10T12:00:00.000Z');
const at = (ms: number): Date => new Date(T0 + ms);
const pick = <T>(items: readonly T[], seed: number): T => {
  const item = items[seed % items.length];
  if (item === undefined) throw new Error('Nothing to pick from');
  return item;
};

const NAMES = [
  'email.sent',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'contact.unsubscribed',
  'segment.vip.entry',
  'segment.vip.exit',
  'segment.vip',
  'email',
  'signed up',
  'workflow.started',
];
const TYPE_OF: Record<string, string> = {
  'segment.vip.entry': 'segment.entry',
  'segment.vip.exit': 'segment.exit',
  'segment.vip': 'event.tracked',
  email: 'event.tracked',
  'signed up': 'event.tracked',
  'workflow.started': 'event.tracked',
};

/** Creates every kind of entry at a few times, so that many share one. */
async function fill(project: TestProject, count: number): Promise<{ made: Made[]; contacts: string[] }> {
  const contacts = [await contact(project), await contact(project)];
  const workflows = [await workflow(project), await workflow(project)];
  const made: Made[] = [];
  for (let n = 0; n < count; n++) {
    const [time, contactId] = [at(pick([0, 0, 1, 5, 1000], n * 7 + (n >> 2))), n % 5 === 0 ? null : pick(contacts, n)];
    if (n % 11 === 0)
      made.push({
        id: await campaign(project, { status: 'SENT', sentAt: time }),
        type: 'campaign.sent',
        at: time,
        contactId: null,
      });
    else if (n % 4 === 0 && contactId)
      made.push({
        id: await execution(project, pick(workflows, n >> 2), contactId, time),
        type: 'workflow.started',
        at: time,
        contactId,
      });
    else {
      const name = pick(NAMES, n);
      made.push({
        id: await event(project, name, time, contactId ? { contactId } : {}),
        type: TYPE_OF[name] ?? name,
        at: time,
        contactId,
      });
    }
  }
  return { made: made.toSorted(newestFirst), contacts };
}

describe('GET /activity', () => {
  it('returns an empty list', async () => {
    expect(await feed(await api.project())).toEqual({ data: [], cursor: null, hasMore: false, total: 0 });
  });

  it('neither repeats nor omits entries with the same time, for any page size and filter', async () => {
    const project = await api.project();
    const { made, contacts } = await fill(project, 90);
    await fill(await api.project(), 8);
    const [ada] = contacts;
    const filters: Array<[string, (item: Made) => boolean]> = [
      ['', () => true],
      ['&types=email.opened,workflow.started', ({ type }) => ['email.opened', 'workflow.started'].includes(type)],
      ['&types=event.tracked', ({ type }) => type === 'event.tracked'],
      ['&types=segment.entry&types=segment.exit', ({ type }) => type.startsWith('segment.')],
      ['&types=campaign.sent', ({ type }) => type === 'campaign.sent'],
      [`&contactId=${ada}`, ({ contactId }) => contactId === ada],
      [
        `&contactId=${ada}&types=event.tracked,email.sent`,
        ({ contactId, type }) => contactId === ada && ['event.tracked', 'email.sent'].includes(type),
      ],
      [
        `&startDate=${at(1).toISOString()}&endDate=${at(5).toISOString()}`,
        ({ at: time }) => time >= at(1) && time <= at(5),
      ],
      [
        `&startDate=${at(1).toISOString()}&types=email.clicked,event.tracked,workflow.started`,
        ({ at: time, type }) => time >= at(1) && ['email.clicked', 'event.tracked', 'workflow.started'].includes(type),
      ],
      ['&endDate=2026-03-10', () => true],
      ['&endDate=2026-03-09', () => false],
    ];
    for (const [filter, belongs] of filters) {
      const expected = made.filter(belongs).map(({ id, type }) => [id, type]);
      for (const limit of [1, 7, 100])
        expect(
          (await allPages(project, `?limit=${limit}${filter}`)).map(({ id, type }) => [id, type]),
          `${filter}, ${limit} a page`,
        ).toEqual(expected);
      expect((await feed(project, `?limit=1${filter}`)).total, filter).toBe(expected.length);
    }
  });

  it('continues after a deleted entry, and does not repeat entries when a new one is added', async () => {
    const project = await api.project();
    const { made } = await fill(project, 30);
    const listed = await allPages(project, '?limit=4', { between: () => tracked(project) });
    expect(listed.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    const first = await feed(project, '?limit=5&endDate=2026-03-10');
    await api.ctx.prisma.event.deleteMany({ where: { id: { in: first.data.map(({ id }) => id) } } });
    expect(
      (await allPages(project, '?limit=5&endDate=2026-03-10', { from: first.cursor ?? '' })).map(({ id }) => id),
    ).toEqual(made.slice(5).map(({ id }) => id));
  });

  it('has an entry for each state of an email, with the time of the change', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email) throw new Error('No email');
    await apply(
      { emailId: email.id, kind: 'delivered', at: at(0) },
      { emailId: email.id, kind: 'opened', at: at(1) },
      { emailId: email.id, kind: 'clicked', at: at(2), url: 'https://x.test/a' },
      { emailId: email.id, kind: 'bounced', at: at(3), bounceType: 'permanent', reason: '550 gone' },
      { emailId: email.id, kind: 'complained', at: at(4), reason: 'abuse' },
    );
    const { data } = await feed(project);
    const common = {
      emailId: email.id,
      subject: 's',
      source: 'CAMPAIGN',
      campaignId: email.campaignId,
      templateId: null,
    };
    const told = Object.fromEntries(
      data.map(({ type, contactId, contactEmail, metadata }) => [type, { contactId, contactEmail, metadata }]),
    );
    const whose = { contactId: email.contactId, contactEmail: email.address };
    expect(told).toEqual({
      'email.delivered': { ...whose, metadata: { ...common, occurredAt: at(0).toISOString() } },
      'email.opened': { ...whose, metadata: { ...common, occurredAt: at(1).toISOString() } },
      'email.clicked': { ...whose, metadata: { ...common, url: 'https://x.test/a', occurredAt: at(2).toISOString() } },
      'email.bounced': {
        ...whose,
        metadata: { ...common, bounceType: 'permanent', reason: '550 gone', occurredAt: at(3).toISOString() },
      },
      'email.complained': { ...whose, metadata: { ...common, reason: 'abuse', occurredAt: at(4).toISOString() } },
      'contact.unsubscribed': {
        ...whose,
        metadata: { eventName: 'contact.unsubscribed', data: expect.objectContaining({ emailId: email.id }) },
      },
    });
  });

  it('has one entry for an open that is reported again, earlier and later', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email) throw new Error('No email');
    for (const ms of [5000, 1000, 9000]) await apply({ emailId: email.id, kind: 'opened', at: at(ms) });
    const page = await feed(project);
    expect(page.total).toBe(1);
    expect(page.data).toMatchObject([{ type: 'email.opened', metadata: { occurredAt: at(1000).toISOString() } }]);
  });

  it('has events, executions, and campaigns', async () => {
    const project = await api.project();
    const ada = await contact(project, 'ada@x.test');
    const workflowId = await workflow(project, 'Onboarding');
    await event(project, 'signed up', at(1), { contactId: ada, data: { plan: 'pro' } });
    const executionId = await execution(project, workflowId, ada, at(2));
    const campaignId = await campaign(project, { name: 'Spring', status: 'SENT', sentAt: at(3), totalRecipients: 12 });
    expect((await feed(project)).data.map(({ id: _id, ...item }) => item)).toEqual([
      {
        type: 'campaign.sent',
        timestamp: at(3).toISOString(),
        contactId: null,
        contactEmail: null,
        metadata: { campaignId, campaignName: 'Spring', totalRecipients: 12 },
      },
      {
        type: 'workflow.started',
        timestamp: at(2).toISOString(),
        contactId: ada,
        contactEmail: 'ada@x.test',
        metadata: { executionId, workflowId, workflowName: 'Onboarding' },
      },
      {
        type: 'event.tracked',
        timestamp: at(1).toISOString(),
        contactId: ada,
        contactEmail: 'ada@x.test',
        metadata: { eventName: 'signed up', data: { plan: 'pro' } },
      },
    ]);
  });

  it('counts existing and permanently counted executions, folded or not', async () => {
    const project = await api.project();
    const [ada, bob] = [await contact(project), await contact(project)];
    const [kept, gone] = [await workflow(project), await workflow(project)];
    for (const [workflowId, contactId] of [
      [kept, ada],
      [kept, bob],
      [gone, ada],
    ] as const)
      await execution(project, workflowId, contactId, at(0));
    await foldFigures(api.ctx.pool, 1000);
    await api.ctx.prisma.workflow.delete({ where: { id: gone } });
    await api.as(project, 'DELETE', `/contacts/${bob}`);
    const queries = [
      '?types=workflow.started',
      '?types=workflow.started&startDate=2026-03-10&endDate=2026-03-10',
      `?types=workflow.started&startDate=${at(-1).toISOString()}&endDate=${at(1).toISOString()}`,
    ];
    for (let round = 0; round < 2; round++) {
      for (const query of queries)
        expect(await feed(project, query), query).toMatchObject({
          total: 1,
          data: [{ contactId: ada, metadata: { workflowId: kept } }],
        });
      expect(await get(project, '/activity/stats')).toMatchObject({ totalWorkflowsStarted: 3 });
      await foldFigures(api.ctx.pool, 1000);
    }
  });

  it('has an entry for an email whose row was deleted by retention', async () => {
    const project = await api.project();
    await event(project, 'email.sent', at(0), { emailId: newId() });
    expect((await feed(project)).data).toMatchObject([
      {
        type: 'email.sent',
        contactId: null,
        contactEmail: null,
        metadata: { subject: null, source: null, campaignId: null },
      },
    ]);
  });

  it('finds the tracked events of a project with too many names for one lookup per name', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, name, created_at) SELECT uuid_v7(), $1, CASE WHEN n % 3 = 0 THEN 'email.sent' ELSE 'made up ' || n END, now() FROM generate_series(1, 900) n`,
      [project.id],
    );
    await event(project, 'segment.vip.entry', at(0));
    const listed = await allPages(project, '?limit=100&types=event.tracked');
    expect(listed).toHaveLength(600);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(600);
    expect(listed.every(({ type }) => type === 'event.tracked')).toBe(true);
    expect((await feed(project, '?limit=1&types=event.tracked')).total).toBe(600);
    expect(await feed(project, '?types=segment.entry')).toMatchObject({ total: 1, data: [{ type: 'segment.entry' }] });
  });

  it.each([
    ['an unknown contact', newId()],
    ['a malformed id', 'nope'],
  ])('has no activity of %s', async (_which, id) => {
    const project = await api.project();
    await fill(project, 12);
    expect(await feed(project, `?contactId=${id}`)).toEqual({ data: [], cursor: null, hasMore: false, total: 0 });
  });

  it("shows nothing of another project's contact", async () => {
    const other = await api.project();
    const { contacts } = await fill(other, 12);
    expect((await feed(await api.project(), `?contactId=${contacts[0]}`)).data).toEqual([]);
  });

  it('clamps a limit above 100, and ignores an empty types', async () => {
    const project = await api.project();
    const { made } = await fill(project, 12);
    expect((await feed(project, '?limit=1000&types=')).data).toHaveLength(made.length);
  });

  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['limit=0', 'limit'],
    ['cursor=x', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${encode(['recipient', newId()])}`, 'cursor'],
    ['types=email.read', 'types.0'],
    ['types=email.sent,EMAIL', 'types.1'],
    ['startDate=yesterday', 'startDate'],
    ['startDate=2026-03-11&endDate=2026-03-10', 'startDate'],
    ['endDate=2026-02-30', 'endDate'],
    ['contactId=a%00b', 'contactId'],
  ])('rejects %s with 422', async (query, field) => {
    expect(refusal(await api.as(await api.project(), 'GET', `/activity?${query}`))).toEqual([
      422,
      'VALIDATION_ERROR',
      field,
    ]);
  });

  it('reads entries of any age and distance by index', async () => {
    const project = await api.project();
    const ada = await contact(project);
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, name, contact_id, created_at) SELECT uuid_v7(), $1, 'old', $2, now() - interval '1 day' - n * interval '1 s' FROM generate_series(1, 60) n`,
      [project.id, ada],
    );
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, name, created_at) SELECT uuid_v7(), $1, 'email.sent', now() - n * interval '1 s' FROM generate_series(1, 20000) n`,
      [project.id],
    );
    await api.ctx.pool.query('VACUUM ANALYZE events');
    const filter: ActivityFilter = { projectId: project.id, events: { by: 'all' }, executions: true, campaigns: true };
    const old: EventChoice = { by: 'name', names: ['old', 'email.opened'] };
    const middle = { at: new Date(Date.now() - 3_600_000).toISOString(), id: newId() };
    // The responses of the lists and figures, one by one.
    const questions: Record<string, (tx: Queryable) => Promise<unknown>> = {
      'the first page': (tx) => selectActivity(tx, { ...filter, limit: 6 }),
      'a page in the middle': (tx) => selectActivity(tx, { ...filter, after: middle, limit: 6 }),
      'a type that is old': (tx) => selectActivity(tx, { ...filter, events: old, limit: 6 }),
      'a contact': (tx) => selectActivity(tx, { ...filter, contactId: ada, limit: 6 }),
      'a type of a contact': (tx) => selectActivity(tx, { ...filter, events: old, contactId: ada, limit: 6 }),
      'how many there are': (tx) => countActivity(tx, filter),
      'how many of a type there are': (tx) => countActivity(tx, { ...filter, events: old }),
      'events of an old name': (tx) => selectEvents(tx, { projectId: project.id, name: 'old', limit: 6 }),
      'how many events there are': (tx) => countEvents(tx, { projectId: project.id }),
      'how often each event happened': (tx) => countEventsByName(tx, project.id, {}, 100),
    };
    const read = `SELECT sum(pg_stat_get_xact_tuples_returned(oid))::int AS rows FROM (SELECT 'events'::regclass::oid AS oid UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = 'events'::regclass) AS relations`;
    for (const [question, ask] of Object.entries(questions)) {
      const rows = await transaction(api.ctx.pool, async (tx) => {
        const readSoFar = async (): Promise<number> => (await tx.query<{ rows: number }>(read)).rows[0]?.rows ?? 0;
        const before = await readSoFar();
        await ask(tx);
        return (await readSoFar()) - before;
      });
      expect(rows, question).toBeLessThan(200);
    }
  });
});

it('derives the kind of an event from its name equally in the code and in the database', async () => {
  const names = [
    ...EVENT_KINDS,
    'email',
    'email.',
    'email.sent ',
    'email.opened\n',
    'segment.vip.entry',
    'segment.vip.exit',
    'segment..entry',
    'segment.a.b.entry',
    'segment.a.entry\n',
    'segment.a\nb.exit',
    'SEGMENT.a.entry',
    'segment.é.exit',
    'segment.注文.entry',
    'contact.created',
    '😀',
  ];
  const values: unknown[] = [names];
  const kinds = EVENT_KINDS.map(
    (kind) => `CASE WHEN ${nameClauses({ by: 'kind', kinds: [kind] }, 'name', values).join('')} THEN '${kind}' END`,
  );
  const { rows } = await api.ctx.pool.query<{ name: string; kind: string }>(
    `SELECT name, concat(${kinds.join(', ')}) AS kind FROM unnest($1::text[]) AS name`,
    values,
  );
  expect(rows).toEqual(names.map((name) => ({ name, kind: kindOfEvent(name) })));
});

describe('GET /activity/types', () => {
  it('returns every type of the feed', async () => {
    expect(await get(await api.project(), '/activity/types')).toEqual({
      types: [
        'email.scheduled',
        'email.cancelled',
        'email.sent',
        'email.delivered',
        'email.opened',
        'email.clicked',
        'email.bounced',
        'email.complained',
        'email.failed',
        'email.received',
        'contact.subscribed',
        'contact.unsubscribed',
        'segment.entry',
        'segment.exit',
        'event.tracked',
        'campaign.sent',
        'workflow.started',
      ],
    });
  });
});

describe('GET /activity/recent-count', () => {
  it('counts the last 5 minutes by default, or the given number of minutes', async () => {
    const project = await api.project();
    const ada = await contact(project);
    const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
    await event(project, 'signed up', ago(1));
    await execution(project, await workflow(project), ada, ago(4));
    await campaign(project, { status: 'SENT', sentAt: ago(4.5) });
    await event(project, 'signed up', ago(6));
    await event(project, 'signed up', ago(61));
    await event(await api.project(), 'signed up', ago(1));
    expect(await get(project, '/activity/recent-count')).toEqual({ count: 3, minutes: 5 });
    expect(await get(project, '/activity/recent-count?minutes=60')).toEqual({ count: 4, minutes: 60 });
    expect(await get(project, '/activity/recent-count?minutes=100000')).toEqual({ count: 5, minutes: 1440 });
  });

  it.each(['0', '-5', 'many', '1.5', ''])('rejects minutes=%s with 422', async (minutes) => {
    expect(refusal(await api.as(await api.project(), 'GET', `/activity/recent-count?minutes=${minutes}`))).toEqual([
      422,
      'VALIDATION_ERROR',
      'minutes',
    ]);
  });
});

describe('GET /activity/upcoming', () => {
  const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);

  it('returns scheduled campaigns and waiting executions with their wake time, soonest first', async () => {
    const project = await api.project();
    const ada = await contact(project, 'ada@x.test');
    const workflowId = await workflow(project, 'Onboarding');
    const times = [days(2), days(1), days(3)];
    const [campaignAt, wakeAt, timeoutAt] = times;
    const campaignId = await campaign(project, { name: 'Spring', status: 'SCHEDULED', scheduledFor: campaignAt });
    const sleeping = await execution(project, workflowId, ada, new Date(), { wakeAt });
    const waiting = await execution(project, await workflow(project), ada, new Date(), {
      wakeAt: timeoutAt,
      waitingFor: 'paid',
    });
    // None of these has a wake time: drafts, ended executions, and waits without a timeout.
    await campaign(project, { status: 'DRAFT', scheduledFor: days(1) });
    await execution(project, workflowId, await contact(project), new Date());
    await execution(project, workflowId, await contact(project), new Date(), { waitingFor: 'paid' });
    const { activities } = (await get(project, '/activity/upcoming')) as { activities: unknown[] };
    expect(activities).toEqual([
      {
        id: sleeping,
        type: 'workflow.waiting',
        timestamp: wakeAt?.toISOString(),
        contactId: ada,
        contactEmail: 'ada@x.test',
        metadata: {
          executionId: sleeping,
          workflowId,
          workflowName: 'Onboarding',
          stepType: null,
          stepName: null,
          waitingFor: null,
        },
      },
      {
        id: campaignId,
        type: 'campaign.scheduled',
        timestamp: campaignAt?.toISOString(),
        contactId: null,
        contactEmail: null,
        metadata: { campaignId, campaignName: 'Spring', subject: 'Hello' },
      },
      expect.objectContaining({
        id: waiting,
        timestamp: timeoutAt?.toISOString(),
        metadata: expect.objectContaining({ waitingFor: 'paid' }),
      }),
    ]);
  });

  it('covers the next 30 days by default, includes overdue entries, and returns at most `limit`', async () => {
    const project = await api.project();
    const ids: string[] = [];
    for (const ahead of [-1, 10, 29, 31, 300])
      ids.push(await campaign(project, { status: 'SCHEDULED', scheduledFor: days(ahead) }));
    await campaign(await api.project(), { status: 'SCHEDULED', scheduledFor: days(1) });
    const upcoming = async (query: string): Promise<string[]> =>
      ((await get(project, `/activity/upcoming${query}`)) as { activities: Array<{ id: string }> }).activities.map(
        ({ id }) => id,
      );
    expect(await upcoming('')).toEqual(ids.slice(0, 3));
    expect(await upcoming('?daysAhead=365')).toEqual(ids);
    expect(await upcoming('?daysAhead=365&limit=2')).toEqual(ids.slice(0, 2));
    expect(refusal(await api.as(project, 'GET', '/activity/upcoming?daysAhead=0'))).toEqual([
      422,
      'VALIDATION_ERROR',
      'daysAhead',
    ]);
  });
});
