import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { step, workflow } = workflowHelpers(api);

describe('GET /workflows/fields', () => {
  const fields = async (project: TestProject, query = '') => {
    const response = await api.as(project, 'GET', `/workflows/fields${query}`);
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };
  const track = (
    project: TestProject,
    name: string,
    data: Record<string, string | number | boolean>,
    contactId: string | null = null,
  ) => api.ctx.prisma.event.create({ data: { id: newId(), projectId: project.id, name, data, contactId } });
  const STANDARD = [
    { field: 'contact.email', type: 'string', category: 'contact' },
    { field: 'contact.subscribed', type: 'boolean', category: 'contact' },
    { field: 'contact.createdAt', type: 'date', category: 'contact' },
    { field: 'contact.updatedAt', type: 'date', category: 'contact' },
  ];

  test('returns the standard fields of contacts in an empty project', async () => {
    expect(await fields(await api.project())).toEqual({ fields: STANDARD, count: 4 });
  });

  test("returns the keys of the contacts' data and of tracked events, each with its type and category", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const contact = (of: TestProject, data: object) =>
      api.ctx.prisma.contact.create({
        data: { id: newId(), projectId: of.id, email: `${newId()}@x.test`, subscribed: true, data },
      });
    await contact(project, { plan: 'pro', age: 30 });
    await contact(project, { since: '2030-01-01', 'Vor name': { a: 1 } });
    await contact(other, { theirs: 1 });
    await track(project, 'bought', { amount: 5, gift: true });
    await track(project, 'bought', { amount: 7, coupon: 'X' });
    await track(project, 'email.opened', { userAgent: 'x' });
    await track(project, 'segment.vip.entry', { segmentId: 'x' });
    await track(other, 'bought', { theirs: 1 });
    const expected = [
      ...STANDARD,
      { field: 'contact.data.Vor name', type: 'string', category: 'contact' },
      { field: 'contact.data.age', type: 'number', category: 'contact' },
      { field: 'contact.data.plan', type: 'string', category: 'contact' },
      { field: 'contact.data.since', type: 'date', category: 'contact' },
      { field: 'event.amount', type: 'number', category: 'event' },
      { field: 'event.coupon', type: 'string', category: 'event' },
      { field: 'event.gift', type: 'boolean', category: 'event' },
    ];
    expect(await fields(project)).toEqual({ fields: expected, count: expected.length });
  });

  test('with eventName returns the keys of that event, also of an event of the service', async () => {
    const project = await api.project();
    await track(project, 'bought', { amount: 5 });
    await track(project, 'signed up', { source: 'web' });
    await track(project, 'email.opened', { userAgent: 'x' });
    const ofEvents = async (query: string) =>
      (await fields(project, query)).fields
        .filter(({ category }: { category: string }) => category === 'event')
        .map(({ field }: { field: string }) => field);
    expect(await ofEvents('')).toEqual(['event.amount', 'event.source']);
    expect(await ofEvents('?eventName=signed%20up')).toEqual(['event.source']);
    expect(await ofEvents('?eventName=email.opened')).toEqual(['event.userAgent']);
    expect(await ofEvents('?eventName=never')).toEqual([]);
    expect(await ofEvents('?eventName=')).toEqual(['event.amount', 'event.source']);
  });

  test('a CONDITION accepts each returned field', async () => {
    const project = await api.project();
    await api.ctx.prisma.contact.create({
      data: {
        id: newId(),
        projectId: project.id,
        email: 'a@x.test',
        subscribed: true,
        data: { plan: 'pro', 'First name': 'A', 'a.b': 1, 'data.': 1 },
      },
    });
    await track(project, 'bought', { 'total amount': 5, 'x.y': 1, Größe: 'M' });
    const { id } = await workflow(project);
    const operators = { string: 'equals', number: 'equals', boolean: 'equals', date: 'within' };
    const values = { string: 'x', number: 1, boolean: true, date: 5 };
    for (const { field, type } of (await fields(project)).fields as Array<{
      field: string;
      type: keyof typeof operators;
    }>) {
      await step(project, id, 'CONDITION', { field, operator: operators[type], value: values[type], unit: 'days' });
    }
  });

  test('finds keys that only old contacts and old events have', async () => {
    const project = await api.project();
    const { pool } = api.ctx;
    await pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at)
       SELECT uuid_v7(), $1, n || '@x.test', true, jsonb_build_object(CASE WHEN n <= 40 THEN 'old' ELSE 'new' END, n), now() - make_interval(secs => 20000 - n) FROM generate_series(1, 12000) n`,
      [project.id],
    );
    await pool.query(
      `INSERT INTO events (id, project_id, contact_id, name, data, created_at)
       SELECT uuid_v7(), $1, NULL, CASE WHEN n <= 10 THEN 'rare' ELSE 'often' END, jsonb_build_object(CASE WHEN n <= 10 THEN 'old' ELSE 'new' END, n), now() - make_interval(secs => 20000 - n) FROM generate_series(1, 6000) n`,
      [project.id],
    );
    expect((await fields(project)).fields.slice(4).map(({ field }: { field: string }) => field)).toEqual([
      'contact.data.new',
      'contact.data.old',
      'event.new',
      'event.old',
    ]);
  });
});

describe('the usage of fields and events', () => {
  const usage = async (project: TestProject, url: string): Promise<string[]> =>
    (await api.as(project, 'GET', url)).json().usedInWorkflows.map(({ name }: { name: string }) => name);

  test('a field is used by conditions on any of its names, and by updates that write it', async () => {
    const project = await api.project();
    const make = async (
      name: string,
      type: 'CONDITION' | 'UPDATE_CONTACT' | 'WEBHOOK',
      config: Record<string, unknown>,
    ) => step(project, (await workflow(project, { name })).id, type, config);
    const filter = { operator: 'equals', value: 1 };
    await make('bare', 'CONDITION', { field: 'data.plan', ...filter });
    await make('contact', 'CONDITION', { field: 'contact.data.plan', ...filter });
    await make('short', 'CONDITION', { field: 'contact.plan', ...filter });
    await make('path', 'CONDITION', { field: 'contact.plan.name', ...filter });
    await make('tree', 'CONDITION', {
      logic: 'AND',
      groups: [
        {
          filters: [],
          conditions: { logic: 'OR', groups: [{ filters: [{ field: 'contact.data.plan', ...filter }] }] },
        },
      ],
    });
    await make('multi', 'CONDITION', {
      mode: 'multi',
      field: 'contact.data.plan',
      branches: [{ id: 'a', name: 'A', ...filter }],
    });
    await make('update', 'UPDATE_CONTACT', { updates: { plan: null } });
    await make('context', 'CONDITION', { field: 'event.plan', ...filter });
    await make('another', 'CONDITION', { field: 'contact.planet', ...filter });
    await make('webhook', 'WEBHOOK', { url: 'https://x.test', body: { field: 'data.plan' } });
    expect(await usage(project, '/contacts/fields/plan/usage')).toEqual([
      'bare',
      'contact',
      'short',
      'path',
      'tree',
      'multi',
      'update',
    ]);
    expect(refused(await api.as(project, 'DELETE', '/contacts/fields/plan'))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
    expect(await usage(project, '/contacts/fields/email/usage')).toEqual([]);
    await make('address', 'CONDITION', { field: 'contact.email', operator: 'contains', value: 'x' });
    expect(await usage(project, '/contacts/fields/email/usage')).toEqual(['address']);
  });

  test('an event is used by triggers, waits, and conditions that check whether it happened', async () => {
    const project = await api.project();
    const make = async (name: string, type: 'CONDITION' | 'WAIT_FOR_EVENT', config: Record<string, unknown>) =>
      step(project, (await workflow(project, { name, eventName: 'other' })).id, type, config);
    await workflow(project, { name: 'trigger', eventName: 'bought' });
    await make('wait', 'WAIT_FOR_EVENT', { eventName: ' bought ' });
    await make('single', 'CONDITION', { field: 'event.bought', operator: 'notTriggered' });
    await make('tree', 'CONDITION', {
      logic: 'OR',
      groups: [{ filters: [{ field: 'event.bought', operator: 'triggeredWithin', value: 1, unit: 'days' }] }],
    });
    await make('multi', 'CONDITION', {
      mode: 'multi',
      field: 'event.bought',
      branches: [{ id: 'a', name: 'A', operator: 'triggeredWithin', value: 1, unit: 'days' }],
    });
    await make('value', 'CONDITION', { field: 'event.bought', operator: 'equals', value: 1 });
    await make('value of several', 'CONDITION', {
      mode: 'multi',
      field: 'event.bought',
      branches: [{ id: 'a', name: 'A', operator: 'exists' }],
    });
    expect(await usage(project, '/events/bought/usage')).toEqual(['trigger', 'wait', 'single', 'tree', 'multi']);
    const [trigger] = (await api.as(project, 'GET', '/workflows?search=trigger')).json().data;
    await api.as(project, 'PATCH', `/workflows/${trigger.id}`, { triggerConfig: { eventName: 'sold' } });
    expect(await usage(project, '/events/bought/usage')).toEqual(['wait', 'single', 'tree', 'multi']);
    expect(await usage(project, '/events/sold/usage')).toEqual(['trigger']);
  });
});
