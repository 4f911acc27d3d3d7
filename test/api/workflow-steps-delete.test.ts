import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { eventually } from '../helpers/eventually.js';
import { workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { chain, connect, execution, read, step, template, workflow } = workflowHelpers(api);

const BAD_REQUEST = { status: 400, code: 'BAD_REQUEST' };
const CONFLICT = { status: 409, code: 'CONFLICT' };
const STEP_NOT_FOUND = { status: 404, code: 'STEP_NOT_FOUND' };

const remove = (project: TestProject, id: string, stepId: string, query = '') =>
  api.as(project, 'DELETE', `/workflows/${id}/steps/${stepId}${query}`);

async function fresh() {
  const project = await api.project();
  return { project, made: await workflow(project) };
}

describe('DELETE /workflows/:id/steps/:stepId', () => {
  const pairs = async (project: TestProject, id: string) =>
    (await read(project, id)).transitions.map(({ fromStepId, toStepId, branch }) => [fromStepId, toStepId, branch]);

  test('deletes it with its transitions and returns 204 without a body; later steps stay', async () => {
    const { project, made } = await fresh();
    const [first = '', second = '', third = ''] = await chain(project, made, 'DELAY', 'UPDATE_CONTACT', 'EXIT');
    const response = await remove(project, made.id, first);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect((await read(project, made.id)).steps.map(({ id }) => id)).toEqual([made.triggerId, second, third]);
    expect(await pairs(project, made.id)).toEqual([[second, third, null]]);
    expect(refused(await remove(project, made.id, first))).toEqual(STEP_NOT_FOUND);
    expect((await remove(project, made.id, second, '?splice=false')).statusCode).toBe(204);
    expect(await pairs(project, made.id)).toEqual([]);
  });

  test('with splice=true, its predecessors join its successor on their branches', async () => {
    const { project, made } = await fresh();
    const [condition = ''] = await chain(project, made, 'CONDITION');
    const [middle, exit] = [await step(project, made.id, 'DELAY'), await step(project, made.id, 'EXIT')];
    const yes = await connect(project, made.id, condition, middle, 'yes');
    const no = await connect(project, made.id, condition, middle, 'no');
    await connect(project, made.id, middle, exit);
    expect((await remove(project, made.id, middle, '?splice=true')).statusCode).toBe(204);
    expect((await pairs(project, made.id)).slice(1)).toEqual([
      [condition, exit, 'yes'],
      [condition, exit, 'no'],
    ]);
    expect((await read(project, made.id)).transitions.slice(1).map(({ id }) => id)).toEqual([yes, no]);
  });

  test('with splice=true and without a successor, its transitions are deleted', async () => {
    const { project, made } = await fresh();
    const [first = '', last = ''] = await chain(project, made, 'DELAY', 'EXIT');
    expect((await remove(project, made.id, last, '?splice=true')).statusCode).toBe(204);
    expect(await pairs(project, made.id)).toEqual([[made.triggerId, first, null]]);
  });

  test('the TRIGGER is never deleted: 400', async () => {
    const { project, made } = await fresh();
    for (const query of ['', '?splice=true'])
      expect(refused(await remove(project, made.id, made.triggerId, query))).toEqual(BAD_REQUEST);
  });

  test('a CONDITION cannot be spliced out (400), and can be deleted without splice', async () => {
    const { project, made } = await fresh();
    const [condition = ''] = await chain(project, made, 'CONDITION');
    expect(refused(await remove(project, made.id, condition, '?splice=true'))).toEqual(BAD_REQUEST);
    expect((await remove(project, made.id, condition)).statusCode).toBe(204);
  });

  test('a splice that leaves a loop without a pause returns 400, and changes nothing', async () => {
    const { project, made } = await fresh();
    const [first = '', , pause = ''] = await chain(project, made, 'UPDATE_CONTACT', 'WEBHOOK', 'DELAY');
    await connect(project, made.id, pause, first);
    const before = await read(project, made.id);
    expect(refused(await remove(project, made.id, pause, '?splice=true'))).toEqual(BAD_REQUEST);
    expect(await read(project, made.id)).toEqual(before);
    expect((await remove(project, made.id, pause)).statusCode).toBe(204);
  });

  test('a splice value that is neither true nor false returns 422', async () => {
    const { project, made } = await fresh();
    expect(refused(await remove(project, made.id, await step(project, made.id, 'EXIT'), '?splice=yes'))).toMatchObject({
      status: 422,
      errors: ['splice invalid_string'],
    });
  });

  test('frees its template', async () => {
    const { project, made } = await fresh();
    const templateId = await template(project);
    const { id } = (
      await api.as(project, 'POST', `/workflows/${made.id}/steps`, { type: 'SEND_EMAIL', templateId })
    ).json();
    await remove(project, made.id, id);
    expect((await api.as(project, 'DELETE', `/templates/${templateId}`)).statusCode).toBe(204);
  });

  test('returns 409 while the workflow is enabled with active executions', async () => {
    const { project, made } = await fresh();
    const [first = ''] = await chain(project, made, 'DELAY', 'EXIT');
    await execution(project, made.id);
    expect((await api.as(project, 'PATCH', `/workflows/${made.id}`, { enabled: true })).statusCode).toBe(200);
    for (const query of ['', '?splice=true'])
      expect(refused(await remove(project, made.id, first, query))).toEqual(CONFLICT);
  });

  test('returns 404 for a step that is unknown, malformed, of another workflow, or of another project', async () => {
    const { project, made } = await fresh();
    const neighbour = await step(project, (await workflow(project)).id, 'EXIT');
    const other = await fresh();
    const foreign = await step(other.project, other.made.id, 'EXIT');
    for (const id of [newId(), 'x', neighbour, foreign])
      expect(refused(await remove(project, made.id, id))).toEqual(STEP_NOT_FOUND);
    expect(refused(await remove(project, other.made.id, foreign))).toEqual({ status: 404, code: 'WORKFLOW_NOT_FOUND' });
  });
});

describe('executions at a step that is deleted', () => {
  const state = async (id: string) => {
    const { prisma } = api.ctx;
    const row = await prisma.workflowExecution.findUniqueOrThrow({
      where: { id },
      include: { steps: { orderBy: { id: 'asc' } } },
    });
    const intents = await prisma.outbox.findMany({
      where: { workflowId: `execution:${id}` },
      select: { action: true, payload: true },
    });
    return { row, steps: row.steps, intents };
  };

  test('continue at the successor with splice, and are poked', async () => {
    const { project, made } = await fresh();
    const [wait = '', next = ''] = await chain(project, made, 'WAIT_FOR_EVENT', 'UPDATE_CONTACT');
    const at = await execution(project, made.id, { status: 'WAITING', stepId: wait });
    const elsewhere = await execution(project, made.id, { status: 'WAITING', stepId: next });
    const ended = await execution(project, made.id, { status: 'COMPLETED', stepId: wait });
    const before = [await state(elsewhere.id), await state(ended.id)];
    expect((await remove(project, made.id, wait, '?splice=true')).statusCode).toBe(204);
    const { row, steps, intents } = await state(at.id);
    expect(row).toMatchObject({
      status: 'RUNNING',
      currentStepId: next,
      waitingFor: null,
      wakeAt: null,
      exitReason: null,
      completedAt: null,
    });
    expect(steps).toMatchObject([
      {
        id: at.open,
        status: 'SKIPPED',
        stepId: wait,
        stepType: 'WAIT_FOR_EVENT',
        output: { seen: 1, summary: 'The step was deleted. The execution continues at its successor.' },
        completedAt: expect.any(Date),
      },
      {
        id: row.stepExecutionId,
        status: 'RUNNING',
        stepId: next,
        stepType: 'UPDATE_CONTACT',
        stepName: 'Update contact',
        output: null,
        completedAt: null,
      },
    ]);
    expect(intents).toEqual([
      { action: 'signal', payload: { action: 'signal', workflowId: `execution:${at.id}`, signal: 'poke' } },
    ]);
    expect([await state(elsewhere.id), await state(ended.id)]).toEqual(before);
  });

  test('end as EXITED without splice, and their Temporal workflows are canceled', async () => {
    const { project, made } = await fresh();
    const [delay = ''] = await chain(project, made, 'DELAY', 'EXIT');
    const at = await execution(project, made.id, { status: 'WAITING', stepId: delay });
    expect((await remove(project, made.id, delay)).statusCode).toBe(204);
    const { row, steps, intents } = await state(at.id);
    expect(row).toMatchObject({
      status: 'EXITED',
      exitReason: 'The current step was deleted.',
      stepExecutionId: null,
      waitingFor: null,
      wakeAt: null,
      completedAt: expect.any(Date),
    });
    expect(steps).toMatchObject([
      { status: 'SKIPPED', output: { summary: 'The current step was deleted.' }, completedAt: expect.any(Date) },
    ]);
    expect(intents).toMatchObject([
      { action: 'cancel', payload: { action: 'cancel', workflowId: `execution:${at.id}`, reason: expect.any(String) } },
    ]);
  });

  test('are COMPLETED with splice if no step follows', async () => {
    const { project, made } = await fresh();
    const [delay = ''] = await chain(project, made, 'DELAY');
    const at = await execution(project, made.id, { status: 'WAITING', stepId: delay });
    expect((await remove(project, made.id, delay, '?splice=true')).statusCode).toBe(204);
    const { row, steps, intents } = await state(at.id);
    expect(row).toMatchObject({ status: 'COMPLETED', exitReason: null, stepExecutionId: null });
    expect(steps).toMatchObject([
      { status: 'SKIPPED', output: { summary: 'The step was deleted and had no successor.' } },
    ]);
    expect(intents).toMatchObject([{ action: 'cancel' }]);
  });

  test('are found even if they are just being moved to it', async () => {
    const { project, made } = await fresh();
    const [delay = '', exit = ''] = await chain(project, made, 'DELAY', 'EXIT');
    const arriving = await execution(project, made.id, { stepId: made.triggerId });
    const client = await api.ctx.pool.connect();
    // An uncommitted move as the engine makes it: it has locked the target step.
    await client.query('BEGIN');
    await client.query(`SELECT FROM workflow_steps WHERE id = $1 FOR KEY SHARE`, [delay]);
    await client.query(`UPDATE workflow_executions SET current_step_id = $2 WHERE id = $1`, [arriving.id, delay]);
    await client.query(`UPDATE step_executions SET step_id = $2 WHERE id = $1`, [arriving.open, delay]);
    const deletion = remove(project, made.id, delay, '?splice=true');
    await eventually(async () => {
      const { rowCount } = await api.ctx.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    });
    // It started after the deletion, and its history must show that.
    await client.query(`UPDATE step_executions SET began_at = clock_timestamp() WHERE id = $1`, [arriving.open]);
    await client.query('COMMIT');
    client.release();
    expect((await deletion).statusCode).toBe(204);
    const { row, steps } = await state(arriving.id);
    expect(row).toMatchObject({ status: 'RUNNING', currentStepId: exit });
    expect(steps.toSorted((a, b) => a.beganAt.getTime() - b.beganAt.getTime()).map(({ stepId }) => stepId)).toEqual([
      delay,
      exit,
    ]);
  });
});
