/**
 * Executions that are ended by other operations: no Temporal workflow keeps waiting for a deleted contact, workflow, or
 * project.
 */
import { expect, test, vi } from 'vitest';
import { requestBulk } from '../../src/domain/bulk/request.js';
import { deleteContact } from '../../src/domain/contacts/delete.js';
import { cancelAllExecutions } from '../../src/domain/executions/cancel.js';
import { withLockTimeout } from '../../src/domain/lock-timeout.js';
import { getBulkJob } from '../../src/domain/jobs/view.js';
import { deleteProject } from '../../src/domain/projects/projects.js';
import { resetProject } from '../../src/domain/projects/reset.js';
import { stopProject } from '../../src/domain/projects/stop.js';
import { newId } from '../../src/ids.js';
import { eventually } from '../helpers/eventually.js';
import { useOperator } from '../helpers/operator.js';
import { executionRow, insertContact, startByApi } from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 60_000 });

const server = useOperator({ life: 'file' });
const { waitGraph, waitingExecution, temporalStatus, visible } = server;

const contactOf = async (id: string): Promise<string> => (await executionRow(server.ctx, id)).contactId;

/**
 * Expects that the Temporal workflows of these executions end, and that the server lists no more of the project.
 */
async function expectEnded(ids: string[], statuses = ['CANCELLED']): Promise<void> {
  for (const id of ids) await eventually(async () => expect(statuses).toContain(await temporalStatus(id)));
  await eventually(async () =>
    expect(
      await visible(
        `ResourceKind = 'execution' AND ProjectId = '${server.project.id}' AND ExecutionStatus = 'Running'`,
      ),
    ).toEqual([]),
  );
}

async function owner(): Promise<string> {
  const id = newId();
  await server.ctx.prisma.user.create({
    data: { id, email: `${id}@users.test`, memberships: { create: { projectId: server.project.id, role: 'OWNER' } } },
  });
  return id;
}

// This test comes first, while no worker runs.
test('deleting a contact before its Temporal workflow has started leaves no workflow', async () => {
  const graph = await waitGraph();
  const contactId = await insertContact(server.ctx, server.project.id);
  const id = await startByApi(server.ctx, graph, contactId);
  await deleteContact(server.ctx, server.project.id, contactId);
  await server.start();
  // It may read the row before the cancellation arrives.
  await expectEnded([id], ['CANCELLED', 'COMPLETED']);
});

test('deleting a contact ends only its own Temporal workflow', async () => {
  await server.start();
  const graph = await waitGraph();
  const [id, other] = [await waitingExecution(graph), await waitingExecution(graph)];
  await deleteContact(server.ctx, server.project.id, await contactOf(id));
  await eventually(async () => expect(await temporalStatus(id)).toBe('CANCELLED'));
  expect(await temporalStatus(other)).toBe('RUNNING');
  expect(
    await server.ctx.prisma.workflowExecution.findMany({
      where: { projectId: server.project.id },
      select: { id: true },
    }),
  ).toEqual([{ id: other }]);
});

test('a bulk job that deletes contacts ends the Temporal workflows of all of them', async () => {
  await server.start();
  const graph = await waitGraph();
  const ids = [];
  for (let n = 0; n < 10; n++) ids.push(await waitingExecution(graph));
  const contacts = [];
  for (const id of ids) contacts.push(await contactOf(id));
  const job = await requestBulk(server.ctx, server.project.id, 'delete', contacts);
  await eventually(async () =>
    expect(await getBulkJob(server.ctx, server.project.id, job)).toMatchObject({
      state: 'completed',
      result: { successCount: 10 },
    }),
  );
  await expectEnded(ids);
  expect(await server.ctx.prisma.workflowExecution.count({ where: { projectId: server.project.id } })).toBe(0);
});

test('canceling all executions of a workflow ends their Temporal workflows', async () => {
  await server.start();
  const graph = await waitGraph();
  const ids = [await waitingExecution(graph), await waitingExecution(graph)];
  expect(await cancelAllExecutions(server.ctx, server.project.id, graph.id)).toBe(2);
  await expectEnded(ids);
  for (const id of ids)
    expect(await executionRow(server.ctx, id)).toMatchObject({
      status: 'CANCELLED',
      exitReason: 'Canceled through the API.',
    });
});

test('disabling a project ends the Temporal workflows of its executions', async () => {
  await server.start();
  const id = await waitingExecution(await waitGraph());
  await withLockTimeout(server.ctx.pool, async (tx) => {
    await tx.query('UPDATE projects SET disabled = true WHERE id = $1', [server.project.id]);
    await stopProject(tx, server.project.id, 'The project was disabled');
  });
  server.ctx.wake('outbox');
  await expectEnded([id]);
  expect(await executionRow(server.ctx, id)).toMatchObject({
    status: 'CANCELLED',
    exitReason: 'The project was disabled',
  });
});

test.each(['reset', 'deletion'])('the %s of a project ends the Temporal workflows of its executions', async (what) => {
  await server.start();
  const id = await waitingExecution(await waitGraph());
  const user = await owner();
  if (what === 'reset') await resetProject(server.ctx, user, server.project.id);
  else await deleteProject(server.ctx, user, server.project.id);
  await expectEnded([id]);
  expect(await server.ctx.prisma.workflowExecution.count({ where: { projectId: server.project.id } })).toBe(0);
});
