import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { segmentHelpers } from '../helpers/segment-api.js';
import { CONFIGS, workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { connect, execution, read, step, template, workflow } = workflowHelpers(api);
const { segment } = segmentHelpers(api);

const BAD_REQUEST = { status: 400, code: 'BAD_REQUEST' };
const CONFLICT = { status: 409, code: 'CONFLICT' };
const STEP_NOT_FOUND = { status: 404, code: 'STEP_NOT_FOUND' };
const TEMPLATE_NOT_FOUND = { status: 404, code: 'TEMPLATE_NOT_FOUND' };

const post = (project: TestProject, id: string, body: unknown) =>
  api.as(project, 'POST', `/workflows/${id}/steps`, body);
const patch = (project: TestProject, id: string, stepId: string, body: unknown) =>
  api.as(project, 'PATCH', `/workflows/${id}/steps/${stepId}`, body);
const enable = async (project: TestProject, id: string, enabled = true) =>
  expect((await api.as(project, 'PATCH', `/workflows/${id}`, { enabled })).statusCode).toBe(200);

async function fresh() {
  const project = await api.project();
  return { project, made: await workflow(project) };
}

describe('POST /workflows/:id/steps', () => {
  test('adds a step and returns 201 with it', async () => {
    const { project, made } = await fresh();
    const response = await post(project, made.id, {
      type: 'DELAY',
      name: ' A day ',
      position: { x: 1.5, y: -20 },
      config: { amount: 1, unit: 'days', more: 1 },
      unknown: 1,
    });
    expect([response.statusCode, response.json()]).toEqual([
      201,
      {
        id: expect.any(String),
        workflowId: made.id,
        type: 'DELAY',
        name: 'A day',
        position: { x: 1.5, y: -20 },
        config: { amount: 1, unit: 'days' },
        templateId: null,
      },
    ]);
    expect((await read(project, made.id)).steps.map(({ id }) => id)).toEqual([made.triggerId, response.json().id]);
  });

  test.each(Object.entries(CONFIGS))('accepts a %s, and adds a name and a position', async (type, config) => {
    const { project, made } = await fresh();
    const answer = (await post(project, made.id, { type, config })).json();
    expect(answer).toMatchObject({
      type,
      name: expect.stringMatching(/^[A-Z][a-z ]+$/),
      position: { x: 0, y: 0 },
      templateId: null,
    });
    expect(answer.config).toMatchObject(config);
  });

  test('an EXIT needs no config', async () => {
    const { project, made } = await fresh();
    expect((await post(project, made.id, { type: 'EXIT' })).json()).toMatchObject({ config: { reason: null } });
  });

  test.each([
    ['no type', { type: undefined }, 'type required'],
    ['another type', { type: 'SMS' }, 'type invalid_string'],
    ['an empty name', { name: '' }, 'name too_small'],
    ['a position without y', { position: { x: 1 } }, 'position.y required'],
    ['a position of texts', { position: { x: '1', y: 2 } }, 'position.x invalid_type'],
    ['a config that is not an object', { config: 'x' }, 'config invalid_type'],
    ['a list for a config', { config: [] }, 'config invalid_type'],
    ['an amount of 0', { config: { amount: 0, unit: 'days' } }, 'config.amount too_small'],
    ['366 days', { config: { amount: 366, unit: 'days' } }, 'config.amount too_big'],
    ['another unit', { config: { amount: 1, unit: 'years' } }, 'config.unit invalid_string'],
    ['no config', { config: undefined }, 'config.amount required'],
  ])('returns 422 with %s', async (_, given, error) => {
    const { project, made } = await fresh();
    const answer = refused(
      await post(project, made.id, { type: 'DELAY', config: { amount: 1, unit: 'days' }, ...given }),
    );
    expect([answer.status, answer.code, answer.errors?.[0]]).toEqual([422, 'VALIDATION_ERROR', error]);
    expect((await read(project, made.id)).steps).toHaveLength(1);
  });

  test.each([
    ['WAIT_FOR_EVENT', { eventName: 'e', timeout: 31_536_001 }, 'config.timeout too_big'],
    [
      'CONDITION',
      { logic: 'AND', groups: [{ filters: [{ field: 'contact.age', operator: 'above', value: 1 }] }] },
      'config.groups.0.filters.0.operator invalid_string',
    ],
    [
      'CONDITION',
      { mode: 'multi', field: 'contact.age', branches: [{ id: 'default', name: 'D', operator: 'equals', value: 1 }] },
      'config.branches.0.id custom',
    ],
    ['WEBHOOK', { url: 'https://x.test/{{ id', headers: {} }, 'config.url custom'],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X-A': 'a\r\nb' } }, 'config.headers.X-A invalid_string'],
    ['UPDATE_CONTACT', { updates: 'x' }, 'config.updates invalid_type'],
    ['SEND_EMAIL', {}, 'config.templateId required'],
    [
      'SEND_EMAIL',
      { templateId: 'x', recipient: { type: 'CUSTOM', customEmail: 'x' } },
      'config.recipient.customEmail invalid_string',
    ],
  ])('%s with %j returns 422 with the field %s', async (type, config, error) => {
    const { project, made } = await fresh();
    expect(refused(await post(project, made.id, { type, config }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
  });

  test('a second TRIGGER returns 400', async () => {
    const { project, made } = await fresh();
    expect(refused(await post(project, made.id, { type: 'TRIGGER', config: { eventName: 'e' } }))).toEqual(BAD_REQUEST);
  });

  test.each([
    ['next to the config', (id: string) => ({ templateId: id })],
    ['in the config', (id: string) => ({ config: { templateId: id } })],
    ['next to it, which has precedence', (id: string) => ({ templateId: id, config: { templateId: newId() } })],
  ])('a SEND_EMAIL accepts its template %s', async (_, given) => {
    const { project, made } = await fresh();
    const templateId = await template(project);
    const answer = await post(project, made.id, {
      type: 'SEND_EMAIL',
      name: 'Hello',
      ...given(templateId.toUpperCase()),
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      201,
      { templateId, config: { templateId, recipient: { type: 'CONTACT' } } },
    ]);
    expect((await api.as(project, 'GET', `/templates/${templateId}/usage`)).json().workflowSteps).toEqual([
      { id: answer.json().id, name: 'Hello', workflowId: made.id, workflowName: 'Onboarding' },
    ]);
    expect(refused(await api.as(project, 'DELETE', `/templates/${templateId}`))).toEqual(CONFLICT);
  });

  test('a template that is unknown, malformed, or of another project returns 404 TEMPLATE_NOT_FOUND', async () => {
    const { project, made } = await fresh();
    const foreign = await template(await api.project());
    for (const templateId of [newId(), 'welcome', foreign]) {
      expect(refused(await post(project, made.id, { type: 'SEND_EMAIL', templateId }))).toEqual(TEMPLATE_NOT_FOUND);
      expect(refused(await post(project, made.id, { type: 'SEND_EMAIL', config: { templateId } }))).toEqual(
        TEMPLATE_NOT_FOUND,
      );
    }
  });

  test('a template next to a step that sends nothing is ignored', async () => {
    const { project, made } = await fresh();
    expect((await post(project, made.id, { type: 'EXIT', templateId: newId() })).json()).toMatchObject({
      templateId: null,
    });
  });

  test('either the step or the concurrent deletion of its template succeeds', async () => {
    const { project, made } = await fresh();
    for (let round = 0; round < 5; round++) {
      const templateId = await template(project);
      const [added, deleted] = await Promise.all([
        post(project, made.id, { type: 'SEND_EMAIL', templateId }),
        api.as(project, 'DELETE', `/templates/${templateId}`),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([added.statusCode, deleted.statusCode]);
    }
  });

  test.each([
    ['a filter', (id: string) => ({ field: `segment.${id}`, operator: 'memberOfSegment' })],
    [
      'a tree',
      (id: string) => ({
        logic: 'OR',
        groups: [
          {
            filters: [{ field: 'contact.plan', operator: 'exists' }],
            conditions: {
              logic: 'AND',
              groups: [{ filters: [{ field: `segment.${id}`, operator: 'notMemberOfSegment' }] }],
            },
          },
        ],
      }),
    ],
    [
      'several branches',
      (id: string) => ({
        mode: 'multi',
        field: `segment.${id}`,
        branches: [{ id: 'in', name: 'In', operator: 'memberOfSegment' }],
      }),
    ],
  ])('a CONDITION of %s accepts segments of the project; others return 400', async (_, config) => {
    const { project, made } = await fresh();
    const own = await segment(project);
    expect((await post(project, made.id, { type: 'CONDITION', config: config(own.id) })).statusCode).toBe(201);
    const foreign = await segment(await api.project());
    for (const id of [newId(), 'vip', foreign.id])
      expect(refused(await post(project, made.id, { type: 'CONDITION', config: config(id) }))).toEqual(BAD_REQUEST);
  });

  test('returns 404 for a workflow that is unknown, malformed, or of another project', async () => {
    const { project } = await fresh();
    const other = await fresh();
    for (const id of [newId(), 'x', other.made.id])
      expect(refused(await post(project, id, { type: 'EXIT' }))).toEqual({ status: 404, code: 'WORKFLOW_NOT_FOUND' });
  });

  test('returns 409 while the workflow is enabled with active executions', async () => {
    const { project, made } = await fresh();
    const { id } = await execution(project, made.id);
    expect((await post(project, made.id, { type: 'EXIT' })).statusCode).toBe(201);
    await enable(project, made.id);
    expect(refused(await post(project, made.id, { type: 'EXIT' }))).toEqual(CONFLICT);
    await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { status: 'FAILED' } });
    expect((await post(project, made.id, { type: 'EXIT' })).statusCode).toBe(201);
  });
});

describe('PATCH /workflows/:id/steps/:stepId', () => {
  test('changes only the given fields', async () => {
    const { project, made } = await fresh();
    const id = await step(project, made.id, 'DELAY');
    expect((await patch(project, made.id, id, { name: 'Two days' })).json()).toMatchObject({
      id,
      type: 'DELAY',
      name: 'Two days',
      config: { amount: 1, unit: 'days' },
    });
    expect((await patch(project, made.id, id, { position: { x: 5, y: 6 } })).json()).toMatchObject({
      name: 'Two days',
      position: { x: 5, y: 6 },
    });
    expect(
      (await patch(project, made.id, id, { config: { amount: 2, unit: 'days' }, type: 'DELAY' })).json(),
    ).toMatchObject({ name: 'Two days', position: { x: 5, y: 6 }, config: { amount: 2, unit: 'days' } });
    expect((await read(project, made.id)).steps.at(-1)).toMatchObject({
      name: 'Two days',
      config: { amount: 2, unit: 'days' },
    });
    expect((await patch(project, made.id, id, {})).statusCode).toBe(200);
  });

  test('checks the config by the rules of the type', async () => {
    const { project, made } = await fresh();
    const id = await step(project, made.id, 'DELAY');
    expect(refused(await patch(project, made.id, id, { name: 'N', config: { amount: -1, unit: 'days' } }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['config.amount too_small'],
    });
    expect(refused(await patch(project, made.id, id, { config: {} }))).toMatchObject({
      status: 422,
      errors: ['config.amount required', 'config.unit required'],
    });
    expect((await read(project, made.id)).steps.at(-1)).toMatchObject({
      name: 'Delay',
      config: { amount: 1, unit: 'days' },
    });
    expect(refused(await patch(project, made.id, made.triggerId, { config: { eventName: '' } }))).toMatchObject({
      status: 422,
      errors: ['config.eventName too_small'],
    });
  });

  test('another type returns 400', async () => {
    const { project, made } = await fresh();
    const id = await step(project, made.id, 'DELAY');
    expect(refused(await patch(project, made.id, id, { type: 'EXIT', config: {} }))).toEqual(BAD_REQUEST);
  });

  test('a SEND_EMAIL keeps its template if the new config has none, and accepts another template', async () => {
    const { project, made } = await fresh();
    const [first, second] = [await template(project), await template(project)];
    const { id } = (await post(project, made.id, { type: 'SEND_EMAIL', templateId: first })).json();
    const recipient = { type: 'CUSTOM', customEmail: 'team@x.test' };
    expect((await patch(project, made.id, id, { config: { recipient } })).json()).toMatchObject({
      templateId: first,
      config: { templateId: first, recipient },
    });
    expect((await patch(project, made.id, id, { templateId: second })).json()).toMatchObject({
      templateId: second,
      config: { templateId: second, recipient },
    });
    expect((await patch(project, made.id, id, { config: { templateId: first } })).json()).toMatchObject({
      templateId: first,
      config: { templateId: first, recipient: { type: 'CONTACT' } },
    });
    expect(refused(await patch(project, made.id, id, { templateId: newId() }))).toEqual(TEMPLATE_NOT_FOUND);
    expect(refused(await patch(project, made.id, id, { templateId: null }))).toMatchObject({
      status: 422,
      errors: ['config.templateId required'],
    });
    expect((await api.as(project, 'DELETE', `/templates/${second}`)).statusCode).toBe(204);
    expect(refused(await api.as(project, 'DELETE', `/templates/${first}`))).toEqual(CONFLICT);
  });

  test('a config that removes the branch of a transition returns 400', async () => {
    const { project, made } = await fresh();
    const multi = (...ids: string[]) => ({
      mode: 'multi',
      field: 'contact.plan',
      branches: ids.map((id) => ({ id, name: id, operator: 'equals', value: id })),
    });
    const [condition, exit] = [
      await step(project, made.id, 'CONDITION', multi('pro', 'free')),
      await step(project, made.id, 'EXIT'),
    ];
    for (const branch of ['pro', 'default']) await connect(project, made.id, condition, exit, branch);
    expect(refused(await patch(project, made.id, condition, { config: multi('free') }))).toEqual(BAD_REQUEST);
    expect(refused(await patch(project, made.id, condition, { config: CONFIGS.CONDITION }))).toEqual(BAD_REQUEST);
    expect((await patch(project, made.id, condition, { config: multi('pro', 'team') })).statusCode).toBe(200);
    for (const { id } of (await read(project, made.id)).transitions)
      await api.as(project, 'DELETE', `/workflows/${made.id}/transitions/${id}`);
    expect((await patch(project, made.id, condition, { config: CONFIGS.CONDITION })).statusCode).toBe(200);
  });

  test('a deleted segment does not prevent a change that keeps the condition', async () => {
    const { project, made } = await fresh();
    const { id } = await segment(project);
    const config = { field: `segment.${id}`, operator: 'memberOfSegment' };
    const condition = await step(project, made.id, 'CONDITION', config);
    await api.ctx.prisma.segment.delete({ where: { id } });
    expect((await patch(project, made.id, condition, { name: 'Still here', config })).statusCode).toBe(200);
    expect(
      refused(await patch(project, made.id, condition, { config: { ...config, operator: 'notMemberOfSegment' } })),
    ).toEqual(BAD_REQUEST);
  });

  test('another config or template returns 409 with active executions; name and position do not', async () => {
    const { project, made } = await fresh();
    const [first, second] = [await template(project), await template(project)];
    const delay = await step(project, made.id, 'DELAY');
    const email = (await post(project, made.id, { type: 'SEND_EMAIL', templateId: first })).json().id;
    await execution(project, made.id, { status: 'WAITING', stepId: delay });
    await enable(project, made.id);
    expect(refused(await patch(project, made.id, delay, { name: 'New', config: { amount: 2, unit: 'days' } }))).toEqual(
      CONFLICT,
    );
    expect(refused(await patch(project, made.id, email, { templateId: second }))).toEqual(CONFLICT);
    expect(refused(await patch(project, made.id, made.triggerId, { config: { eventName: 'other' } }))).toEqual(
      CONFLICT,
    );
    // An editor that sends the whole step changes only the fields that differ.
    expect(
      (
        await patch(project, made.id, delay, {
          name: 'New',
          position: { x: 9, y: 9 },
          config: { unit: 'days', amount: 1 },
        })
      ).statusCode,
    ).toBe(200);
    expect(
      (
        await patch(project, made.id, email, {
          name: 'Mail',
          templateId: first.toUpperCase(),
          config: { templateId: first },
        })
      ).statusCode,
    ).toBe(200);
    await enable(project, made.id, false);
    expect((await patch(project, made.id, delay, { config: { amount: 2, unit: 'days' } })).json().config).toEqual({
      amount: 2,
      unit: 'days',
    });
  });

  test('returns 404 for a step that is unknown, malformed, of another workflow, or of another project', async () => {
    const { project, made } = await fresh();
    const neighbour = await step(project, (await workflow(project)).id, 'EXIT');
    const other = await fresh();
    const foreign = await step(other.project, other.made.id, 'EXIT');
    for (const id of [newId(), 'x', neighbour, foreign])
      expect(refused(await patch(project, made.id, id, { name: 'N' }))).toEqual(STEP_NOT_FOUND);
    expect(refused(await patch(project, other.made.id, foreign, { name: 'N' }))).toEqual({
      status: 404,
      code: 'WORKFLOW_NOT_FOUND',
    });
  });

  test('concurrent changes are all kept', async () => {
    const { project, made } = await fresh();
    const id = await step(project, made.id, 'DELAY');
    const answers = await Promise.all([
      patch(project, made.id, id, { name: 'New' }),
      patch(project, made.id, id, { position: { x: 1, y: 1 } }),
      patch(project, made.id, id, { config: { amount: 3, unit: 'hours' } }),
      api.as(project, 'PATCH', `/workflows/${made.id}`, { name: 'W' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(await read(project, made.id)).toMatchObject({
      name: 'W',
      steps: [{}, { name: 'New', position: { x: 1, y: 1 }, config: { amount: 3, unit: 'hours' } }],
    });
  });
});
