import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { workflowHelpers, type TestWorkflow } from '../helpers/workflow-api.js';

const api = useApi();
const { chain, connect, execution, read, step, workflow } = workflowHelpers(api);

const BAD_REQUEST = { status: 400, code: 'BAD_REQUEST' };
const CONFLICT = { status: 409, code: 'CONFLICT' };

const post = (project: TestProject, id: string, body: unknown) =>
  api.as(project, 'POST', `/workflows/${id}/transitions`, body);
const remove = (project: TestProject, id: string, transitionId: string) =>
  api.as(project, 'DELETE', `/workflows/${id}/transitions/${transitionId}`);

/** Returns the transitions of a workflow by the types of their steps: `DELAY → EXIT`, `CONDITION yes → EXIT`. */
const edges = ({ steps, transitions }: TestWorkflow): string[] => {
  const typeOf = (id: string): string => steps.find((one) => one.id === id)?.type ?? 'none';
  return transitions.map(
    ({ fromStepId, toStepId, branch }) =>
      `${typeOf(fromStepId)}${branch === null ? '' : ` ${branch}`} → ${typeOf(toStepId)}`,
  );
};

async function fresh() {
  const project = await api.project();
  return { project, made: await workflow(project) };
}

describe('POST /workflows/:id/transitions', () => {
  test('adds a transition and returns 201 with it', async () => {
    const { project, made } = await fresh();
    const exit = await step(project, made.id, 'EXIT');
    const response = await post(project, made.id, { fromStepId: made.triggerId, toStepId: exit, unknown: 1 });
    expect([response.statusCode, response.json()]).toEqual([
      201,
      {
        id: expect.any(String),
        workflowId: made.id,
        fromStepId: made.triggerId,
        toStepId: exit,
        branch: null,
        priority: 0,
      },
    ]);
    expect((await read(project, made.id)).transitions).toMatchObject([{ id: response.json().id }]);
  });

  test.each([
    ['branch', { branch: 'yes' }],
    ['condition.branch', { condition: { branch: 'yes' } }],
    ['both', { branch: 'yes', condition: { branch: 'no' } }],
    ['a condition next to an empty branch', { branch: null, condition: { branch: ' yes ' } }],
  ])('from a CONDITION accepts its branch as %s', async (_, given) => {
    const { project, made } = await fresh();
    const [condition, exit] = [await step(project, made.id, 'CONDITION'), await step(project, made.id, 'EXIT')];
    expect((await post(project, made.id, { fromStepId: condition, toStepId: exit, ...given })).json()).toMatchObject({
      branch: 'yes',
    });
  });

  test('lists transitions by priority, then in the order of their creation', async () => {
    const { project, made } = await fresh();
    const exit = await step(project, made.id, 'EXIT');
    const ids: string[] = [];
    for (const priority of [5, 0, -1, 5, undefined]) {
      const from = await step(project, made.id, 'DELAY');
      ids.push((await post(project, made.id, { fromStepId: from, toStepId: exit, priority })).json().id);
    }
    expect((await read(project, made.id)).transitions.map(({ id }) => ids.indexOf(id))).toEqual([2, 1, 4, 0, 3]);
  });

  test.each([
    ['yes and no of a CONDITION', 'CONDITION', undefined, ['yes', 'no']],
    ['event and timeout of a WAIT_FOR_EVENT', 'WAIT_FOR_EVENT', undefined, ['event', 'timeout']],
    ['none and timeout of a WAIT_FOR_EVENT', 'WAIT_FOR_EVENT', undefined, [undefined, 'timeout']],
    ['none and error of a WEBHOOK', 'WEBHOOK', undefined, [undefined, 'error']],
    [
      'each branch of a CONDITION of several, and default',
      'CONDITION',
      {
        mode: 'multi',
        field: 'data.x',
        branches: [
          { id: 'größer', name: 'G', operator: 'exists' },
          { id: '2', name: 'Zwei', operator: 'exists' },
        ],
      },
      ['größer', '2', 'default'],
    ],
  ] as const)('accepts %s', async (_, type, config, branches) => {
    const { project, made } = await fresh();
    const from = await step(project, made.id, type, config);
    for (const branch of branches) await connect(project, made.id, from, await step(project, made.id, 'EXIT'), branch);
    expect((await read(project, made.id)).transitions.map(({ branch }) => branch)).toEqual(
      branches.map((branch) => branch ?? null),
    );
  });

  test.each([
    ['into the TRIGGER', 'DELAY', 'TRIGGER', undefined],
    ['out of an EXIT', 'EXIT', 'DELAY', undefined],
    ['without a branch out of a CONDITION', 'CONDITION', 'EXIT', undefined],
    ['on a branch that a CONDITION does not have', 'CONDITION', 'EXIT', 'default'],
    ['on a branch out of a DELAY', 'DELAY', 'EXIT', 'yes'],
    ['on the branch error out of a WAIT_FOR_EVENT', 'WAIT_FOR_EVENT', 'EXIT', 'error'],
    ['on the branch timeout out of a WEBHOOK', 'WEBHOOK', 'EXIT', 'timeout'],
    ['on a branch out of the TRIGGER', 'TRIGGER', 'EXIT', 'event'],
  ] as const)('%s returns 400', async (_, fromType, toType, branch) => {
    const { project, made } = await fresh();
    const id = async (type: typeof fromType | typeof toType) =>
      type === 'TRIGGER' ? made.triggerId : step(project, made.id, type);
    expect(
      refused(await post(project, made.id, { fromStepId: await id(fromType), toStepId: await id(toType), branch })),
    ).toEqual(BAD_REQUEST);
    expect((await read(project, made.id)).transitions).toEqual([]);
  });

  test.each([
    ['a second unconditional one', 'DELAY', undefined, undefined],
    ['a second one on a branch', 'CONDITION', 'no', 'no'],
    ['event next to none of a wait', 'WAIT_FOR_EVENT', undefined, 'event'],
    ['none next to event of a wait', 'WAIT_FOR_EVENT', 'event', undefined],
    ['a second one on the branch error', 'WEBHOOK', 'error', 'error'],
  ] as const)('%s returns 400', async (_, type, first, second) => {
    const { project, made } = await fresh();
    const [from, one, other] = [
      await step(project, made.id, type),
      await step(project, made.id, 'EXIT'),
      await step(project, made.id, 'EXIT'),
    ];
    await connect(project, made.id, from, one, first);
    for (const to of [one, other])
      expect(refused(await post(project, made.id, { fromStepId: from, toStepId: to, branch: second }))).toEqual(
        BAD_REQUEST,
      );
    expect((await read(project, made.id)).transitions).toHaveLength(1);
  });

  test.each(['UPDATE_CONTACT', 'DELAY', 'WAIT_FOR_EVENT', 'WEBHOOK'] as const)(
    'from a %s to itself returns 400',
    async (type) => {
      const { project, made } = await fresh();
      const id = await step(project, made.id, type);
      expect(refused(await post(project, made.id, { fromStepId: id, toStepId: id }))).toEqual(BAD_REQUEST);
    },
  );

  test.each([
    ['UPDATE_CONTACT', 400],
    ['WEBHOOK', 400],
    ['CONDITION', 400],
    ['DELAY', 201],
    ['WAIT_FOR_EVENT', 201],
  ] as const)('a loop through a %s returns %d', async (type, status) => {
    const { project, made } = await fresh();
    const [first, second, third] = [
      await step(project, made.id, 'UPDATE_CONTACT'),
      await step(project, made.id, type),
      await step(project, made.id, 'UPDATE_CONTACT'),
    ];
    const branch = type === 'CONDITION' ? 'yes' : undefined;
    await connect(project, made.id, first, second);
    await connect(project, made.id, second, third, branch);
    const response = await post(project, made.id, { fromStepId: third, toStepId: first });
    expect([response.statusCode, response.json().error?.code]).toEqual([
      status,
      status === 400 ? 'BAD_REQUEST' : undefined,
    ]);
  });

  test.each([
    ['fromStepId', undefined],
    ['toStepId', undefined],
  ])('without %s returns 422', async (field) => {
    const { project, made } = await fresh();
    const body = { fromStepId: made.triggerId, toStepId: await step(project, made.id, 'EXIT') };
    expect(refused(await post(project, made.id, { ...body, [field]: undefined }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [`${field} required`],
    });
  });

  test.each([
    ['a branch that is not text', { branch: 5 }, 'branch invalid_type'],
    ['an empty branch', { branch: '' }, 'branch too_small'],
    ['a condition that is not an object', { condition: 'yes' }, 'condition invalid_type'],
    ['a priority that is not a whole number', { priority: 1.5 }, 'priority invalid_type'],
    ['a priority that is a text', { priority: '1' }, 'priority invalid_type'],
  ])('with %s returns 422', async (_, given, error) => {
    const { project, made } = await fresh();
    expect(
      refused(await post(project, made.id, { fromStepId: made.triggerId, toStepId: made.triggerId, ...given })),
    ).toEqual({ status: 422, code: 'VALIDATION_ERROR', errors: [error] });
  });

  test("unknown, malformed, another workflow's, or another project's steps return 404 STEP_NOT_FOUND", async () => {
    const { project, made } = await fresh();
    const own = await step(project, made.id, 'DELAY');
    const neighbour = await step(project, (await workflow(project)).id, 'DELAY');
    const other = await fresh();
    const foreign = await step(other.project, other.made.id, 'DELAY');
    for (const id of [newId(), 'nothing', neighbour, foreign]) {
      expect(refused(await post(project, made.id, { fromStepId: own, toStepId: id }))).toEqual({
        status: 404,
        code: 'STEP_NOT_FOUND',
      });
      expect(refused(await post(project, made.id, { fromStepId: id, toStepId: own }))).toEqual({
        status: 404,
        code: 'STEP_NOT_FOUND',
      });
    }
    expect(refused(await post(project, other.made.id, { fromStepId: foreign, toStepId: foreign }))).toEqual({
      status: 404,
      code: 'WORKFLOW_NOT_FOUND',
    });
    expect(refused(await post(project, newId(), { fromStepId: own, toStepId: own }))).toEqual({
      status: 404,
      code: 'WORKFLOW_NOT_FOUND',
    });
  });

  test('an id is case-insensitive', async () => {
    const { project, made } = await fresh();
    const exit = await step(project, made.id, 'EXIT');
    const { id } = (
      await post(project, made.id.toUpperCase(), {
        fromStepId: made.triggerId.toUpperCase(),
        toStepId: exit.toUpperCase(),
      })
    ).json();
    expect((await remove(project, made.id.toUpperCase(), id.toUpperCase())).statusCode).toBe(204);
  });

  test('returns 409 while the workflow is enabled with active executions, and succeeds if disabled', async () => {
    const { project, made } = await fresh();
    const exit = await step(project, made.id, 'EXIT');
    await execution(project, made.id);
    await api.as(project, 'PATCH', `/workflows/${made.id}`, { enabled: true });
    const body = { fromStepId: made.triggerId, toStepId: exit };
    expect(refused(await post(project, made.id, body))).toEqual(CONFLICT);
    await api.as(project, 'PATCH', `/workflows/${made.id}`, { enabled: false });
    expect((await post(project, made.id, body)).statusCode).toBe(201);
  });

  test('two concurrent additions form no loop', async () => {
    const { project, made } = await fresh();
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await step(project, made.id, 'UPDATE_CONTACT'), await step(project, made.id, 'UPDATE_CONTACT')];
      const answers = await Promise.all([
        post(project, made.id, { fromStepId: a, toStepId: b }),
        post(project, made.id, { fromStepId: b, toStepId: a }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([201, 400]);
    }
  });

  test('only one of many concurrent additions for one branch succeeds', async () => {
    const { project, made } = await fresh();
    const wait = await step(project, made.id, 'WAIT_FOR_EVENT');
    const ends = await Promise.all(Array.from({ length: 8 }, () => step(project, made.id, 'EXIT')));
    // `event` and no branch name the same way: no index keeps them apart.
    const answers = await Promise.all(
      ends.map((toStepId, n) =>
        post(project, made.id, { fromStepId: wait, toStepId, branch: n % 2 === 0 ? 'event' : null }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 400),
    ]);
    expect((await read(project, made.id)).transitions).toHaveLength(1);
  });
});

describe('DELETE /workflows/:id/transitions/:transitionId', () => {
  test('deletes it and returns 204 without a body; the steps stay', async () => {
    const { project, made } = await fresh();
    await chain(project, made, 'DELAY', 'EXIT');
    const [first] = (await read(project, made.id)).transitions;
    const response = await remove(project, made.id, first?.id ?? '');
    expect([response.statusCode, response.body]).toEqual([204, '']);
    const after = await read(project, made.id);
    expect([edges(after), after.steps.length]).toEqual([['DELAY → EXIT'], 3]);
    expect(refused(await remove(project, made.id, first?.id ?? ''))).toEqual({
      status: 404,
      code: 'TRANSITION_NOT_FOUND',
    });
  });

  test('returns 404 for one that is malformed, of another workflow, or of another project', async () => {
    const { project, made } = await fresh();
    const [neighbour, other] = [await workflow(project), await fresh()];
    await chain(project, neighbour, 'EXIT');
    await chain(other.project, other.made, 'EXIT');
    const idOf = async (of: TestProject, id: string) => (await read(of, id)).transitions[0]?.id ?? '';
    for (const id of ['x', newId(), await idOf(project, neighbour.id), await idOf(other.project, other.made.id)]) {
      expect(refused(await remove(project, made.id, id))).toEqual({ status: 404, code: 'TRANSITION_NOT_FOUND' });
    }
    expect(refused(await remove(project, other.made.id, await idOf(other.project, other.made.id)))).toEqual({
      status: 404,
      code: 'WORKFLOW_NOT_FOUND',
    });
    expect(await idOf(other.project, other.made.id)).not.toBe('');
  });

  test('returns 409 while the workflow is enabled with active executions', async () => {
    const { project, made } = await fresh();
    await chain(project, made, 'EXIT');
    const { id } = await execution(project, made.id, { status: 'WAITING' });
    await api.as(project, 'PATCH', `/workflows/${made.id}`, { enabled: true });
    const [transition] = (await read(project, made.id)).transitions;
    expect(refused(await remove(project, made.id, transition?.id ?? ''))).toEqual(CONFLICT);
    await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { status: 'EXITED' } });
    expect((await remove(project, made.id, transition?.id ?? '')).statusCode).toBe(204);
  });
});
