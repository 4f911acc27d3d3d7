/** Operators end executions in Temporal, and Temporal loses workflows: a whole worker on a development server. */
import { describe, expect, test, vi } from 'vitest';
import { requestBulk } from '../../src/domain/bulk/request.js';
import { getExecution } from '../../src/domain/executions/get.js';
import { getBulkJob } from '../../src/domain/jobs/view.js';
import { newId } from '../../src/ids.js';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/ids.js';
import { reconcile } from '../../src/temporal/reconcile.js';
import { eventually } from '../helpers/eventually.js';
import { useOperator } from '../helpers/operator.js';
import { emit, executionRow, historyOf, insertContact, startByApi, type Graph } from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 60_000 });

const server = useOperator({ life: 'test' });
const { visible, waitGraph, waitingExecution, temporalStatus } = server;
const handle = (id: string) => server.env.client.workflow.getHandle(`execution:${id}`);

/** The state in the API of an execution that an operator has ended. */
const CANCELLED = { status: 'CANCELLED', exitReason: 'Canceled in Temporal.', completedAt: expect.any(Date) };

/** Starts the workflow of the row's intent, with its search attributes, on a queue without workers. */
const startByHand = (id: string) =>
  server.env.client.workflow.start('workflowExecution', {
    workflowId: `execution:${id}`,
    taskQueue: 'unserved',
    args: [],
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.resourceKind, value: 'execution' },
      { key: SEARCH_ATTRIBUTES.projectId, value: server.project.id },
    ],
  });

/** Inserts active rows without Temporal workflows and intents. @returns their ids in order */
async function lostRows(graph: Graph, count: number): Promise<string[]> {
  await server.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed)
     SELECT uuid_v7(), $1, 'lost' || n || '@x.test', true FROM generate_series(1, $2::int) n`,
    [server.project.id, count],
  );
  const { rows } = await server.ctx.pool.query<{ id: string }>(
    `INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, status)
     SELECT uuid_v7(), $1, $2, id, 'WAITING' FROM contacts WHERE project_id = $1 AND email LIKE 'lost%' RETURNING id`,
    [server.project.id, graph.id],
  );
  return rows.map(({ id }) => id).sort();
}

const intents = async (action: string): Promise<string[]> =>
  (
    await server.ctx.prisma.outbox.findMany({
      where: { action, workflowId: { startsWith: 'execution:' } },
      orderBy: { workflowId: 'asc' },
    })
  ).map(({ workflowId }) => workflowId.slice('execution:'.length));

describe('in the Web UI', () => {
  test('a canceled execution is CANCELLED in the API within seconds', async () => {
    await server.start();
    const graph = await waitGraph();
    const id = await waitingExecution(graph);
    const at = Date.now();
    await handle(id).cancel();
    await eventually(async () =>
      expect(await getExecution(server.ctx, server.project.id, graph.id, id)).toMatchObject(CANCELLED),
    );
    expect(Date.now() - at).toBeLessThan(10_000);
    expect(await historyOf(server.ctx, id)).toMatchObject([
      { step: 'TRIGGER', status: 'COMPLETED' },
      { step: 'wait', status: 'CANCELLED', summary: 'Canceled in Temporal.' },
    ]);
    await eventually(async () => expect(await temporalStatus(id)).toBe('CANCELLED'));
  });

  test('a terminated execution is CANCELLED within seconds, and a later event changes nothing', async () => {
    await server.start();
    const graph = await waitGraph();
    const [id, other] = [await waitingExecution(graph), await waitingExecution(graph)];
    const at = Date.now();
    await handle(id).terminate('by hand');
    await eventually(async () =>
      expect(await getExecution(server.ctx, server.project.id, graph.id, id)).toMatchObject(CANCELLED),
    );
    expect(Date.now() - at).toBeLessThan(15_000);
    const before = await getExecution(server.ctx, server.project.id, graph.id, id);
    expect(before.stepExecutions.at(-1)).toMatchObject({ stepName: 'wait', status: 'CANCELLED' });
    await emit(server.ctx, server.project.id, before.contactId, 'bought');
    await emit(server.ctx, server.project.id, (await executionRow(server.ctx, other)).contactId, 'bought');
    await eventually(async () =>
      expect((await historyOf(server.ctx, other)).map(({ step }) => step)).toEqual(['TRIGGER', 'wait', 'pause']),
    );
    expect(await getExecution(server.ctx, server.project.id, graph.id, id)).toEqual(before);
    expect(await temporalStatus(id)).toBe('TERMINATED');
  });

  test('a terminated bulk job is canceled within seconds', async () => {
    await server.start();
    const contactId = await insertContact(server.ctx, server.project.id);
    const holder = await server.ctx.pool.connect();
    try {
      // The chunk waits for the lock on the contact.
      await holder.query('BEGIN');
      await holder.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [contactId]);
      const id = await requestBulk(server.ctx, server.project.id, 'delete', [contactId]);
      await eventually(async () =>
        expect((await server.env.client.workflow.getHandle(`bulk:${id}`).describe()).status.name).toBe('RUNNING'),
      );
      const at = Date.now();
      await server.env.client.workflow.getHandle(`bulk:${id}`).terminate();
      await eventually(async () =>
        expect(await getBulkJob(server.ctx, server.project.id, id)).toMatchObject({ state: 'cancelled' }),
      );
      expect(Date.now() - at).toBeLessThan(15_000);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  test('a reset, which terminates the old run, does not end the execution', async () => {
    await server.start();
    const graph = await waitGraph();
    const [id, terminated] = [await waitingExecution(graph), await waitingExecution(graph)];
    const { events } = await handle(id).fetchHistory();
    const task = events?.findLast((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
    await server.env.client.workflowService.resetWorkflowExecution({
      namespace: server.env.namespace ?? 'default',
      workflowExecution: { workflowId: `execution:${id}` },
      workflowTaskFinishEventId: task,
      requestId: newId(),
      reason: 'by hand',
    });
    // This workflow was terminated later. After its update, the watch has also seen the reset.
    await handle(terminated).terminate();
    await eventually(async () => expect((await executionRow(server.ctx, terminated)).status).toBe('CANCELLED'));
    expect((await executionRow(server.ctx, id)).status).toBe('WAITING');
    await emit(server.ctx, server.project.id, (await executionRow(server.ctx, id)).contactId, 'bought');
    await eventually(async () =>
      expect((await historyOf(server.ctx, id)).map(({ step, status }) => `${step} ${status}`)).toEqual([
        'TRIGGER COMPLETED',
        'wait COMPLETED',
        'pause WAITING',
      ]),
    );
  });
});

describe('the reconcile sweep', () => {
  test('starts active executions without a Temporal workflow, and waiting ones keep waiting', async () => {
    const graph = await waitGraph();
    const id = await startByApi(server.ctx, graph, await insertContact(server.ctx, server.project.id));
    await server.ctx.pool.query('DELETE FROM outbox');
    await server.start();
    await eventually(async () => expect((await executionRow(server.ctx, id)).status).toBe('WAITING'));
    await emit(server.ctx, server.project.id, (await executionRow(server.ctx, id)).contactId, 'bought');
    await eventually(async () =>
      expect((await historyOf(server.ctx, id)).map(({ step }) => step)).toEqual(['TRIGGER', 'wait', 'pause']),
    );
  });

  test('repairs 2,500 rows in pages with one intent each, even with concurrent sweeps', async () => {
    const ids = await lostRows(await waitGraph(), 2500);
    // Rows at the edges of pages and within them that need no repair.
    const running = [ids[0], ids[999], ids[1000], ids[1700], ids[2499]].filter((id) => id !== undefined);
    for (const id of running) await startByHand(id);
    // Workflows without rows, between two rows of a page.
    const orphans = [ids[500], ids[1500]].map((id) =>
      (id ?? '').replace(/.$/, (digit) => ((parseInt(digit, 16) + 1) % 16).toString(16)),
    );
    for (const id of orphans) await startByHand(id);
    await eventually(async () =>
      expect(await visible(`ResourceKind = 'execution' AND ExecutionStatus = 'Running'`)).toHaveLength(
        running.length + orphans.length,
      ),
    );
    const sweeps = await Promise.all(Array.from({ length: 3 }, () => reconcile(server.ctx, server.env.client)));
    const missing = ids.filter((id) => !running.includes(id));
    expect(await intents('start')).toEqual(missing);
    expect(await intents('cancel')).toEqual(orphans);
    // Including the intents of housekeeping and the domain: no sweep has repeated another one's repair.
    expect(sweeps.reduce((sum, { started }) => sum + started, 0)).toBe(
      await server.ctx.prisma.outbox.count({ where: { action: 'start' } }),
    );
    // Pending intents are not changed.
    expect(await reconcile(server.ctx, server.env.client)).toEqual({ started: 0, cancelled: 0 });
    expect(await intents('start')).toEqual(missing);
    const [intent] = await server.ctx.prisma.outbox.findMany({ where: { workflowId: `execution:${missing[0]}` } });
    expect(intent?.payload).toMatchObject({
      workflowType: 'workflowExecution',
      taskQueue: 'automation',
      args: [{ executionId: missing[0], projectId: server.project.id }],
      resourceKind: 'execution',
    });
  });

  test('cancels Temporal workflows of deleted or ended executions, but not one that is just ending', async () => {
    const [active = '', over = '', ending = ''] = await lostRows(await waitGraph(), 3);
    const [before, gone] = ['00000000-0000-7000-8000-000000000000', 'ffffffff-0000-7000-8000-000000000000'];
    for (const id of [before, active, over, ending, gone]) await startByHand(id);
    await server.ctx.pool.query(
      `UPDATE workflow_executions SET status = 'COMPLETED', completed_at = now() - interval '5 minutes' WHERE id = $1`,
      [over],
    );
    await server.ctx.pool.query(
      `UPDATE workflow_executions SET status = 'COMPLETED', completed_at = now() WHERE id = $1`,
      [ending],
    );
    await eventually(async () =>
      expect(await visible(`ResourceKind = 'execution' AND ExecutionStatus = 'Running'`)).toHaveLength(5),
    );
    await reconcile(server.ctx, server.env.client);
    expect(await intents('cancel')).toEqual([before, over, gone].sort());
    expect(await intents('start')).toEqual([]);
  });

  test('cancels an active execution whose Temporal workflow an operator has terminated or canceled', async () => {
    const graph = await waitGraph();
    const [terminated = '', lost = ''] = await lostRows(graph, 2);
    await startByHand(terminated);
    await handle(terminated).terminate();
    await eventually(async () => {
      await reconcile(server.ctx, server.env.client);
      expect(await getExecution(server.ctx, server.project.id, graph.id, terminated)).toMatchObject(CANCELLED);
    });
    expect(await intents('start')).toEqual([lost]);
  });
});
