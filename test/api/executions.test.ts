/** `/workflows/:id/executions`: starting, listing, and reading executions (contract, section 7). */
import { describe, expect, test } from 'vitest';
import type { ExecutionStatus } from '../../src/generated/prisma/enums.js';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { ENDED, executionHelpers, executionsUrl as url, TIME } from '../helpers/execution-api.js';
import { insertContact } from '../helpers/workflow-graph.js';

const api = useApi();

const { graph, start, started, listed, intentsOf, rowsOf, end } = executionHelpers(api);

describe('POST /workflows/:id/executions', () => {
  test('returns 201 with the execution, and commits the start of its Temporal workflow with it', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    const contactId = await insertContact(api.ctx, project.id);
    const context = { plan: 'pro', count: 0, nested: { list: [1, null, 'ünï'] } };
    const response = await start(project, workflow, { contactId, context });
    expect(response.statusCode, response.body).toBe(201);
    const { id } = response.json<{ id: string }>();
    expect(response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workflowId: workflow.id,
      contactId,
      status: 'RUNNING',
      currentStepId: null,
      exitReason: null,
      context,
      startedAt: expect.stringMatching(TIME),
      completedAt: null,
    });
    expect(await intentsOf([id])).toEqual([
      {
        workflowId: `execution:${id}`,
        action: 'start',
        payload: {
          action: 'start',
          workflowId: `execution:${id}`,
          workflowType: 'workflowExecution',
          taskQueue: 'automation',
          args: [{ executionId: id, projectId: project.id }],
          projectId: project.id,
          resourceId: id,
          resourceKind: 'execution',
          sourceWorkflowId: workflow.id,
          contactId,
          summary: 'A contact on its way through a workflow',
        },
      },
    ]);
  });

  test('the context is empty if it is omitted', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    const response = await start(project, workflow, { contactId: await insertContact(api.ctx, project.id) });
    expect(response.json()).toMatchObject({ context: {} });
  });

  test.each([
    ['no body', undefined, ['contactId required']],
    ['no contact', {}, ['contactId required']],
    ['a contact that is not text', { contactId: 7 }, ['contactId invalid_type']],
    ['a context that is a text', { contactId: newId(), context: '{}' }, ['context invalid_type']],
    ['a context that is a list', { contactId: newId(), context: [] }, ['context invalid_type']],
    ['a context that is a number', { contactId: newId(), context: 1 }, ['context invalid_type']],
    ['a context that is null', { contactId: newId(), context: null }, ['context invalid_type']],
    ['NUL in a value of the context', { contactId: newId(), context: { a: ['x\0y'] } }, ['context.a.0 invalid_string']],
    ['NUL in a key of the context', { contactId: newId(), context: { 'a\0b': 1 } }, ['context.ab invalid_string']],
  ])('%s returns 422 and starts nothing', async (_what, body, errors) => {
    const project = await api.project();
    const workflow = await graph(project);
    const response = await api.as(project, 'POST', url(workflow), body);
    expect(refused(response)).toEqual({ status: 422, code: 'VALIDATION_ERROR', errors });
    expect(await rowsOf(workflow)).toEqual([]);
  });

  test('a context of 64 KiB of JSON is accepted, and one byte more returns 422', async () => {
    const project = await api.project();
    const workflow = await graph(project, { allowReentry: true });
    // {"a":"…"} and two bytes for each ä
    const context = (bytes: number) => ({ a: `${'ä'.repeat(1000)}${'x'.repeat(bytes - 2000 - 8)}` });
    expect(Buffer.byteLength(JSON.stringify(context(65_536)))).toBe(65_536);
    const contactId = await insertContact(api.ctx, project.id);
    expect(refused(await start(project, workflow, { contactId, context: context(65_537) }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['context too_big'],
    });
    expect(await rowsOf(workflow)).toEqual([]);
    expect((await start(project, workflow, { contactId, context: context(65_536) })).statusCode).toBe(201);
  });

  test("an unknown, a malformed, and another project's contact return the same 404 CONTACT_NOT_FOUND", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const workflow = await graph(project);
    const foreign = await insertContact(api.ctx, other.id);
    const answers = await Promise.all(
      [newId(), 'unknown', '', foreign].map((contactId) => start(project, workflow, { contactId })),
    );
    for (const answer of answers) expect(refused(answer)).toEqual({ status: 404, code: 'CONTACT_NOT_FOUND' });
    expect(await rowsOf(workflow)).toEqual([]);
  });

  test("an unknown, a malformed, and another project's workflow return 404 for any contact", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const foreign = await graph(other);
    for (const id of [newId(), 'nothing', foreign.id]) {
      expect(refused(await start(project, { id }, { contactId: await insertContact(api.ctx, project.id) }))).toEqual({
        status: 404,
        code: 'WORKFLOW_NOT_FOUND',
      });
      expect(refused(await start(project, { id }, { contactId: newId() }))).toEqual({
        status: 404,
        code: 'WORKFLOW_NOT_FOUND',
      });
    }
    expect(await rowsOf(foreign)).toEqual([]);
  });

  test('a disabled workflow starts nothing and returns 409', async () => {
    const project = await api.project();
    const workflow = await graph(project, { enabled: false });
    expect(refused(await start(project, workflow, { contactId: await insertContact(api.ctx, project.id) }))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
    expect(await rowsOf(workflow)).toEqual([]);
  });

  test.each(['RUNNING', 'WAITING', ...ENDED] satisfies ExecutionStatus[])(
    'without re-entry, a contact starts only one execution, even if the first is %s',
    async (status) => {
      const project = await api.project();
      const workflow = await graph(project);
      const contactId = await insertContact(api.ctx, project.id);
      const first = await started(project, workflow, contactId);
      await api.ctx.prisma.workflowExecution.update({ where: { id: first }, data: { status } });
      expect(refused(await start(project, workflow, { contactId }))).toEqual({ status: 409, code: 'CONFLICT' });
      expect((await rowsOf(workflow)).map(({ id }) => id)).toEqual([first]);
      await started(project, workflow, await insertContact(api.ctx, project.id));
    },
  );

  test('with re-entry, one execution is active at a time, and another can start after any end', async () => {
    const project = await api.project();
    const workflow = await graph(project, { allowReentry: true });
    const contactId = await insertContact(api.ctx, project.id);
    for (const status of ENDED) {
      const id = await started(project, workflow, contactId);
      for (const active of ['RUNNING', 'WAITING'] as const) {
        await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { status: active } });
        expect(refused(await start(project, workflow, { contactId }))).toEqual({ status: 409, code: 'CONFLICT' });
      }
      await end(id, status);
    }
    expect(await rowsOf(workflow)).toHaveLength(ENDED.length);
  });

  test.each([true, false])('only one of 50 concurrent starts succeeds (re-entry %s)', async (allowReentry) => {
    const project = await api.project();
    const workflow = await graph(project, { allowReentry });
    const contactId = await insertContact(api.ctx, project.id);
    const answers = await Promise.all(Array.from({ length: 50 }, () => start(project, workflow, { contactId })));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(49);
    const rows = await rowsOf(workflow);
    expect(rows).toHaveLength(1);
    expect(await intentsOf(rows.map(({ id }) => id))).toHaveLength(1);
  });

  test('a concurrently deleted contact returns 404, and leaves no execution', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    const contactId = await insertContact(api.ctx, project.id);
    const deletion = await api.ctx.pool.connect();
    await deletion.query('BEGIN');
    await deletion.query('DELETE FROM contacts WHERE id = $1', [contactId]);
    const starting = start(project, workflow, { contactId });
    // The start waits for the deletion's outcome: it has not responded while the deletion is open.
    await expect
      .poll(
        async () =>
          (
            await api.ctx.pool.query(
              `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            )
          ).rowCount,
      )
      .toBe(1);
    await deletion.query('COMMIT');
    deletion.release();
    expect(refused(await starting)).toEqual({ status: 404, code: 'CONTACT_NOT_FOUND' });
    expect(await rowsOf(workflow)).toEqual([]);
  });

  test('a disabled project returns 403 PROJECT_DISABLED', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    const contactId = await insertContact(api.ctx, project.id);
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect(refused(await start(project, workflow, { contactId }))).toEqual({ status: 403, code: 'PROJECT_DISABLED' });
    expect(await rowsOf(workflow)).toEqual([]);
  });
});

describe('GET /workflows/:id/executions', () => {
  test('returns the newest first, in pages, with every field of an execution', async () => {
    const project = await api.project();
    const [workflow, other] = [await graph(project), await graph(project)];
    const ids = [];
    for (let n = 0; n < 5; n++) ids.unshift(await started(project, workflow, await insertContact(api.ctx, project.id)));
    await started(project, other, await insertContact(api.ctx, project.id));
    const first = await listed(project, workflow, '?pageSize=2');
    expect(first).toMatchObject({ page: 1, pageSize: 2, total: 5, totalPages: 3 });
    expect(Object.keys(first.data[0] ?? {}).sort()).toEqual([
      'completedAt',
      'contactEmail',
      'contactId',
      'context',
      'currentStepId',
      'currentStepName',
      'exitReason',
      'id',
      'startedAt',
      'status',
      'wakeAt',
      'workflowId',
    ]);
    const pages = [
      first,
      await listed(project, workflow, '?pageSize=2&page=2'),
      await listed(project, workflow, '?pageSize=2&page=3'),
    ];
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect((await listed(project, workflow)).data.map(({ id }) => id)).toEqual(ids);
  });

  test('an empty list and a page after the last one are empty', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    expect(await listed(project, workflow)).toEqual({ data: [], page: 1, pageSize: 20, total: 0, totalPages: 1 });
    await started(project, workflow, await insertContact(api.ctx, project.id));
    expect(await listed(project, workflow, '?page=9')).toMatchObject({ data: [], page: 9, total: 1 });
  });

  test('filters by status and by contact', async () => {
    const project = await api.project();
    const workflow = await graph(project, { allowReentry: true });
    const [ada, bob] = [await insertContact(api.ctx, project.id), await insertContact(api.ctx, project.id)];
    const old = await started(project, workflow, ada);
    await end(old, 'EXITED');
    const [now, other] = [await started(project, workflow, ada), await started(project, workflow, bob)];
    await api.ctx.prisma.workflowExecution.update({ where: { id: other }, data: { status: 'WAITING' } });
    const ids = async (query: string) => (await listed(project, workflow, query)).data.map(({ id }) => id);
    expect(await ids('?status=RUNNING')).toEqual([now]);
    expect(await ids('?status=WAITING')).toEqual([other]);
    expect(await ids('?status=EXITED')).toEqual([old]);
    expect(await ids('?status=FAILED')).toEqual([]);
    expect(await ids(`?contactId=${ada}`)).toEqual([now, old]);
    expect(await ids(`?contactId=${ada}&status=EXITED`)).toEqual([old]);
    expect(await ids(`?contactId=${newId()}`)).toEqual([]);
    expect(await ids('?contactId=unknown')).toEqual([]);
  });

  test.each([
    ['status=running', 'status'],
    ['status=', 'status'],
    ['status=DONE', 'status'],
    ['page=0', 'page'],
    ['pageSize=x', 'pageSize'],
  ])('%s returns 422', async (query, field) => {
    const project = await api.project();
    const response = await api.as(project, 'GET', url(await graph(project), `?${query}`));
    expect(refused(response)).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [expect.stringMatching(`^${field} `)],
    });
  });

  test("an unknown, a malformed, and another project's workflow return 404 WORKFLOW_NOT_FOUND", async () => {
    const [project, other] = [await api.project(), await api.project()];
    for (const id of [newId(), 'nothing', (await graph(other)).id])
      expect(refused(await api.as(project, 'GET', url({ id })))).toEqual({ status: 404, code: 'WORKFLOW_NOT_FOUND' });
  });
});

describe('GET /workflows/:id/executions/:executionId', () => {
  test('adds the executed steps in order, with their type and name at execution', async () => {
    const project = await api.project();
    const workflow = await graph(project, {
      steps: { pause: { type: 'DELAY', config: { amount: 1, unit: 'days' } } },
      edges: ['TRIGGER > pause'],
    });
    const id = await started(project, workflow, await insertContact(api.ctx, project.id));
    const { prisma } = api.ctx;
    const at = new Date('2026-03-01T09:00:00.000Z');
    const [first, second] = [newId(), newId()];
    const { TRIGGER = '', pause = '' } = workflow.steps;
    // Inserted in the other order: the history is ordered by the start of the steps.
    await prisma.stepExecution.create({
      data: {
        id: second,
        projectId: project.id,
        executionId: id,
        stepId: pause,
        stepType: 'DELAY',
        stepName: 'pause',
        status: 'WAITING',
        output: { summary: 'Waits.' },
        beganAt: new Date(at.getTime() + 1),
        startedAt: at,
        wakeAt: new Date('2026-03-02T09:00:00.000Z'),
      },
    });
    await prisma.stepExecution.create({
      data: {
        id: first,
        projectId: project.id,
        executionId: id,
        stepId: TRIGGER,
        stepType: 'TRIGGER',
        stepName: 'TRIGGER',
        status: 'COMPLETED',
        beganAt: at,
        startedAt: at,
        completedAt: at,
        error: null,
      },
    });
    await prisma.workflowStep.delete({ where: { id: pause } });
    const response = await api.as(project, 'GET', url(workflow, `/${id}`));
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toMatchObject({
      id,
      workflowId: workflow.id,
      status: 'RUNNING',
      stepExecutions: [
        {
          id: first,
          stepId: TRIGGER,
          stepType: 'TRIGGER',
          stepName: 'TRIGGER',
          status: 'COMPLETED',
          output: null,
          error: null,
          startedAt: at.toISOString(),
          completedAt: at.toISOString(),
          wakeAt: null,
        },
        {
          id: second,
          stepId: pause,
          stepType: 'DELAY',
          stepName: 'pause',
          status: 'WAITING',
          output: { summary: 'Waits.' },
          error: null,
          startedAt: at.toISOString(),
          completedAt: null,
          wakeAt: '2026-03-02T09:00:00.000Z',
        },
      ],
    });
    expect(Object.keys(response.json<{ stepExecutions: object[] }>().stepExecutions[0] ?? {}).sort()).toEqual([
      'completedAt',
      'error',
      'id',
      'output',
      'startedAt',
      'status',
      'stepId',
      'stepName',
      'stepType',
      'wakeAt',
    ]);
  });

  test('an execution that has not begun has no steps', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    const id = await started(project, workflow, await insertContact(api.ctx, project.id));
    expect((await api.as(project, 'GET', url(workflow, `/${id}`))).json()).toMatchObject({
      id,
      currentStepId: null,
      stepExecutions: [],
    });
  });

  test.each(['GET', 'DELETE'] as const)(
    "%s of an unknown, a malformed, another project's, or another workflow's execution returns 404",
    async (method) => {
      const [project, other] = [await api.project(), await api.project()];
      const [workflow, second, foreign] = [await graph(project), await graph(project), await graph(other)];
      const elsewhere = await started(project, second, await insertContact(api.ctx, project.id));
      const theirs = await started(other, foreign, await insertContact(api.ctx, other.id));
      const before = await api.ctx.prisma.workflowExecution.findMany({ orderBy: { id: 'asc' } });
      for (const id of [newId(), 'nothing', elsewhere, theirs])
        expect(refused(await api.as(project, method, url(workflow, `/${id}`)))).toEqual({
          status: 404,
          code: 'EXECUTION_NOT_FOUND',
        });
      for (const id of [newId(), 'nothing', foreign.id])
        expect(refused(await api.as(project, method, url({ id }, `/${theirs}`)))).toEqual({
          status: 404,
          code: 'WORKFLOW_NOT_FOUND',
        });
      expect(await api.ctx.prisma.workflowExecution.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
    },
  );
});
