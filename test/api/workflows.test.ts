import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { eventually } from '../helpers/eventually.js';
import { workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { chain, execution, read, template, workflow } = workflowHelpers(api);

const patch = (project: TestProject, id: string, body: unknown) => api.as(project, 'PATCH', `/workflows/${id}`, body);
const NOT_FOUND = { status: 404, code: 'WORKFLOW_NOT_FOUND' };
const CONFLICT = { status: 409, code: 'CONFLICT' };

describe('POST /workflows', () => {
  test('creates a disabled workflow of triggerType EVENT with a TRIGGER step, and returns 201', async () => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/workflows', {
      name: ' Onboarding ',
      eventName: ' signed up ',
      description: 'For all contacts',
      enabled: true,
      triggerType: 'CRON',
    });
    expect(response.statusCode).toBe(201);
    const { id } = response.json();
    expect(response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      projectId: project.id,
      name: 'Onboarding',
      description: 'For all contacts',
      enabled: false,
      triggerType: 'EVENT',
      triggerConfig: { eventName: 'signed up' },
      allowReentry: false,
      steps: [
        {
          id: expect.any(String),
          workflowId: id,
          type: 'TRIGGER',
          name: 'Trigger',
          position: { x: 0, y: 0 },
          config: { eventName: 'signed up' },
          templateId: null,
        },
      ],
      transitions: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await api.as(project, 'GET', `/workflows/${id}`)).json()).toEqual(response.json());
  });

  test('accepts allowReentry, and no description', async () => {
    const response = await api.as(await api.project(), 'POST', '/workflows', {
      name: 'W',
      eventName: 'e',
      allowReentry: true,
    });
    expect(response.json()).toMatchObject({ allowReentry: true, description: null });
  });

  test.each(['contact.subscribed', 'email.opened', 'segment.vip.entry', 'x'.repeat(255), 'Käufe 🎉'])(
    'accepts the event %s',
    async (eventName) => {
      const response = await api.as(await api.project(), 'POST', '/workflows', { name: 'W', eventName });
      expect([response.statusCode, response.json().triggerConfig]).toEqual([201, { eventName }]);
    },
  );

  test.each([
    ['no name', { name: undefined }, 'name required'],
    ['an empty name', { name: ' ' }, 'name too_small'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name too_big'],
    ['no event', { eventName: undefined }, 'eventName required'],
    ['an empty event', { eventName: ' ' }, 'eventName too_small'],
    ['an event of 256 characters', { eventName: 'x'.repeat(256) }, 'eventName too_big'],
    ['an event that is not text', { eventName: 5 }, 'eventName invalid_type'],
    ['allowReentry that is not a boolean', { allowReentry: 'yes' }, 'allowReentry invalid_type'],
    ['a description that is not text', { description: {} }, 'description invalid_type'],
    ['NUL in its name', { name: 'a\0b' }, 'name invalid_string'],
  ])('returns 422 with %s', async (_, body, error) => {
    expect(
      refused(await api.as(await api.project(), 'POST', '/workflows', { name: 'W', eventName: 'e', ...body })),
    ).toEqual({ status: 422, code: 'VALIDATION_ERROR', errors: [error] });
  });
});

describe('GET /workflows', () => {
  test('returns pages, newest first, with steps and transitions', async () => {
    const project = await api.project();
    expect((await api.as(project, 'GET', '/workflows')).json()).toEqual({
      data: [],
      page: 1,
      pageSize: 20,
      total: 0,
      totalPages: 1,
    });
    const made = [];
    for (const name of ['A', 'B', 'C']) made.unshift(await workflow(project, { name }));
    const [last, , first] = made;
    if (!last || !first) throw new Error('unreachable');
    await chain(project, first, 'DELAY', 'EXIT');
    const { data, ...rest } = (await api.as(project, 'GET', '/workflows?pageSize=2')).json();
    expect([data.map(({ name }: { name: string }) => name), rest]).toEqual([
      ['C', 'B'],
      { page: 1, pageSize: 2, total: 3, totalPages: 2 },
    ]);
    const second = (await api.as(project, 'GET', '/workflows?pageSize=2&page=2')).json();
    expect(second.data).toEqual([(await api.as(project, 'GET', `/workflows/${first.id}`)).json()]);
    expect([second.data[0].steps.map(({ type }: { type: string }) => type), second.data[0].transitions.length]).toEqual(
      [['TRIGGER', 'DELAY', 'EXIT'], 2],
    );
    await workflow(await api.project());
    expect((await api.as(project, 'GET', '/workflows')).json().total).toBe(3);
  });

  test('searches name and description in any case, and sorts', async () => {
    const project = await api.project();
    await workflow(project, { name: 'Win back', description: 'A 100% RISK' });
    await workflow(project, { name: 'Churn risk' });
    const b = await workflow(project, { name: 'Birthday' });
    await patch(project, (await workflow(project, { name: 'Xmas' })).id, { description: null });
    await patch(project, b.id, { description: 'now' });
    const names = async (query: string) =>
      (await api.as(project, 'GET', `/workflows?${query}`)).json().data.map(({ name }: { name: string }) => name);
    expect(await names('search=risk')).toEqual(['Churn risk', 'Win back']);
    expect(await names('search=0%25%20r')).toEqual(['Win back']);
    expect(await names('search=_')).toEqual([]);
    expect(await names('sort=name&dir=asc')).toEqual(['Birthday', 'Churn risk', 'Win back', 'Xmas']);
    expect(await names('sort=updatedAt')).toEqual(['Birthday', 'Xmas', 'Churn risk', 'Win back']);
    expect(await names('sort=nonsense&dir=up')).toEqual(['Xmas', 'Birthday', 'Churn risk', 'Win back']);
    expect(refused(await api.as(project, 'GET', '/workflows?page=0'))).toMatchObject({
      status: 422,
      errors: ['page too_small'],
    });
  });
});

describe('GET /workflows/:id', () => {
  test.each([
    ['malformed', () => 'nothing'],
    ['unknown', newId],
    ['NUL', () => '%00'],
  ])('returns 404 for an id that is %s', async (_, id) => {
    expect((await api.as(await api.project(), 'GET', `/workflows/${id()}`)).statusCode).toBe(404);
  });

  test("returns the same 404 for another project's workflow", async () => {
    const { id } = await workflow(await api.project());
    expect(refused(await api.as(await api.project(), 'GET', `/workflows/${id}`))).toEqual(NOT_FOUND);
  });
});

describe('PATCH /workflows/:id', () => {
  test('changes only the given fields', async () => {
    const project = await api.project();
    const before = await workflow(project, { description: 'old' });
    const response = await patch(project, before.id, { name: 'New', unknown: 1 });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { ...(await api.as(project, 'GET', `/workflows/${before.id}`)).json(), name: 'New', description: 'old' },
    ]);
    expect(
      (await patch(project, before.id, { description: null, allowReentry: true, triggerType: 'EVENT' })).json(),
    ).toMatchObject({ name: 'New', description: null, allowReentry: true, enabled: false });
  });

  test('enables and disables', async () => {
    const project = await api.project();
    const { id } = await workflow(project);
    expect((await patch(project, id, { enabled: true })).json().enabled).toBe(true);
    expect((await read(project, id)).enabled).toBe(true);
    expect((await patch(project, id, { enabled: false })).json().enabled).toBe(false);
  });

  test('a new event also changes the TRIGGER step', async () => {
    const project = await api.project();
    const { id, triggerId } = await workflow(project);
    const changed = (await patch(project, id, { triggerConfig: { eventName: ' contact.subscribed ' } })).json();
    expect([changed.triggerConfig, changed.steps[0].config]).toEqual([
      { eventName: 'contact.subscribed' },
      { eventName: 'contact.subscribed' },
    ]);
    expect(
      (
        await api.as(project, 'PATCH', `/workflows/${id}/steps/${triggerId}`, { config: { eventName: 'email.opened' } })
      ).json().config,
    ).toEqual({ eventName: 'email.opened' });
    expect((await read(project, id)).triggerConfig).toEqual({ eventName: 'email.opened' });
  });

  test.each([
    ['an empty name', { name: '' }, 'name too_small'],
    ['null for a name', { name: null }, 'name invalid_type'],
    ['another triggerType', { triggerType: 'SCHEDULE' }, 'triggerType invalid_string'],
    ['triggerConfig without an event', { triggerConfig: {} }, 'triggerConfig.eventName required'],
    ['an empty event', { triggerConfig: { eventName: '' } }, 'triggerConfig.eventName too_small'],
    ['enabled that is not a boolean', { enabled: 1 }, 'enabled invalid_type'],
  ])('returns 422 with %s, and changes nothing', async (_, body, error) => {
    const project = await api.project();
    const { id, triggerId: _id, ...before } = await workflow(project);
    expect(refused(await patch(project, id, { allowReentry: true, ...body }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
    expect(await read(project, id)).toEqual({ id, ...before });
  });

  test('another event returns 409 while it is enabled with active executions, and nothing is changed', async () => {
    const project = await api.project();
    const { id } = await workflow(project);
    const running = await execution(project, id, { status: 'WAITING' });
    await patch(project, id, { enabled: true });
    const before = await read(project, id);
    expect(refused(await patch(project, id, { name: 'New', triggerConfig: { eventName: 'other' } }))).toEqual(CONFLICT);
    expect(await read(project, id)).toEqual(before);
    // The same event, the name, the description, and re-entry do not change running executions.
    expect(
      await patch(project, id, {
        name: 'New',
        description: 'd',
        allowReentry: true,
        triggerConfig: { eventName: 'signed up' },
      }),
    ).toMatchObject({ statusCode: 200 });
    expect((await patch(project, id, { enabled: false, triggerConfig: { eventName: 'other' } })).json()).toMatchObject({
      enabled: false,
      triggerConfig: { eventName: 'other' },
    });
    expect((await patch(project, id, { enabled: true, triggerConfig: { eventName: 'third' } })).statusCode).toBe(200);
    await api.ctx.prisma.workflowExecution.update({ where: { id: running.id }, data: { status: 'COMPLETED' } });
    expect((await patch(project, id, { triggerConfig: { eventName: 'fourth' } })).statusCode).toBe(200);
  });

  test("returns 404 for unknown, malformed, and another project's ids", async () => {
    const project = await api.project();
    const { id } = await workflow(await api.project());
    for (const one of [newId(), 'x', id]) expect(refused(await patch(project, one, { name: 'N' }))).toEqual(NOT_FOUND);
  });

  test('a concurrent edit sees an execution that is being started', async () => {
    const project = await api.project();
    const { id, triggerId } = await workflow(project);
    await patch(project, id, { enabled: true });
    const client = await api.ctx.pool.connect();
    const contactId = newId();
    await api.ctx.prisma.contact.create({
      data: { id: contactId, projectId: project.id, email: 'c@x.test', subscribed: true },
    });
    // The execution is inserted and not committed: other transactions cannot see it, but its foreign key locks the
    // workflow's row.
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id) VALUES ($1, $2, $3, $4)`,
      [newId(), project.id, id, contactId],
    );
    const edit = api.as(project, 'PATCH', `/workflows/${id}/steps/${triggerId}`, { config: { eventName: 'other' } });
    await eventually(async () => {
      const { rowCount } = await api.ctx.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    });
    // A change that does not affect the graph does not wait for it.
    expect((await patch(project, id, { name: 'Meanwhile' })).statusCode).toBe(200);
    await client.query('COMMIT');
    client.release();
    expect(refused(await edit)).toEqual(CONFLICT);
  });
});

describe('DELETE /workflows/:id', () => {
  test('returns 204 without a body, and deletes its rows; the emails of its executions stay', async () => {
    const project = await api.project();
    const made = await workflow(project);
    const [delay] = await chain(project, made, 'DELAY', 'EXIT');
    const ended = await execution(project, made.id, { status: 'COMPLETED', stepId: delay });
    const { prisma } = api.ctx;
    const message = await prisma.message.create({
      data: { id: newId(), projectId: project.id, type: 'TRANSACTIONAL', subject: 's', body: 'b', from: 'a@b.test' },
    });
    const email = await prisma.email.create({
      data: {
        id: newId(),
        projectId: project.id,
        messageId: message.id,
        executionId: ended.id,
        stepExecutionId: ended.open,
        source: 'WORKFLOW',
        type: 'TRANSACTIONAL',
        toEmail: 'c@x.test',
        status: 'SENT',
      },
    });
    const response = await api.as(project, 'DELETE', `/workflows/${made.id}`);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(refused(await api.as(project, 'GET', `/workflows/${made.id}`))).toEqual(NOT_FOUND);
    const where = { workflowId: made.id };
    expect([
      await prisma.workflowStep.count({ where }),
      await prisma.workflowTransition.count({ where }),
      await prisma.workflowExecution.count({ where }),
      await prisma.stepExecution.count({ where: { executionId: ended.id } }),
    ]).toEqual([0, 0, 0, 0]);
    expect((await api.as(project, 'GET', `/emails/${email.id}`)).statusCode).toBe(200);
    expect(refused(await api.as(project, 'DELETE', `/workflows/${made.id}`))).toEqual(NOT_FOUND);
  });

  test.each(['RUNNING', 'WAITING'] as const)(
    'returns 409 with an execution that is %s, and deletes nothing',
    async (status) => {
      const project = await api.project();
      const made = await workflow(project);
      const { id } = await execution(project, made.id, { status });
      const before = await read(project, made.id);
      expect(refused(await api.as(project, 'DELETE', `/workflows/${made.id}`))).toEqual(CONFLICT);
      expect(await read(project, made.id)).toEqual(before);
      await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { status: 'CANCELLED' } });
      expect((await api.as(project, 'DELETE', `/workflows/${made.id}`)).statusCode).toBe(204);
    },
  );

  test('frees the templates of its steps', async () => {
    const project = await api.project();
    const { id } = await workflow(project);
    const templateId = await template(project);
    expect(
      (await api.as(project, 'POST', `/workflows/${id}/steps`, { type: 'SEND_EMAIL', templateId })).statusCode,
    ).toBe(201);
    expect(refused(await api.as(project, 'DELETE', `/templates/${templateId}`))).toEqual(CONFLICT);
    await api.as(project, 'DELETE', `/workflows/${id}`);
    expect((await api.as(project, 'DELETE', `/templates/${templateId}`)).statusCode).toBe(204);
  });
});
