/** Whole graphs: `PUT /workflows/:id/graph`, `POST /workflows/:id/validate`, and duplicates (additions, section 5). */
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { CONFIGS, workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { chain, connect, execution, read, step, template, workflow } = workflowHelpers(api);

const TRIGGER = { key: 'start', type: 'TRIGGER' };
const DELAY = { key: 'wait', type: 'DELAY', config: CONFIGS.DELAY };
const EXIT = { key: 'end', type: 'EXIT' };
const GRAPH = {
  steps: [TRIGGER, DELAY, EXIT],
  transitions: [
    { from: 'start', to: 'wait' },
    { from: 'wait', to: 'end' },
  ],
};

const put = (project: TestProject, id: string, body: unknown, headers?: Record<string, string>) =>
  api.as(project, 'PUT', `/workflows/${id}/graph`, body, headers);
const setUp = async () => {
  const project = await api.project();
  return { project, ...(await workflow(project)) };
};

/** The stored graph as a body, which the test can change. */
const bodyOf = async (project: TestProject, id: string) => {
  const { steps, transitions } = await read(project, id);
  return {
    steps: steps.map(({ workflowId: _workflow, ...one }) => one),
    transitions: transitions.map(({ fromStepId: from, toStepId: to, branch }) => ({ from, to, branch })),
  };
};

describe('PUT /workflows/:id/graph', () => {
  test('saves a whole graph, and maps the keys to the ids of the steps', async () => {
    const { project, id, triggerId } = await setUp();
    const response = await put(project, id, GRAPH);
    expect(response.statusCode, response.body).toBe(200);
    const { keys, ...saved } = response.json();
    expect(saved).toEqual((await api.as(project, 'GET', `/workflows/${id}`)).json());
    expect(saved.steps.map(({ id: stepId, type }: { id: string; type: string }) => [stepId, type])).toEqual([
      [triggerId, 'TRIGGER'],
      [keys.wait, 'DELAY'],
      [keys.end, 'EXIT'],
    ]);
    expect(keys.start).toBe(triggerId);
    expect(saved.transitions).toEqual([
      expect.objectContaining({ fromStepId: triggerId, toStepId: keys.wait, branch: null }),
      expect.objectContaining({ fromStepId: keys.wait, toStepId: keys.end, branch: null }),
    ]);
  });

  test('a graph that is saved as it was read stays the same, with its ids', async () => {
    const { project, id } = await setUp();
    await put(project, id, GRAPH);
    const { updatedAt: _before, ...before } = await read(project, id);
    expect((await put(project, id, await bodyOf(project, id))).statusCode).toBe(200);
    expect(await read(project, id)).toMatchObject(before);
  });

  test('updates, adds, deletes, and reconnects steps', async () => {
    const { project, id, triggerId } = await setUp();
    const { keys } = (await put(project, id, GRAPH)).json();
    const toWait = (await read(project, id)).transitions[0]?.id;
    const response = await put(project, id, {
      steps: [
        { id: triggerId, type: 'TRIGGER', config: { eventName: 'bought' } },
        {
          id: keys.wait,
          type: 'DELAY',
          name: 'Two weeks',
          config: { amount: 2, unit: 'weeks' },
          position: { x: 1, y: 2 },
        },
        { key: 'tag', type: 'UPDATE_CONTACT', config: CONFIGS.UPDATE_CONTACT },
      ],
      transitions: [
        { from: triggerId, to: keys.wait },
        { from: keys.wait, to: 'tag' },
      ],
    });
    expect(response.statusCode, response.body).toBe(200);
    const after = response.json();
    expect(after.triggerConfig).toEqual({ eventName: 'bought' });
    expect(after.steps.map(({ name }: { name: string }) => name)).toEqual(['Trigger', 'Two weeks', 'Update contact']);
    expect(after.steps[1]).toMatchObject({ config: { amount: 2, unit: 'weeks' }, position: { x: 1, y: 2 } });
    expect(after.transitions).toEqual([
      expect.objectContaining({ id: toWait }),
      expect.objectContaining({ fromStepId: keys.wait, toStepId: after.keys.tag }),
    ]);
  });

  test('saves with the current If-Match, and returns 412 for an old one and changes nothing', async () => {
    const { project, id } = await setUp();
    const old = String((await api.as(project, 'GET', `/workflows/${id}`)).headers.etag);
    const saved = await put(project, id, GRAPH, { 'if-match': old });
    expect(saved.statusCode).toBe(200);
    const second = await put(project, id, { steps: [TRIGGER], transitions: [] }, { 'if-match': old });
    expect([second.statusCode, second.headers.etag]).toEqual([412, saved.headers.etag]);
    expect((await read(project, id)).steps).toHaveLength(3);
  });

  test.each<[string, unknown, ReturnType<typeof refused>]>([
    ['no steps', {}, { status: 422, code: 'VALIDATION_ERROR', errors: ['steps required', 'transitions required'] }],
    [
      'a DELAY without a length and a WEBHOOK without an address',
      { steps: [TRIGGER, { ...DELAY, config: { unit: 'days' } }, { key: 'w', type: 'WEBHOOK' }], transitions: [] },
      {
        status: 422,
        code: 'VALIDATION_ERROR',
        errors: ['steps.1.config.amount required', 'steps.2.config.url required'],
      },
    ],
    [
      'a step with neither an id nor a key',
      { steps: [TRIGGER, { type: 'EXIT' }], transitions: [] },
      { status: 422, code: 'VALIDATION_ERROR', errors: ['steps.1.key required'] },
    ],
    [
      'two steps with one key',
      { steps: [TRIGGER, DELAY, { ...EXIT, key: 'wait' }], transitions: [] },
      { status: 422, code: 'VALIDATION_ERROR', errors: ['steps.2 custom'] },
    ],
    [
      'a transition to a step that is not in the graph',
      { steps: [TRIGGER], transitions: [{ from: 'start', to: 'gone' }] },
      { status: 422, code: 'VALIDATION_ERROR', errors: ['transitions.0.to custom'] },
    ],
    ['no TRIGGER', { steps: [DELAY], transitions: [] }, { status: 400, code: 'BAD_REQUEST' }],
    [
      'two TRIGGERs',
      { steps: [TRIGGER, { ...TRIGGER, key: 'b' }], transitions: [] },
      { status: 422, code: 'VALIDATION_ERROR', errors: ['steps.1 custom'] },
    ],
    [
      'two transitions on one branch',
      { ...GRAPH, transitions: [...GRAPH.transitions, { from: 'start', to: 'end' }] },
      { status: 400, code: 'BAD_REQUEST' },
    ],
    [
      'a loop without a pause',
      {
        steps: [
          TRIGGER,
          { ...EXIT, type: 'UPDATE_CONTACT', config: CONFIGS.UPDATE_CONTACT },
          { key: 'b', type: 'UPDATE_CONTACT', config: CONFIGS.UPDATE_CONTACT },
        ],
        transitions: [
          { from: 'end', to: 'b' },
          { from: 'b', to: 'end' },
        ],
      },
      { status: 400, code: 'BAD_REQUEST' },
    ],
    [
      'an unknown step id',
      { ...GRAPH, steps: [...GRAPH.steps, { id: newId(), type: 'EXIT' }] },
      { status: 404, code: 'STEP_NOT_FOUND' },
    ],
    [
      'an unknown template',
      { steps: [TRIGGER, { key: 'm', type: 'SEND_EMAIL', config: { templateId: newId() } }], transitions: [] },
      { status: 404, code: 'TEMPLATE_NOT_FOUND' },
    ],
    [
      'an unknown segment',
      {
        steps: [
          TRIGGER,
          { key: 'c', type: 'CONDITION', config: { field: `segment.${newId()}`, operator: 'memberOfSegment' } },
        ],
        transitions: [],
      },
      { status: 400, code: 'BAD_REQUEST' },
    ],
  ])('refuses %s, and changes nothing', async (_name, body, expected) => {
    const { project, id } = await setUp();
    await put(project, id, GRAPH);
    const before = await api.as(project, 'GET', `/workflows/${id}`);
    expect(refused(await put(project, id, body))).toEqual(expected);
    const after = await api.as(project, 'GET', `/workflows/${id}`);
    expect([after.json(), after.headers.etag]).toEqual([before.json(), before.headers.etag]);
  });

  test('refuses another type for a step, a step of another workflow, and the template of another project', async () => {
    const { project, id } = await setUp();
    const { keys } = (await put(project, id, GRAPH)).json();
    const other = await workflow(project);
    const [theirs = ''] = await chain(project, other, 'EXIT');
    const foreign = await template(await api.project());
    const graphWith = (one: Record<string, unknown>) => ({ steps: [TRIGGER, one], transitions: [] });
    expect(refused(await put(project, id, graphWith({ id: keys.wait, type: 'EXIT' })))).toMatchObject({ status: 400 });
    expect(refused(await put(project, id, graphWith({ id: theirs, type: 'EXIT' })))).toMatchObject({ status: 404 });
    expect(
      refused(await put(project, id, graphWith({ key: 'm', type: 'SEND_EMAIL', templateId: foreign }))),
    ).toMatchObject({ status: 404, code: 'TEMPLATE_NOT_FOUND' });
  });

  test('ends the executions at a deleted step as EXITED, and keeps the others', async () => {
    const { project, id, triggerId } = await setUp();
    const [first = '', second = ''] = await chain(project, { id, triggerId }, 'DELAY', 'WAIT_FOR_EVENT');
    const kept = await execution(project, id, { status: 'WAITING', stepId: first });
    const ended = await execution(project, id, { status: 'WAITING', stepId: second });
    const { steps, transitions } = await bodyOf(project, id);
    const response = await put(project, id, {
      steps: steps.filter((one) => one.id !== second),
      transitions: transitions.filter(({ to }) => to !== second),
    });
    expect(response.statusCode, response.body).toBe(200);
    const statusOf = async (executionId: string) =>
      (await api.ctx.prisma.workflowExecution.findUniqueOrThrow({ where: { id: executionId } })).status;
    expect([await statusOf(kept.id), await statusOf(ended.id)]).toEqual(['WAITING', 'EXITED']);
    const intents = await api.ctx.prisma.outbox.findMany({ where: { workflowId: `execution:${ended.id}` } });
    expect(intents.map(({ action }) => action)).toEqual(['cancel']);
  });

  test('while enabled with active executions, names and positions can change, and nothing else', async () => {
    const { project, id, triggerId } = await setUp();
    const [delay = ''] = await chain(project, { id, triggerId }, 'DELAY');
    await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true });
    await execution(project, id, { status: 'WAITING', stepId: delay });
    const body = await bodyOf(project, id);
    const moved = { ...body, steps: body.steps.map((one) => ({ ...one, name: 'N', position: { x: 7, y: 7 } })) };
    expect((await put(project, id, moved)).statusCode).toBe(200);
    for (const changed of [
      { ...body, transitions: [] },
      {
        ...body,
        steps: body.steps.map((one) => (one.id === delay ? { ...one, config: { amount: 2, unit: 'days' } } : one)),
      },
      { ...body, steps: [...body.steps, EXIT] },
    ])
      expect(refused(await put(project, id, changed))).toEqual({ status: 409, code: 'CONFLICT' });
    await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: false });
    expect((await put(project, id, { ...body, steps: [...body.steps, EXIT] })).statusCode).toBe(200);
  });

  test('of 20 parallel saves with one ETag, one graph is stored as a whole', async () => {
    const { project, id } = await setUp();
    const etag = String((await api.as(project, 'GET', `/workflows/${id}`)).headers.etag);
    const saves = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const delays = Array.from({ length: index + 1 }, (_delay, at) => ({ ...DELAY, key: `d${at}` }));
        return put(project, id, { steps: [TRIGGER, ...delays], transitions: [] }, { 'if-match': etag });
      }),
    );
    const [saved, ...others] = saves.filter(({ statusCode }) => statusCode === 200);
    expect([others, saves.filter(({ statusCode }) => statusCode === 412).length]).toEqual([[], 19]);
    expect((await read(project, id)).steps).toHaveLength(saved?.json().steps.length);
  });
});

describe('POST /workflows/:id/validate', () => {
  const problemsOf = async (
    project: TestProject,
    id: string,
    body?: unknown,
  ): Promise<Array<Record<string, unknown>>> => {
    const response = await api.as(project, 'POST', `/workflows/${id}/validate`, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json().problems;
  };

  test('returns no problems for a good graph, given or stored', async () => {
    const { project, id } = await setUp();
    expect(await problemsOf(project, id, GRAPH)).toEqual([]);
    await put(project, id, GRAPH);
    expect(await problemsOf(project, id)).toEqual([]);
  });

  test('returns 422 for a graph without transitions', async () => {
    const { project, id } = await setUp();
    expect(refused(await api.as(project, 'POST', `/workflows/${id}/validate`, { steps: [] }))).toMatchObject({
      status: 422,
      errors: ['transitions custom'],
    });
  });

  test('lists every error with its step, its key, and its place, and writes nothing', async () => {
    const { project, id, triggerId } = await setUp();
    const etag = (await api.as(project, 'GET', `/workflows/${id}`)).headers.etag;
    const problems = await problemsOf(project, id, {
      steps: [
        { id: triggerId, type: 'TRIGGER' },
        { key: 'delay', type: 'DELAY', config: {} },
        { key: 'mail', type: 'SEND_EMAIL' },
        { key: 'lost', type: 'SEND_EMAIL', templateId: newId() },
        { key: 'segment', type: 'CONDITION', config: { field: `segment.${newId()}`, operator: 'memberOfSegment' } },
        { id: newId(), type: 'EXIT' },
      ],
      transitions: [
        { from: triggerId, to: 'nowhere' },
        { from: triggerId, to: 'lost', branch: 'yes' },
      ],
    });
    const errors = problems.filter(({ level }) => level === 'error');
    expect(errors.map(({ code, path, key }) => [code, path, key])).toEqual([
      ['invalid_config', 'steps.1.config.amount', 'delay'],
      ['invalid_config', 'steps.1.config.unit', 'delay'],
      ['missing_template', 'steps.2.config.templateId', 'mail'],
      ['unknown_step', 'steps.5.id', undefined],
      ['unknown_step', 'transitions.0.to', undefined],
      ['invalid_transition', 'transitions.1', undefined],
      ['unknown_template', 'steps.3.templateId', 'lost'],
      ['unknown_segment', 'steps.4.config', 'segment'],
    ]);
    expect(errors[5]).toMatchObject({ stepId: triggerId });
    expect((await api.as(project, 'GET', `/workflows/${id}`)).headers.etag).toBe(etag);
  });

  test('warns of unreachable steps and missing branches', async () => {
    const { project, id, triggerId } = await setUp();
    const condition = await step(project, id, 'CONDITION');
    const wait = await step(project, id, 'WAIT_FOR_EVENT');
    const alone = await step(project, id, 'EXIT');
    await connect(project, id, triggerId, condition);
    await connect(project, id, condition, wait, 'yes');
    expect(await problemsOf(project, id)).toEqual([
      expect.objectContaining({ code: 'missing_branch', level: 'warning', stepId: condition, path: 'steps.1' }),
      expect.objectContaining({ code: 'missing_branch', level: 'info', stepId: wait }),
      expect.objectContaining({ code: 'unreachable_step', level: 'warning', stepId: alone }),
    ]);
  });

  test('warns of a TRIGGER that no step follows', async () => {
    const { project, id, triggerId } = await setUp();
    expect(await problemsOf(project, id)).toEqual([
      expect.objectContaining({ code: 'no_steps', level: 'warning', stepId: triggerId }),
    ]);
  });

  test('warns of a template whose sender is not verified', async () => {
    const { project, id } = await setUp();
    const templateId = await template(project);
    const body = {
      steps: [TRIGGER, { key: 'm', type: 'SEND_EMAIL', templateId }],
      transitions: [{ from: 'start', to: 'm' }],
    };
    expect(await problemsOf(project, id, body)).toEqual([]);
    await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    expect(await problemsOf(project, id, body)).toEqual([
      expect.objectContaining({ code: 'unverified_sender', level: 'warning', key: 'm' }),
    ]);
  });
});

describe('enabling', () => {
  const withDraft = async () => {
    const { project, id } = await setUp();
    const templateId = await template(project);
    await api.ctx.prisma.template.updateMany({ where: { id: templateId }, data: { draft: true } });
    const body = {
      steps: [TRIGGER, { key: 'm', type: 'SEND_EMAIL', templateId }],
      transitions: [{ from: 'start', to: 'm' }],
    };
    const loseSubject = () =>
      api.ctx.prisma.template.updateMany({ where: { id: templateId }, data: { incomplete: true, subject: null } });
    return { project, id, body, loseSubject };
  };

  test('a workflow whose draft has lost its subject returns 422 with the problem, and it stays disabled', async () => {
    const { project, id, body, loseSubject } = await withDraft();
    expect((await put(project, id, body)).statusCode).toBe(200);
    await loseSubject();
    const response = await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true });
    expect(response.statusCode).toBe(422);
    expect(response.json().error.details.problems).toEqual([
      expect.objectContaining({ code: 'missing_subject', path: 'steps.1.templateId' }),
    ]);
    expect((await read(project, id)).enabled).toBe(false);
    const validated = await api.as(project, 'POST', `/workflows/${id}/validate`);
    expect(validated.json().problems).toEqual(response.json().error.details.problems);
  });

  test('a workflow that uses a complete draft succeeds', async () => {
    const { project, id, body } = await withDraft();
    await put(project, id, body);
    expect((await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true })).statusCode).toBe(200);
  });

  test('an incomplete draft cannot be saved in a graph', async () => {
    const { project, id, body, loseSubject } = await withDraft();
    await loseSubject();
    expect(refused(await put(project, id, body))).toMatchObject({
      status: 422,
      errors: ['steps.1.templateId required'],
    });
  });

  test('a workflow with warnings succeeds', async () => {
    const { project, id } = await setUp();
    await step(project, id, 'CONDITION');
    expect((await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true })).statusCode).toBe(200);
  });

  test('an incomplete draft cannot be added to an enabled workflow', async () => {
    const { project, id, body, loseSubject } = await withDraft();
    await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true });
    await loseSubject();
    expect(refused(await put(project, id, body))).toMatchObject({
      status: 422,
      errors: ['steps.1.templateId required'],
    });
    expect((await read(project, id)).steps).toHaveLength(1);
  });
});

describe('POST /workflows/:id/duplicate', () => {
  test('creates a disabled copy with the same graph under ids of its own', async () => {
    const { project, id, triggerId } = await setUp();
    const [condition = ''] = await chain(project, { id, triggerId }, 'CONDITION');
    await connect(project, id, condition, await step(project, id, 'EXIT'), 'yes');
    await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true, allowReentry: true });
    const response = await api.as(project, 'POST', `/workflows/${id}/duplicate`);
    expect(response.statusCode, response.body).toBe(201);
    const [original, copy] = [await read(project, id), response.json()];
    expect(copy).toMatchObject({
      name: 'Onboarding (copy)',
      enabled: false,
      allowReentry: true,
      triggerConfig: { eventName: 'signed up' },
    });
    const shape = ({ steps, transitions }: typeof original) => ({
      steps: steps.map(({ type, name, config, position }) => ({ type, name, config, position })),
      edges: transitions.map(({ fromStepId, toStepId, branch }) => [
        steps.findIndex((one) => one.id === fromStepId),
        steps.findIndex((one) => one.id === toStepId),
        branch,
      ]),
    });
    expect(shape(copy)).toEqual(shape(original));
    const ids = [...original.steps, ...original.transitions].map((one) => one.id);
    expect([...copy.steps, ...copy.transitions].filter((one: { id: string }) => ids.includes(one.id))).toEqual([]);
    expect(await read(project, copy.id)).toMatchObject({ id: copy.id });
  });

  test('cuts a name that would be longer than 255 characters', async () => {
    const project = await api.project();
    const name = `${'n'.repeat(247)}😀${'n'.repeat(6)}`;
    const created = await api.as(project, 'POST', '/workflows', { name, eventName: 'signed up' });
    const response = await api.as(project, 'POST', `/workflows/${created.json<{ id: string }>().id}/duplicate`);
    expect(response.statusCode, response.body).toBe(201);
    expect(response.json()).toMatchObject({ name: `${'n'.repeat(247)} (copy)` });
  });
});
