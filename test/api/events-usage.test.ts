import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { errorOf, refusal } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '10' });
const { track, tracked, insertContact, insertEvents } = eventHelpers(api);

const usage = async (project: TestProject, name: string) => {
  const response = await api.as(project, 'GET', `/events/${encodeURIComponent(name)}/usage`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
};
const remove = (project: TestProject, name: string) => api.as(project, 'DELETE', `/events/${encodeURIComponent(name)}`);
const count = (project: TestProject, name?: string) =>
  api.ctx.prisma.event.count({ where: { projectId: project.id, name } });

const UNUSED = {
  usedInSegments: [],
  usedInCampaigns: [],
  usedInWorkflows: [],
  totalCount: 0,
  uniqueContacts: 0,
  canDelete: true,
};
const tree = (field: string, depth = 1, operator = 'triggered'): object =>
  depth === 1
    ? {
        logic: 'AND',
        groups: [
          {
            filters: [
              { field: 'email', operator: 'contains', value: field },
              { field, operator },
            ],
          },
        ],
      }
    : { logic: 'OR', groups: [{ filters: [] }, { filters: [], conditions: tree(field, depth - 1, operator) }] };

async function segment(project: TestProject, condition: object): Promise<{ id: string; name: string }> {
  const id = newId();
  await api.ctx.prisma.segment.create({
    data: { id, projectId: project.id, name: `Segment ${id}`, slug: id, type: 'DYNAMIC', condition },
  });
  return { id, name: `Segment ${id}` };
}

async function campaign(
  project: TestProject,
  audienceCondition: object,
  status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED' = 'DRAFT',
): Promise<{ id: string; name: string }> {
  const id = newId();
  await api.ctx.prisma.campaign.create({
    data: {
      id,
      projectId: project.id,
      name: `Campaign ${id}`,
      subject: 's',
      body: 'b',
      from: `a@${project.domain}`,
      audienceType: 'FILTERED',
      audienceCondition,
      status,
    },
  });
  return { id, name: `Campaign ${id}` };
}

async function workflow(
  project: TestProject,
  eventName: string,
  steps: Array<{ type: 'WAIT_FOR_EVENT' | 'CONDITION' | 'SEND_EMAIL' | 'UPDATE_CONTACT'; config: object }> = [],
): Promise<{ id: string; name: string }> {
  const id = newId();
  await api.ctx.prisma.workflow.create({ data: { id, projectId: project.id, name: `Workflow ${id}`, eventName } });
  for (const step of steps)
    await api.ctx.prisma.workflowStep.create({
      data: { id: newId(), projectId: project.id, workflowId: id, name: 'Step', ...step },
    });
  return { id, name: `Workflow ${id}` };
}

describe('GET /events/:eventName/usage', () => {
  it('counts events and contacts, of this project and this name only', async () => {
    const project = await api.project();
    for (const email of ['a@x.test', 'b@x.test', 'a@x.test']) await tracked(project, { email });
    await tracked(project, { event: 'Signed up' });
    await tracked(await api.project());
    expect(await usage(project, 'signed up')).toEqual({ ...UNUSED, totalCount: 3, uniqueContacts: 2 });
    expect(await usage(project, 'never')).toEqual(UNUSED);
  });

  it('names the segments whose condition references the event, at any depth', async () => {
    const project = await api.project();
    const used = [await segment(project, tree('event.signed up')), await segment(project, tree('event.signed up', 5))];
    await segment(project, tree('event.signed up twice'));
    await segment(project, tree('data.signed up'));
    await segment(project, {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.x', operator: 'equals', value: 'event.signed up' }] }],
    });
    await segment(await api.project(), tree('event.signed up'));
    expect(await usage(project, 'signed up')).toEqual({ ...UNUSED, usedInSegments: used, canDelete: false });
  });

  it('names the campaigns that filter their future audience by the event', async () => {
    const project = await api.project();
    const used = [
      await campaign(project, tree('event.signed up', 3)),
      await campaign(project, tree('event.signed up'), 'SCHEDULED'),
      await campaign(project, tree('event.signed up'), 'SENDING'),
    ];
    for (const status of ['SENT', 'CANCELLED'] as const) await campaign(project, tree('event.signed up'), status);
    expect(await usage(project, 'signed up')).toEqual({ ...UNUSED, usedInCampaigns: used, canDelete: false });
  });

  it('names each workflow once that starts with the event, waits for it, or checks whether it happened', async () => {
    const project = await api.project();
    const used = [
      await workflow(project, 'signed up', [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'signed up' } }]),
      await workflow(project, 'x', [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'signed up', timeout: 60 } }]),
      await workflow(project, 'x', [{ type: 'CONDITION', config: tree('event.signed up', 3, 'notTriggeredWithin') }]),
      await workflow(project, 'x', [
        { type: 'CONDITION', config: { field: 'event.signed up', operator: 'triggered' } },
      ]),
    ];
    // Here `event.signed up` is a value of the execution's context, or only looks like the name.
    await workflow(project, 'x', [
      { type: 'CONDITION', config: { field: 'event.signed up', operator: 'equals', value: 1 } },
      { type: 'CONDITION', config: { field: 'data.x', operator: 'equals', value: 'event.signed up' } },
      { type: 'UPDATE_CONTACT', config: { updates: { field: 'event.signed up', operator: 'triggered' } } },
    ]);
    await workflow(await api.project(), 'signed up');
    expect(await usage(project, 'signed up')).toEqual({ ...UNUSED, usedInWorkflows: used, canDelete: false });
  });

  it.each(['email.sent', 'contact.subscribed', 'segment.vip.entry'])(
    'reports that a reserved name cannot be deleted: %s',
    async (name) => {
      const project = await api.project();
      await insertEvents(project, [{ name, contactId: await insertContact(project) }, { name }]);
      expect(await usage(project, name)).toEqual({ ...UNUSED, totalCount: 2, uniqueContacts: 1, canDelete: false });
    },
  );

  it("names references to an email's events by their own fields, such as email.opened", async () => {
    const project = await api.project();
    const used = [await segment(project, tree('email.opened')), await segment(project, tree('event.email.opened'))];
    const reached = await campaign(project, tree('email.opened', 2));
    const asking = await workflow(project, 'x', [
      { type: 'CONDITION', config: { field: 'email.opened', operator: 'triggered' } },
    ]);
    for (const field of ['email.clicked', 'event.opened', 'data.email.opened']) await segment(project, tree(field));
    expect(await usage(project, 'email.opened')).toEqual({
      ...UNUSED,
      usedInSegments: used,
      usedInCampaigns: [reached],
      usedInWorkflows: [asking],
      canDelete: false,
    });
  });

  // Quotes, jsonpath, and LIKE patterns in a name have no effect.
  it.each([
    'say "hi"',
    "it's",
    '$.** ? (@ == 1)',
    '100%_x',
    'back\\slash',
    '注文 😀',
    'a/b',
    '.',
    'x'.repeat(255),
    '😀'.repeat(255),
  ])('finds the name %s in every place', async (name) => {
    const project = await api.project();
    await tracked(project, { event: name });
    const refs = [await segment(project, tree(`event.${name}`)), await workflow(project, name)];
    await segment(project, tree(`event.${name}x`));
    await workflow(project, `${name}x`);
    const answer =
      name === '.' ? (await api.as(project, 'GET', '/events/%20.%20/usage')).json() : await usage(project, name);
    expect(answer).toEqual({
      usedInSegments: [refs[0]],
      usedInCampaigns: [],
      usedInWorkflows: [refs[1]],
      totalCount: 1,
      uniqueContacts: 1,
      canDelete: false,
    });
  });
});

describe('accepts names that equal path segments', () => {
  it.each(['names', 'stats', 'contact', 'usage', 'track'])('work in paths: %s', async (name) => {
    const project = await api.project();
    await tracked(project, { event: name });
    await tracked(project, { event: 'other' });
    expect(await usage(project, name)).toMatchObject({ totalCount: 1, canDelete: true });
    // Every character is encoded, as clients may do.
    const encoded = [...Buffer.from(name)].map((byte) => `%${byte.toString(16)}`).join('');
    expect((await api.as(project, 'GET', `/events/${encoded}/usage`)).json()).toMatchObject({ totalCount: 1 });
    const response = await api.as(project, 'DELETE', `/events/${encoded}`);
    expect([response.statusCode, response.json()]).toEqual([200, { deletedCount: 1 }]);
    expect([await count(project), await count(project, 'other')]).toEqual([1, 1]);
  });
});

describe('DELETE /events/:eventName', () => {
  it('deletes every event of the name and returns their number; nothing else is deleted', async () => {
    const [project, another] = [await api.project(), await api.project()];
    for (const event of ['a/b', 'a/b', 'a', 'A/B']) await tracked(project, { event });
    await tracked(another, { event: 'a/b' });
    const response = await remove(project, 'a/b');
    expect([response.statusCode, response.json()]).toEqual([200, { deletedCount: 2 }]);
    expect([await count(project), await count(project, 'a/b'), await count(another)]).toEqual([2, 0, 1]);
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('deletes nothing for a name without events', async () => {
    expect((await remove(await api.project(), 'never')).json()).toEqual({ deletedCount: 0 });
  });

  it.each(['email.sent', 'email.x', 'contact.unsubscribed', 'segment.vip.exit'])(
    'returns 409 CONFLICT for a reserved name, and deletes nothing: %s',
    async (name) => {
      const project = await api.project();
      await insertEvents(project, [{ name }]);
      expect(refusal(await remove(project, name))).toEqual([409, 'CONFLICT']);
      expect(await count(project)).toBe(1);
    },
  );

  it.each<[string, (project: TestProject) => Promise<Record<string, unknown>>]>([
    ['a segment', async (project) => ({ usedInSegments: [await segment(project, tree('event.signed up', 2))] })],
    ['a campaign', async (project) => ({ usedInCampaigns: [await campaign(project, tree('event.signed up'))] })],
    ['a workflow', async (project) => ({ usedInWorkflows: [await workflow(project, 'signed up')] })],
    [
      "a workflow's step",
      async (project) => ({
        usedInWorkflows: [
          await workflow(project, 'x', [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'signed up' } }]),
        ],
      }),
    ],
  ])('returns 409 CONFLICT with the name of %s that uses the event, and deletes nothing', async (_what, use) => {
    const project = await api.project();
    await tracked(project);
    const used = await use(project);
    const response = await remove(project, 'signed up');
    expect([refusal(response), errorOf(response).details]).toEqual([
      [409, 'CONFLICT'],
      { usedInSegments: [], usedInCampaigns: [], usedInWorkflows: [], ...used },
    ]);
    expect(await count(project)).toBe(1);
  });

  // More than two pages of 5,000, many of them with the same createdAt.
  it('deletes more than one page', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, name, created_at) SELECT uuid_v7(), $1, 'bulk', now() - (n % 3) * interval '1 day' FROM generate_series(1, 12345) n`,
      [project.id],
    );
    await tracked(project);
    expect((await remove(project, 'bulk')).json()).toEqual({ deletedCount: 12_345 });
    expect(await count(project)).toBe(1);
  });

  it('two concurrent calls succeed and count each event once, during deletions and tracking', async () => {
    const project = await api.project();
    const contacts = await Promise.all(Array.from({ length: 20 }, () => insertContact(project)));
    await insertEvents(
      project,
      Array.from({ length: 2000 }, (_, index) => ({
        name: 'bulk',
        contactId: contacts[index % 20],
        createdAt: new Date(Date.now() - index * 1000),
      })),
    );
    const [first, second, ...others] = await Promise.all([
      remove(project, 'bulk'),
      remove(project, 'bulk'),
      ...contacts.slice(0, 5).map((id) => api.as(project, 'DELETE', `/contacts/${id}`)),
      ...Array.from({ length: 20 }, () => track(project, { event: 'kept' })),
    ]);
    expect([first.statusCode, second.statusCode, ...new Set(others.map(({ statusCode }) => statusCode))]).toEqual([
      200, 200, 204, 200,
    ]);
    expect(first.json().deletedCount + second.json().deletedCount).toBeLessThanOrEqual(2000);
    expect(first.json().deletedCount + second.json().deletedCount).toBeGreaterThanOrEqual(1500);
    expect([await count(project, 'bulk'), await count(project, 'kept')]).toEqual([0, 20]);
  });
});
