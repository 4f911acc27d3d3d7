/** WEBHOOK steps with the retries of Temporal, over skipped time and against a real receiver. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { updateWorkflow } from '../../src/domain/workflows/manage.js';
import { deleteStep } from '../../src/domain/workflows/steps.js';
import { eventually } from '../helpers/eventually.js';
import { useJourneys, type Begun } from '../helpers/executions.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { executionRow, exit, historyOf, pathOf, webhook, type GraphSpec } from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 180_000 });

const journeys = useJourneys({ WEBHOOK_ALLOW_PRIVATE: 'true', DNS_SERVERS: '' });
const HOUR = 3_600_000;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(() => receiver.stop());

beforeEach(() => {
  receiver.requests.length = 0;
  receiver.answer((response) => response.end('ok'));
});

const calling = (more: Partial<GraphSpec> = {}): GraphSpec => ({
  steps: { hook: webhook(`${receiver.origin}/hook`), fine: exit('fine'), bad: exit('bad') },
  edges: ['TRIGGER > hook', 'hook > fine', 'hook > bad : error'],
  ...more,
});

const hookOf = async ({ executionId }: Begun) => (await historyOf(journeys.ctx, executionId))[1];
const received = (count: number): Promise<void> =>
  eventually(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(count));

test('a success continues the workflow with the response in the output', async () => {
  receiver.answer((response) => response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":5}'));
  const begun = await journeys.begin(calling(), { data: { plan: 'pro' } });
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'fine' });
  expect(await hookOf(begun)).toMatchObject({
    status: 'COMPLETED',
    error: null,
    output: { outcome: 'success', statusCode: 201, json: { id: 5 } },
  });
  const [request] = receiver.requests;
  expect(receiver.requests).toHaveLength(1);
  expect(JSON.parse(request?.body ?? '')).toMatchObject({
    contact: { id: begun.contactId },
    workflow: { id: begun.graph.id },
    execution: { id: begun.executionId },
    event: { plan: 'pro' },
  });
  expect(request?.headers['webhook-id']).toBe((await hookOf(begun))?.id);
});

test.each([500, 503, 429, 408])(
  'a response of %i is retried with the same request until it succeeds',
  async (status) => {
    receiver.answer((response, _request, count) => response.writeHead(count < 2 ? status : 200).end());
    const begun = await journeys.begin(calling());
    await received(1);
    await journeys.skip(60_000);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'fine' });
    expect(receiver.requests).toHaveLength(3);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await hookOf(begun)).toMatchObject({
      status: 'COMPLETED',
      output: { attempt: 3, attempts: [{ statusCode: status }, { statusCode: status }, { statusCode: 200 }] },
    });
  },
);

test.each([400, 401, 404, 410, 422])(
  'a response of %i is final: the step fails, and its error branch is followed',
  async (status) => {
    receiver.answer((response) => response.writeHead(status).end('no'));
    const begun = await journeys.begin(calling());
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'bad' });
    expect(receiver.requests).toHaveLength(1);
    const step = await hookOf(begun);
    expect(step).toMatchObject({ status: 'FAILED', output: { statusCode: status, branch: 'error' } });
    expect(step?.error).toContain(`The receiver responded with ${status}`);
  },
);

describe('a receiver that never succeeds', () => {
  test('fails after an hour, and the error branch is followed', async () => {
    receiver.answer((response) => response.writeHead(500).end());
    const begun = await journeys.begin(calling());
    await received(1);
    await journeys.skip(HOUR / 2);
    expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ status: 'RUNNING' });
    await journeys.skip(HOUR / 2 + 60_000);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'bad' });
    expect(receiver.requests.length).toBeGreaterThan(5);
    expect(receiver.requests.length).toBeLessThan(25);
    expect((await hookOf(begun))?.error).toBe(
      `The receiver responded with 500 Internal Server Error. Gave up after ${receiver.requests.length} attempts.`,
    );
  });

  test('fails the execution if there is no error branch', async () => {
    receiver.answer((response) => response.writeHead(404).end());
    const begun = await journeys.begin(calling({ edges: ['TRIGGER > hook', 'hook > fine'] }));
    await journeys.reaches(begun.executionId, 'FAILED');
    expect((await executionRow(journeys.ctx, begun.executionId)).exitReason).toBe(
      'The receiver responded with 404 Not Found.',
    );
    expect(await pathOf(journeys.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, hook FAILED');
    // The Temporal workflow itself completes. The failure belongs to the user.
    expect(await journeys.handle(begun.executionId).result()).toBe('FAILED');
  });

  test('gets no request until its Retry-After has passed', async () => {
    receiver.answer((response, _request, count) =>
      response.writeHead(count === 0 ? 429 : 200, { 'retry-after': '300' }).end(),
    );
    const begun = await journeys.begin(calling());
    await received(1);
    await eventually(async () => expect((await hookOf(begun))?.output).toMatchObject({ outcome: 'retry' }));
    await journeys.skip(240_000);
    expect(receiver.requests).toHaveLength(1);
    await journeys.skip(120_000);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(receiver.requests).toHaveLength(2);
  });
});

test('a step that is deleted with splice sends no more retries, and the workflow continues', async () => {
  receiver.answer((response) => response.writeHead(500).end());
  const begun = await journeys.begin(calling());
  await received(1);
  const [{ id: stepId } = { id: '' }] = await journeys.ctx.prisma.workflowStep.findMany({
    where: { workflowId: begun.graph.id, name: 'hook' },
  });
  await updateWorkflow(journeys.ctx, begun.projectId, begun.graph.id, { enabled: false });
  await deleteStep(journeys.ctx, begun.projectId, begun.graph.id, stepId, { splice: true });
  await journeys.skip(10 * 60_000);
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'fine' });
  expect(await pathOf(journeys.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, hook SKIPPED, fine COMPLETED');
});
