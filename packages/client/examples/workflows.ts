/** Workflows as an editor saves them: as a whole, and not over the change of another editor. */
import { SendloomError, unwrap, type Schemas, type SendloomClient } from '../src/index.js';

/** Saves a graph that waits a day after a signup, unless the workflow has changed since it was read. */
export async function saveGraph(sendloom: SendloomClient) {
  const { id } = unwrap(await sendloom.POST('/workflows', { body: { name: 'Welcome', eventName: 'signup' } }));
  const path = { id };
  const read = await sendloom.GET('/workflows/{id}', { params: { path } });
  const etag = read.response.headers.get('ETag') ?? '*';
  const body: Schemas['WorkflowGraphInput'] = {
    steps: [
      { key: 'start', type: 'TRIGGER' },
      { key: 'wait', type: 'DELAY', name: 'A day', config: { amount: 1, unit: 'days' } },
      { key: 'end', type: 'EXIT' },
    ],
    transitions: [
      { from: 'start', to: 'wait' },
      { from: 'wait', to: 'end' },
    ],
  };
  const { problems } = unwrap(await sendloom.POST('/workflows/{id}/validate', { params: { path }, body }));
  const save = () => sendloom.PUT('/workflows/{id}/graph', { params: { path, header: { 'If-Match': etag } }, body });
  const { keys } = unwrap(await save());
  const second = await save();
  if (!second.error) throw new Error('The second save overwrote the first.');
  return { id, problems, keys, secondSave: new SendloomError(second.response, second.error).code };
}

/** The share of each step's executions that waits there now. */
export async function showFigures(sendloom: SendloomClient, id: string) {
  const params = { path: { id }, query: { from: '2026-01-01' } };
  const { executions, steps } = unwrap(await sendloom.GET('/workflows/{id}/stats', { params }));
  const waiting = Object.values(steps).map(({ waiting: count, entered }) => `${count} of ${entered}`);
  return { active: executions.active, waiting };
}

/** Ends the waits of the executions at a step, page by page. */
export async function skipWaits(sendloom: SendloomClient, id: string, stepId: string) {
  let skipped = 0;
  for (let cursor: string | undefined; ;) {
    const query = { stepId, status: 'WAITING' as const, pageSize: 100, cursor };
    const page = unwrap(await sendloom.GET('/workflows/{id}/executions', { params: { path: { id }, query } }));
    for (const { id: executionId } of page.data) {
      const path = { id, executionId };
      const { error } = await sendloom.POST('/workflows/{id}/executions/{executionId}/skip-wait', { params: { path } });
      if (!error) skipped += 1;
    }
    if (page.cursor === null) return skipped;
    cursor = page.cursor;
  }
}

/** Makes a copy to try a change on. */
export async function duplicateWorkflow(sendloom: SendloomClient, id: string) {
  return unwrap(await sendloom.POST('/workflows/{id}/duplicate', { params: { path: { id } } })).name;
}
