/** `POST /contacts/preview`. */
import { expect, test, vi } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { segmentHelpers } from '../helpers/segment-api.js';

const api = useApi();
const { contact, segment } = segmentHelpers(api);

interface Previewed {
  total: number;
  filters: Array<{ path: string; total: number }>;
  incomplete: string[];
  sample: Array<{ email: string }>;
}

async function preview(project: TestProject, condition: unknown): Promise<Previewed> {
  const response = await api.as(project, 'POST', '/contacts/preview', { condition });
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Previewed>();
}

const plan = (value: unknown) => ({ field: 'data.plan', operator: 'equals', value });

/** Four contacts: two with the plan "pro", of which one is subscribed; Ada has bought something. */
async function fourContacts(): Promise<TestProject> {
  const project = await api.project();
  await contact(project, 'ada@x.test', { plan: 'pro' });
  await contact(project, 'bob@x.test', { plan: 'pro' }, false);
  await contact(project, 'cid@x.test', { plan: 'free' });
  await contact(project, 'dan@x.test');
  await api.as(project, 'POST', '/events/track', { email: 'ada@x.test', event: 'bought' });
  return project;
}

test('counts the condition and each filter, and shows the newest matches', async () => {
  const project = await fourContacts();
  const { id } = await segment(project, { type: 'STATIC' });
  await api.as(project, 'POST', `/segments/${id}/members`, { emails: ['dan@x.test'] });
  const found = await preview(project, {
    logic: 'OR',
    groups: [
      { filters: [plan('pro'), { field: 'subscribed', operator: 'equals', value: true }] },
      {
        filters: [{ field: 'event.bought', operator: 'notTriggered' }],
        conditions: {
          logic: 'AND',
          groups: [{ filters: [{ field: `segment.${id}`, operator: 'memberOfSegment' }] }, { filters: [] }],
        },
      },
    ],
  });
  expect(found).toMatchObject({ total: 2, incomplete: [] });
  expect(found.sample.map(({ email }) => email)).toEqual(['dan@x.test', 'ada@x.test']);
  expect(found.filters.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'groups.0.filters.0', total: 2 },
    { path: 'groups.0.filters.1', total: 3 },
    { path: 'groups.1.conditions.groups.0.filters.0', total: 1 },
    { path: 'groups.1.filters.0', total: 3 },
  ]);
});

test('counts each of many filters', async () => {
  const project = await fourContacts();
  const filters = [...Array.from({ length: 13 }, (_, n) => plan(n)), plan('pro'), plan('free')];
  const found = await preview(project, { logic: 'OR', groups: filters.map((filter) => ({ filters: [filter] })) });
  expect(found.total).toBe(3);
  expect(found.filters.map(({ total }) => total)).toEqual([...Array.from({ length: 13 }, () => 0), 2, 1]);
});

test('counts equal filters the same in every place', async () => {
  const project = await fourContacts();
  const found = await preview(project, {
    logic: 'OR',
    groups: [{ filters: [plan('pro'), plan('free')] }, { filters: [plan('pro')] }],
  });
  expect(found.total).toBe(2);
  expect(found.filters).toEqual([
    { path: 'groups.0.filters.0', total: 2 },
    { path: 'groups.0.filters.1', total: 1 },
    { path: 'groups.1.filters.0', total: 2 },
  ]);
});

test.each(['large', 'dominant'] as const)('counts a %s project like a small one', async (size) => {
  const project = await fourContacts();
  const surveys = vi.spyOn(api.ctx.surveys, 'sizeOf').mockResolvedValue(size);
  try {
    const other = await api.project();
    await contact(other, 'eve@x.test', { plan: 'pro' });
    const counts = async (...filters: unknown[]): Promise<number[]> => {
      const found = await preview(project, { logic: 'AND', groups: [{ filters }] });
      return [found.total, ...found.filters.map(({ total }) => total)];
    };
    const bought = { field: 'event.bought', operator: 'triggered' };
    expect(await counts(plan('pro'), bought)).toEqual([1, 2, 1]);
    expect(await counts(plan('pro'), { field: 'subscribed', operator: 'equals', value: true })).toEqual([1, 2, 3]);
    expect(await counts(plan('pro'))).toEqual([2, 2]);
    expect(await counts(bought)).toEqual([1, 1]);
    expect(await counts()).toEqual([4]);
  } finally {
    surveys.mockRestore();
  }
});

test('ignores filters that lack a part, and names their places', async () => {
  const project = await fourContacts();
  const filters = [
    {},
    { field: '' },
    { field: 'data.' },
    { field: 'data.city' },
    { field: 'data.city', operator: 'equals' },
    { field: 'data.city', operator: 'contains', value: '' },
    { field: 'data.seen', operator: 'within', value: 3 },
    plan('pro'),
  ];
  const found = await preview(project, { logic: 'AND', groups: [{ filters }] });
  expect(found.incomplete).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `groups.0.filters.${index}`));
  expect(found).toMatchObject({ total: 2, filters: [{ path: 'groups.0.filters.7', total: 2 }] });
});

test('counts all contacts for a condition without complete filters', async () => {
  const project = await fourContacts();
  expect(await preview(project, { logic: 'AND', groups: [{ filters: [{}] }] })).toMatchObject({ total: 4 });
  expect(await preview(project, { logic: 'OR', groups: [] })).toMatchObject({ total: 4, filters: [] });
});

test.each([
  { logic: 'AND' },
  { logic: 'XOR', groups: [] },
  { logic: 'AND', groups: [{ filters: [{ field: 'data.x', operator: 'is', value: 1 }] }] },
  { logic: 'AND', groups: [{ filters: [{ field: 'x', operator: 'equals', value: 1 }] }] },
  { logic: 'AND', groups: [{ filters: [{ field: 'subscribed', operator: 'equals', value: 'yes' }] }] },
  'all',
])('returns 422 for the invalid condition %j', async (condition) => {
  const project = await api.project();
  expect((await api.as(project, 'POST', '/contacts/preview', { condition })).statusCode).toBe(422);
});
