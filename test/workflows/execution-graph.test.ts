/** Changes during an execution: of the graph, the contact, the project, and its own row. */
import { describe, expect, test, vi } from 'vitest';
import { deleteContact } from '../../src/domain/contacts/delete.js';
import { executionStart } from '../../src/domain/executions/intents.js';
import { updateWorkflow } from '../../src/domain/workflows/manage.js';
import { deleteStep, updateStep } from '../../src/domain/workflows/steps.js';
import { newId } from '../../src/ids.js';
import { eventually } from '../helpers/eventually.js';
import { useStepper, type Begun } from '../helpers/executions.js';
import {
  condition,
  delay,
  emailsOf,
  executionRow,
  exit,
  historyOf,
  insertEdge,
  insertTemplate,
  pathOf,
  sendTemplate,
  startByApi,
  updateContact,
  waitFor,
  webhook,
  insertContact,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stepper = useStepper();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const row = ({ executionId }: Begun) => executionRow(stepper.ctx, executionId);
const path = ({ executionId }: Begun) => pathOf(stepper.ctx, executionId);
const disable = ({ projectId, graph }: Begun) => updateWorkflow(stepper.ctx, projectId, graph.id, { enabled: false });

function stepId({ graph }: Begun, name: string): string {
  const id = graph.steps[name];
  if (!id) throw new Error(`There is no step ${name}`);
  return id;
}

describe('the graph is read when a step is reached', () => {
  test('an edit while the execution waits applies to the steps after the wait', async () => {
    const begun = await stepper.begin({
      steps: { rest: delay(1), bye: exit('old') },
      edges: ['TRIGGER > rest', 'rest > bye'],
    });
    await stepper.advance(begun);
    await disable(begun);
    await updateStep(stepper.ctx, begun.projectId, begun.graph.id, stepId(begun, 'bye'), { config: { reason: 'new' } });
    await updateWorkflow(stepper.ctx, begun.projectId, begun.graph.id, { enabled: true });
    await stepper.advance(begun, { after: DAY });
    expect(await row(begun)).toMatchObject({ status: 'EXITED', exitReason: 'new' });
  });

  test('a delay and a wait that have started keep their settings', async () => {
    const begun = await stepper.begin({
      steps: { rest: delay(1), wait: waitFor('bought', 3600) },
      edges: ['TRIGGER > rest', 'rest > wait'],
    });
    await stepper.advance(begun);
    await disable(begun);
    await updateStep(stepper.ctx, begun.projectId, begun.graph.id, stepId(begun, 'rest'), {
      config: { amount: 5, unit: 'days' },
    });
    expect(await stepper.advance(begun, { after: DAY })).toMatchObject({ kind: 'wait' });
    await updateStep(stepper.ctx, begun.projectId, begun.graph.id, stepId(begun, 'wait'), {
      config: { eventName: 'looked', timeout: 60 },
    });
    expect(await stepper.advance(begun, { after: DAY + HOUR - 1000 })).toMatchObject({ kind: 'wait' });
    await stepper.advance(begun, { after: DAY + HOUR + 1000 });
    expect((await historyOf(stepper.ctx, begun.executionId)).at(-1)?.summary).toMatch(
      /^The event "bought" did not occur within 1 hour\./,
    );
  });

  test('a transition that is added while the execution waits is followed', async () => {
    const begun = await stepper.begin({ steps: { rest: delay(1), bye: exit('added') }, edges: ['TRIGGER > rest'] });
    await stepper.advance(begun);
    await insertEdge(stepper.ctx, begun.graph, 'rest > bye');
    await stepper.advance(begun, { after: DAY });
    expect(await row(begun)).toMatchObject({ exitReason: 'added' });
  });

  test('a disabled workflow does not stop its executions', async () => {
    const begun = await stepper.begin({
      steps: { rest: delay(1), bye: exit() },
      edges: ['TRIGGER > rest', 'rest > bye'],
    });
    await stepper.advance(begun);
    await disable(begun);
    await stepper.advance(begun, { after: DAY });
    expect(await row(begun)).toMatchObject({ status: 'EXITED' });
  });

  test('a step without a transition ends the execution as COMPLETED', async () => {
    const begun = await stepper.begin({ steps: { update: updateContact({ a: 1 }) }, edges: ['TRIGGER > update'] });
    expect(await stepper.advance(begun)).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(await row(begun)).toMatchObject({
      status: 'COMPLETED',
      exitReason: null,
      stepExecutionId: null,
      currentStepId: stepId(begun, 'update'),
      completedAt: expect.any(Date),
    });
  });

  test('a trigger without a transition ends the execution as COMPLETED', async () => {
    const begun = await stepper.begin({ steps: {}, edges: [] });
    await stepper.advance(begun);
    expect(await row(begun)).toMatchObject({ status: 'COMPLETED' });
    expect(await historyOf(stepper.ctx, begun.executionId)).toMatchObject([
      { step: 'TRIGGER', status: 'COMPLETED', summary: 'Started by the event "signed_up".' },
    ]);
  });
});

describe('the deletion of a step during an execution', () => {
  const spec = {
    steps: { rest: delay(1), check: delay(2), bye: exit('end') },
    edges: ['TRIGGER > rest', 'rest > check', 'check > bye'],
  };

  test('with splice continues the execution at the successor', async () => {
    const begun = await stepper.begin(spec);
    await stepper.advance(begun);
    await disable(begun);
    await deleteStep(stepper.ctx, begun.projectId, begun.graph.id, stepId(begun, 'rest'), { splice: true });
    expect(await stepper.advance(begun)).toMatchObject({ kind: 'sleep', at: 'DELAY "check"' });
    expect(await path(begun)).toBe('TRIGGER COMPLETED, rest SKIPPED, check WAITING');
  });

  test('without splice ends the execution with the reason', async () => {
    const begun = await stepper.begin(spec);
    await stepper.advance(begun);
    await disable(begun);
    await deleteStep(stepper.ctx, begun.projectId, begun.graph.id, stepId(begun, 'rest'), { splice: false });
    expect(await stepper.advance(begun, { after: DAY })).toEqual({ kind: 'ended', outcome: 'EXITED' });
    expect(await row(begun)).toMatchObject({ status: 'EXITED', exitReason: 'The current step was deleted.' });
  });

  test('directly in the database ends the execution in the same way', async () => {
    const begun = await stepper.begin(spec);
    await stepper.advance(begun);
    await stepper.ctx.prisma.workflowStep.delete({ where: { id: stepId(begun, 'rest') } });
    expect(await stepper.advance(begun)).toEqual({ kind: 'ended', outcome: 'EXITED' });
    expect(await row(begun)).toMatchObject({
      status: 'EXITED',
      exitReason: 'The current step was deleted.',
      wakeAt: null,
    });
    expect(await path(begun)).toBe('TRIGGER COMPLETED, rest CANCELLED');
  });

  test('during a move to the step waits for the move, or the move waits for it, and neither is lost', async () => {
    for (let round = 0; round < 15; round++) {
      const begun = await stepper.begin({
        ...spec,
        steps: { ...spec.steps, rest: condition('event.signed_up', 'triggered') },
        edges: ['TRIGGER > rest', 'rest > check : yes', 'check > bye'],
      });
      await disable(begun);
      const [answer] = await Promise.all([
        stepper.advance(begun),
        deleteStep(stepper.ctx, begun.projectId, begun.graph.id, stepId(begun, 'check'), { splice: true }),
      ]);
      const last = answer.kind === 'ended' ? answer : await stepper.advance(begun);
      expect(last).toEqual({ kind: 'ended', outcome: 'EXITED' });
      expect(await row(begun)).toMatchObject({ exitReason: 'end' });
    }
  });

  test('that blocks a move to the step makes the move read the graph again and follow the new transition', async () => {
    const begun = await stepper.begin({
      ...spec,
      steps: { ...spec.steps, rest: condition('event.signed_up', 'triggered') },
      edges: ['TRIGGER > rest', 'rest > check : yes', 'check > bye'],
    });
    const holder = await stepper.ctx.pool.connect();
    await holder.query('BEGIN');
    await holder.query('UPDATE workflow_transitions SET to_step_id = $2 WHERE workflow_id = $1 AND to_step_id = $3', [
      begun.graph.id,
      stepId(begun, 'bye'),
      stepId(begun, 'check'),
    ]);
    await holder.query('DELETE FROM workflow_steps WHERE id = $1', [stepId(begun, 'check')]);
    const advancing = stepper.advance(begun);
    await eventually(async () => {
      const { rows } = await stepper.ctx.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });
    await holder.query('COMMIT');
    holder.release();
    expect(await advancing).toEqual({ kind: 'ended', outcome: 'EXITED' });
    expect(await path(begun)).toBe('TRIGGER COMPLETED, rest COMPLETED, bye COMPLETED');
  });
});

describe('the dependencies of an execution', () => {
  test('a deleted contact deletes a waiting and a running execution', async () => {
    const begun = await stepper.begin({ steps: { wait: waitFor('bought', 60) }, edges: ['TRIGGER > wait'] });
    await stepper.advance(begun);
    await deleteContact(stepper.ctx, begun.projectId, begun.contactId);
    expect(await stepper.advance(begun)).toEqual({ kind: 'ended', outcome: 'GONE' });

    const project = await stepper.project();
    const templateId = await insertTemplate(stepper.ctx, project);
    for (let round = 0; round < 10; round++) {
      const running = await stepper.begin(
        {
          steps: { hello: sendTemplate(templateId), update: updateContact({}, 'unsubscribe'), wait: waitFor('bought') },
          edges: ['TRIGGER > hello', 'hello > update', 'update > wait'],
        },
        { project },
      );
      await Promise.all([stepper.advance(running), deleteContact(stepper.ctx, project.id, running.contactId)]);
      expect(await stepper.advance(running)).toEqual({ kind: 'ended', outcome: 'GONE' });
    }
  });

  test('a disabled project cancels the execution with the reason', async () => {
    const begun = await stepper.begin({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
    await stepper.advance(begun);
    await stepper.ctx.prisma.project.update({ where: { id: begun.projectId }, data: { disabled: true } });
    expect(await stepper.advance(begun)).toEqual({ kind: 'ended', outcome: 'CANCELLED' });
    expect(await row(begun)).toMatchObject({ status: 'CANCELLED', exitReason: 'The project is disabled.' });
    expect(await path(begun)).toBe('TRIGGER COMPLETED, rest CANCELLED');
  });

  test('a project that is disabled before the first step cancels the execution', async () => {
    const begun = await stepper.begin({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
    await stepper.ctx.prisma.project.update({ where: { id: begun.projectId }, data: { disabled: true } });
    expect(await stepper.advance(begun)).toEqual({ kind: 'ended', outcome: 'CANCELLED' });
    expect(await historyOf(stepper.ctx, begun.executionId)).toEqual([]);
  });

  test('an unknown execution, or one of another project, is ignored', async () => {
    const begun = await stepper.begin({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
    expect(await stepper.advance({ projectId: begun.projectId, executionId: newId() })).toEqual({
      kind: 'ended',
      outcome: 'GONE',
    });
    expect(await stepper.advance({ projectId: newId(), executionId: begun.executionId })).toEqual({
      kind: 'ended',
      outcome: 'GONE',
    });
    expect(await historyOf(stepper.ctx, begun.executionId)).toEqual([]);
  });

  test('the template has its version at the time when the step is reached', async () => {
    const project = await stepper.project();
    const [first, second] = [
      await insertTemplate(stepper.ctx, project, { subject: 'First' }),
      await insertTemplate(stepper.ctx, project, { subject: 'Second' }),
    ];
    const begun = await stepper.begin(
      { steps: { rest: delay(1), hello: sendTemplate(first) }, edges: ['TRIGGER > rest', 'rest > hello'] },
      { project },
    );
    await stepper.advance(begun);
    await disable(begun);
    await updateStep(stepper.ctx, project.id, begun.graph.id, stepId(begun, 'hello'), { templateId: second });
    await stepper.ctx.prisma.template.delete({ where: { id: first } });
    await stepper.advance(begun, { after: DAY });
    expect(await emailsOf(stepper.ctx, begun.executionId)).toMatchObject([{ templateId: second }]);
  });
});

describe('the clock', () => {
  test('a delay keeps its length after any number of calls, and the next one begins when it ends', async () => {
    const begun = await stepper.begin({
      steps: { one: delay(3, 'hours'), two: delay(1, 'weeks') },
      edges: ['TRIGGER > one', 'one > two'],
    });
    const first = await stepper.advance(begun);
    expect(await stepper.advance(begun, { after: 2 * HOUR })).toEqual(first);
    const woken = Date.now();
    const second = await stepper.advance(begun, { after: 4 * HOUR });
    expect(second.kind === 'sleep' && Math.abs(second.until - (woken + 4 * HOUR + 7 * DAY)) < 60_000).toBe(true);
    expect(await row(begun)).toMatchObject({
      status: 'WAITING',
      wakeAt: new Date(second.kind === 'sleep' ? second.until : 0),
    });
  });

  test('a delay as the last step completes the execution when it ends', async () => {
    const begun = await stepper.begin({ steps: { rest: delay(365) }, edges: ['TRIGGER > rest'] });
    await stepper.advance(begun);
    expect(await stepper.advance(begun, { after: 365 * DAY })).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect((await historyOf(stepper.ctx, begun.executionId)).at(-1)?.summary).toMatch(/^Waited 365 days, until /);
  });

  test('instant steps beyond the maximum of one call run in the next call', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `step${n}`);
    const begun = await stepper.begin({
      steps: Object.fromEntries(names.map((name, n) => [name, updateContact({ n })])),
      edges: ['TRIGGER > step0', ...names.slice(1).map((name, n) => `step${n} > ${name}`)],
    });
    expect(await stepper.advance(begun)).toEqual({ kind: 'more' });
    expect(await stepper.advance(begun)).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(await historyOf(stepper.ctx, begun.executionId)).toHaveLength(61);
  });
});

test('a webhook step requests its call until it has an outcome, and then continues', async () => {
  const begun = await stepper.begin({
    steps: { hook: webhook('https://receiver.test/'), fine: exit('fine'), bad: exit('bad') },
    edges: ['TRIGGER > hook', 'hook > fine', 'hook > bad : error'],
  });
  const asked = await stepper.advance(begun);
  expect(asked).toMatchObject({ kind: 'webhook' });
  expect(await stepper.advance(begun)).toEqual(asked);
  // The result of another step's earlier request does not apply to this step.
  expect(await stepper.advance(begun, { gaveUpOn: newId() })).toEqual(asked);
  await stepper.advance(begun, { gaveUpOn: asked.kind === 'webhook' ? asked.stepExecutionId : '' });
  expect(await row(begun)).toMatchObject({ status: 'EXITED', exitReason: 'bad' });
});

test('a start through the API differs from one by an event and has its context', async () => {
  const { graph, projectId } = await stepper.begin({
    steps: { check: condition('workflow.coupon', 'equals', 'A'), bye: exit('coupon') },
    edges: ['TRIGGER > check', 'check > bye : yes'],
  });
  const executionId = await startByApi(stepper.ctx, graph, await insertContact(stepper.ctx, projectId), {
    coupon: 'A',
  });
  await stepper.advance({ projectId, executionId });
  expect(await executionRow(stepper.ctx, executionId)).toMatchObject({
    exitReason: 'coupon',
    context: { coupon: 'A' },
  });
  expect((await historyOf(stepper.ctx, executionId))[0]).toMatchObject({
    step: 'TRIGGER',
    output: { summary: 'Started through the API.' },
  });
});

test('an event writes the same intent as the code', async () => {
  const execution = { id: newId(), projectId: newId(), workflowId: newId(), contactId: newId() };
  const { rows } = await stepper.ctx.pool.query<{ intent: unknown }>(
    'SELECT execution_start($1, $2, $3, $4) AS intent',
    [execution.id, execution.projectId, execution.workflowId, execution.contactId],
  );
  expect(rows[0]?.intent).toEqual(executionStart(execution));
});
