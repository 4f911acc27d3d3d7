/** `/contacts/fields`: the fields, their values, their usage, and their deletion. */
import { describe, expect, it, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';

const api = useApi();

async function add(project: TestProject, ...data: Array<Record<string, unknown>>): Promise<void> {
  for (const fields of data)
    expect((await api.as(project, 'POST', '/contacts', { email: `${newId()}@x.test`, data: fields })).statusCode).toBe(
      201,
    );
}

const get = async (project: TestProject, path: string): Promise<unknown> => {
  const response = await api.as(project, 'GET', `/contacts/fields${path}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
};

const STANDARD = [
  { field: 'email', type: 'string', coverage: 100 },
  { field: 'subscribed', type: 'boolean', coverage: 100 },
  { field: 'createdAt', type: 'date', coverage: 100 },
  { field: 'updatedAt', type: 'date', coverage: 100 },
];
const UNUSED = { usedInSegments: [], usedInCampaigns: [], usedInWorkflows: [] };
const where = (field: string) => ({ logic: 'AND', groups: [{ filters: [{ field, operator: 'exists' }] }] });

describe('GET /contacts/fields', () => {
  it('returns the standard fields, also without a contact', async () => {
    const project = await api.project();
    expect(await get(project, '')).toEqual({ fields: STANDARD, count: 4 });
  });

  it('returns every key of the data with its main type and its coverage, and nothing of other projects', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await add(other, { theirs: 1 });
    await add(
      project,
      { plan: 'pro', age: 30, since: '2026-01-31', vip: true, mixed: 1 },
      { plan: '2026', since: '2026-01-31T10:00:00.000Z', mixed: 'a' },
      { plan: 'a 2026-01-31', mixed: 2 },
    );
    expect(await get(project, '')).toEqual({
      fields: [
        ...STANDARD,
        { field: 'data.age', type: 'number', coverage: 33.33 },
        { field: 'data.mixed', type: 'number', coverage: 100 },
        { field: 'data.plan', type: 'string', coverage: 100 },
        { field: 'data.since', type: 'date', coverage: 66.67 },
        { field: 'data.vip', type: 'boolean', coverage: 33.33 },
      ],
      count: 9,
    });
  });
});

describe('GET /contacts/fields/:field/values', () => {
  it('returns the distinct values, the most frequent first, with and without the prefix', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await add(other, { plan: 'theirs' });
    await add(
      project,
      { plan: 'free' },
      { plan: 'pro' },
      { plan: 'pro' },
      { plan: 7 },
      {},
      { plan: 'free' },
      { plan: 'pro' },
    );
    for (const name of ['plan', 'data.plan'])
      expect(await get(project, `/${name}/values`)).toEqual({
        field: 'data.plan',
        values: ['pro', 'free', 7],
        count: 3,
        limit: 100,
      });
    expect(await get(project, '/plan/values?limit=2')).toEqual({
      field: 'data.plan',
      values: ['pro', 'free'],
      count: 2,
      limit: 2,
    });
    expect(await get(project, '/subscribed/values')).toEqual({
      field: 'subscribed',
      values: [true],
      count: 1,
      limit: 100,
    });
    expect(await get(project, '/unknown/values')).toEqual({ field: 'data.unknown', values: [], count: 0, limit: 100 });
    for (const limit of ['0', '-1', 'x', '1.5'])
      expect((await api.as(project, 'GET', `/contacts/fields/plan/values?limit=${limit}`)).statusCode).toBe(422);
  });

  it('accepts any name, including one that equals path segments', async () => {
    const project = await api.project();
    const names = ['it\'s a "key"', 'größe 🎉', 'values', 'a/b', '100%', 'data.x', 'subscribed'];
    await add(project, Object.fromEntries(names.map((name, index) => [name, index])));
    for (const [index, name] of names.entries())
      expect(await get(project, `/${encodeURIComponent(`data.${name}`)}/values`), name).toMatchObject({
        field: `data.${name}`,
        values: [index],
      });
  });
});

describe('GET /contacts/fields/:field/usage', () => {
  it('is empty for an unreferenced field, and returns the number of contacts that have it', async () => {
    const project = await api.project();
    await add(project, { plan: 'a' }, { plan: 'b' }, {});
    expect(await get(project, '/data.plan/usage')).toEqual({ ...UNUSED, contactCount: 2, canDelete: true });
    expect(await get(project, '/email/usage')).toEqual({ ...UNUSED, contactCount: 3, canDelete: false });
    expect(await get(project, '/unknown/usage')).toEqual({ ...UNUSED, contactCount: 0, canDelete: true });
  });

  it('names the segments, campaigns, and workflows that reference it, at any depth', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const { prisma } = api.ctx;
    const segment = (owner: TestProject, name: string, condition: object) =>
      prisma.segment.create({
        data: { id: newId(), projectId: owner.id, name, slug: name, type: 'DYNAMIC', condition },
      });
    await segment(other, 'theirs', where('data.plan'));
    const direct = await segment(project, 'direct', where('data.plan'));
    const nested = await segment(project, 'nested', {
      logic: 'OR',
      groups: [{ filters: [], conditions: where('data.plan.name') }],
    });
    await segment(project, 'longer name', where('data.planet'));
    await segment(project, 'as a value', {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.x', operator: 'equals', value: 'data.plan' }] }],
    });

    const campaign = (name: string, status: 'DRAFT' | 'SENT') =>
      prisma.campaign.create({
        data: {
          id: newId(),
          projectId: project.id,
          name,
          subject: 's',
          body: 'b',
          from: `a@${project.domain}`,
          audienceType: 'FILTERED',
          audienceCondition: where('data.plan'),
          status,
        },
      });
    const draft = await campaign('draft', 'DRAFT');
    await campaign('sent', 'SENT');

    const workflow = async (name: string, type: 'CONDITION' | 'UPDATE_CONTACT', config: object) => {
      const row = await prisma.workflow.create({ data: { id: newId(), projectId: project.id, name, eventName: 'e' } });
      await prisma.workflowStep.create({
        data: { id: newId(), projectId: project.id, workflowId: row.id, type, name: 's', config },
      });
      return { id: row.id, name };
    };
    const workflows = [
      await workflow('condition', 'CONDITION', { field: 'data.plan', operator: 'equals', value: 1 }),
      await workflow('of the contact', 'CONDITION', { field: 'contact.data.plan', operator: 'exists' }),
      await workflow('tree', 'CONDITION', where('data.plan')),
      await workflow('update', 'UPDATE_CONTACT', { updates: { plan: 'pro' } }),
    ];
    await workflow('of the event', 'CONDITION', { field: 'event.plan', operator: 'exists' });
    await workflow('update of another', 'UPDATE_CONTACT', { updates: { planet: 'Mars' } });

    expect(await get(project, '/plan/usage')).toEqual({
      usedInSegments: [direct, nested].map(({ id, name }) => ({ id, name })),
      usedInCampaigns: [{ id: draft.id, name: 'draft' }],
      usedInWorkflows: workflows,
      contactCount: 0,
      canDelete: false,
    });
    expect(refused(await api.as(project, 'DELETE', '/contacts/fields/data.plan'))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
  });
});

describe('DELETE /contacts/fields/:field', () => {
  it('deletes the field from every contact of the project, and changes no other field or project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await add(other, { plan: 'theirs' });
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, 'c' || n || '@x.test', true, CASE WHEN n % 10 = 0 THEN '{"city":"Rome"}' ELSE '{"plan":"pro","city":"Rome"}' END::jsonb FROM generate_series(1, 12000) n`,
      [project.id],
    );
    const untouched = await api.ctx.prisma.contact.findFirstOrThrow({
      where: { projectId: project.id, email: 'c10@x.test' },
    });
    const response = await api.as(project, 'DELETE', '/contacts/fields/plan');
    expect([response.statusCode, response.json()]).toEqual([200, { deletedFrom: 10_800 }]);
    expect(
      await api.ctx.prisma.contact.count({ where: { projectId: project.id, data: { equals: { city: 'Rome' } } } }),
    ).toBe(12_000);
    expect(await api.ctx.prisma.contact.findUniqueOrThrow({ where: { id: untouched.id } })).toEqual(untouched);
    expect(await get(other, '/plan/usage')).toMatchObject({ contactCount: 1 });
    expect((await api.as(project, 'DELETE', '/contacts/fields/plan')).json()).toEqual({ deletedFrom: 0 });
  });

  test.each(['email', 'subscribed', 'createdAt', 'updatedAt'])(
    'returns 400 for the standard field %s',
    async (field) => {
      const project = await api.project();
      expect(refused(await api.as(project, 'DELETE', `/contacts/fields/${field}`))).toEqual({
        status: 400,
        code: 'BAD_REQUEST',
      });
    },
  );
});

describe('POST /contacts/fields/:field/rename', () => {
  const rename = (project: TestProject, field: string, to: unknown) =>
    api.as(project, 'POST', `/contacts/fields/${field}/rename`, { to });

  it('renames the field of every contact of the project, and changes no other field or project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await add(other, { plan: 'theirs' });
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, 'c' || n || '@x.test', true, CASE WHEN n % 10 = 0 THEN '{"city":"Rome"}' ELSE '{"plan":{"name":"pro"},"city":"Rome"}' END::jsonb FROM generate_series(1, 12000) n`,
      [project.id],
    );
    const untouched = await api.ctx.prisma.contact.findFirstOrThrow({
      where: { projectId: project.id, email: 'c10@x.test' },
    });
    expect((await rename(project, 'plan', 'data.tier')).json()).toEqual({ renamedIn: 10_800, notRenamedIn: 0 });
    const renamed = { tier: { name: 'pro' }, city: 'Rome' };
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id, data: { equals: renamed } } })).toBe(
      10_800,
    );
    expect(await api.ctx.prisma.contact.findUniqueOrThrow({ where: { id: untouched.id } })).toEqual(untouched);
    expect(await get(other, '/plan/usage')).toMatchObject({ contactCount: 1 });
    expect((await rename(project, 'plan', 'tier')).json()).toEqual({ renamedIn: 0, notRenamedIn: 0 });
  });

  it('leaves contacts with both fields as they are, and counts them', async () => {
    const project = await api.project();
    await add(project, { plan: 'pro', tier: 'gold' });
    await add(project, { plan: 'free' });
    expect((await rename(project, 'plan', 'tier')).json()).toEqual({ renamedIn: 1, notRenamedIn: 1 });
    expect(await get(project, '/tier/usage')).toMatchObject({ contactCount: 2 });
    expect(await get(project, '/plan/usage')).toMatchObject({ contactCount: 1 });
  });

  it('returns 409 while a segment uses the field, and changes nothing', async () => {
    const project = await api.project();
    await add(project, { plan: 'pro' });
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
    };
    await api.as(project, 'POST', '/segments', { name: 'S', condition });
    expect(refused(await rename(project, 'plan', 'tier'))).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(await get(project, '/plan/usage')).toMatchObject({ contactCount: 1 });
  });

  test.each([
    ['email', 'tier', 400],
    ['plan', 'id', 422],
    ['plan', 'data.__proto__', 422],
    ['plan', 'data.', 422],
    ['plan', 'plan', 422],
    ['plan', ' ', 422],
    ['plan', 'x'.repeat(101), 422],
    ['plan', 7, 422],
  ])('returns an error for the field %s and the name %j, and changes nothing', async (field, to, status) => {
    const project = await api.project();
    await add(project, { plan: 'pro' });
    expect(refused(await rename(project, field, to))).toMatchObject({ status });
    expect(await get(project, '/plan/usage')).toMatchObject({ contactCount: 1 });
  });
});
