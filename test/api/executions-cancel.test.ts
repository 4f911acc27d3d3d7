/** Canceling executions: one, and all of a workflow (contract, section 7). */
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { ENDED, executionHelpers, executionsUrl as url, TIME } from '../helpers/execution-api.js';
import { workflowHelpers } from '../helpers/workflow-api.js';
import { insertContact, type GraphSpec } from '../helpers/workflow-graph.js';

const api = useApi();
const { graph, started, intentsOf, rowsOf, end } = executionHelpers(api);
const { execution } = workflowHelpers(api);

describe('DELETE /workflows/:id/executions/:executionId', () => {
  test.each(['RUNNING', 'WAITING'] as const)(
    'cancels a %s execution, its current step, and its Temporal workflow',
    async (status) => {
      const project = await api.project();
      const workflow = await graph(project, {
        steps: { pause: { type: 'DELAY', config: { amount: 1, unit: 'days' } } },
        edges: ['TRIGGER > pause'],
      });
      const { id, contactId, open } = await execution(project, workflow.id, { status, stepId: workflow.steps.pause });
      const bystander = await execution(project, workflow.id, { status, stepId: workflow.steps.pause });
      const response = await api.as(project, 'DELETE', url(workflow, `/${id}`));
      expect(response.statusCode, response.body).toBe(200);
      expect(response.json()).toEqual({
        id,
        workflowId: workflow.id,
        contactId,
        status: 'CANCELLED',
        currentStepId: workflow.steps.pause,
        exitReason: 'Canceled through the API.',
        context: {},
        startedAt: expect.stringMatching(TIME),
        completedAt: expect.stringMatching(TIME),
      });
      expect((await api.as(project, 'GET', url(workflow, `/${id}`))).json()).toMatchObject({
        status: 'CANCELLED',
        stepExecutions: [
          {
            id: open,
            status: 'CANCELLED',
            output: { summary: 'Canceled through the API.', seen: 1 },
            error: null,
            completedAt: expect.stringMatching(TIME),
          },
        ],
      });
      expect(await api.ctx.prisma.workflowExecution.findUnique({ where: { id } })).toMatchObject({
        stepExecutionId: null,
        waitingFor: null,
        wakeAt: null,
      });
      expect(await intentsOf([id, bystander.id])).toEqual([
        {
          workflowId: `execution:${id}`,
          action: 'cancel',
          payload: { action: 'cancel', workflowId: `execution:${id}`, reason: 'Canceled through the API.' },
        },
      ]);
      expect(await api.ctx.prisma.workflowExecution.findUnique({ where: { id: bystander.id } })).toMatchObject({
        status,
        stepExecutionId: bystander.open,
      });
    },
  );

  test.each(ENDED)('an execution that is %s returns 409, and stays unchanged', async (status) => {
    const project = await api.project();
    const workflow = await graph(project);
    const id = await started(project, workflow, await insertContact(api.ctx, project.id));
    await end(id, status);
    const [before] = await rowsOf(workflow);
    expect(refused(await api.as(project, 'DELETE', url(workflow, `/${id}`)))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
    expect(await rowsOf(workflow)).toEqual([before]);
    expect((await intentsOf([id])).map(({ action }) => action)).toEqual(['start']);
  });

  test('only one of 20 concurrent cancellations succeeds', async () => {
    const project = await api.project();
    const workflow = await graph(project);
    const id = await started(project, workflow, await insertContact(api.ctx, project.id));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.as(project, 'DELETE', url(workflow, `/${id}`))),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(19);
    expect((await intentsOf([id])).map(({ action }) => action)).toEqual(['start', 'cancel']);
  });
});

describe('POST /workflows/:id/executions/cancel-all', () => {
  test('cancels only the active executions of the workflow', async () => {
    const project = await api.project();
    const spec: Partial<GraphSpec> = {
      steps: { pause: { type: 'DELAY', config: { amount: 1, unit: 'days' } } },
      edges: ['TRIGGER > pause'],
    };
    const [workflow, other] = [await graph(project, spec), await graph(project, spec)];
    const active = [];
    for (const status of ['RUNNING', 'WAITING', 'WAITING'] as const)
      active.push(await execution(project, workflow.id, { status, stepId: workflow.steps.pause }));
    const ended = [];
    for (const status of ENDED) ended.push(await execution(project, workflow.id, { status }));
    const elsewhere = await execution(project, other.id, { status: 'WAITING', stepId: other.steps.pause });
    const untouched = { id: { in: [...ended, elsewhere].map(({ id }) => id) } };
    const before = await api.ctx.prisma.workflowExecution.findMany({ where: untouched, orderBy: { id: 'asc' } });

    const response = await api.as(project, 'POST', url(workflow, '/cancel-all'));
    expect([response.statusCode, response.json()]).toEqual([200, { cancelled: 3 }]);

    const rows = await api.ctx.prisma.workflowExecution.findMany({
      where: { id: { in: active.map(({ id }) => id) } },
      include: { steps: true },
    });
    for (const row of rows)
      expect(row).toMatchObject({
        status: 'CANCELLED',
        stepExecutionId: null,
        waitingFor: null,
        wakeAt: null,
        completedAt: expect.any(Date),
        steps: [{ status: 'CANCELLED' }],
      });
    expect(
      (await intentsOf([...active, ...ended, elsewhere].map(({ id }) => id)))
        .map(({ workflowId, action }) => `${action} ${workflowId}`)
        .sort(),
    ).toEqual(active.map(({ id }) => `cancel execution:${id}`).sort());
    expect(await api.ctx.prisma.workflowExecution.findMany({ where: untouched, orderBy: { id: 'asc' } })).toEqual(
      before,
    );
    expect((await api.as(project, 'POST', url(workflow, '/cancel-all'))).json()).toEqual({ cancelled: 0 });
  });

  test('a contact can start a workflow with re-entry again afterwards', async () => {
    const project = await api.project();
    const workflow = await graph(project, { allowReentry: true });
    const contactId = await insertContact(api.ctx, project.id);
    await started(project, workflow, contactId);
    await api.as(project, 'POST', url(workflow, '/cancel-all'));
    await started(project, workflow, contactId);
  });

  test("an unknown, a malformed, and another project's workflow return 404 WORKFLOW_NOT_FOUND", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const foreign = await graph(other);
    await started(other, foreign, await insertContact(api.ctx, other.id));
    for (const id of [newId(), 'nothing', foreign.id])
      expect(refused(await api.as(project, 'POST', url({ id }, '/cancel-all')))).toEqual({
        status: 404,
        code: 'WORKFLOW_NOT_FOUND',
      });
    expect((await rowsOf(foreign)).map(({ status }) => status)).toEqual(['RUNNING']);
  });

  test('12,000 executions are canceled in pages, each with its intent, while their contacts are tracked', async () => {
    const project = await api.project();
    const workflow = await graph(project, { allowReentry: true });
    const { pool } = api.ctx;
    await pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'c' || n || '@x.test', true FROM generate_series(1, 12000) n`,
      [project.id],
    );
    await pool.query(
      `INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id) SELECT uuid_v7(), $1, $2, id FROM contacts WHERE project_id = $1`,
      [project.id, workflow.id],
    );
    const [cancelled] = await Promise.all([
      api.as(project, 'POST', url(workflow, '/cancel-all')),
      ...Array.from({ length: 50 }, (_, n) =>
        api.as(
          project,
          'POST',
          '/v1/track',
          { email: `c${n * 200 + 1}@x.test`, event: 'signed_up' },
          { authorization: `Bearer ${project.public}` },
        ),
      ),
    ]);
    // A contact canceled before its event has started again, and may have been canceled again.
    const { rows } = await pool.query<{ status: string; count: number }>(
      `SELECT status, count(*)::int AS count FROM workflow_executions WHERE workflow_id = $1 GROUP BY 1`,
      [workflow.id],
    );
    const count = (status: string): number => rows.find((row) => row.status === status)?.count ?? 0;
    expect(count('CANCELLED')).toBeGreaterThanOrEqual(12_000);
    expect(count('RUNNING')).toBeLessThanOrEqual(50);
    expect(cancelled.json()).toEqual({ cancelled: count('CANCELLED') });
    const intents = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM workflow_executions x JOIN outbox o ON o.workflow_id = 'execution:' || x.id AND o.action = 'cancel' WHERE x.workflow_id = $1 AND x.status = 'CANCELLED'`,
      [workflow.id],
    );
    expect(intents.rows[0]?.count).toBe(count('CANCELLED'));
  });
});
