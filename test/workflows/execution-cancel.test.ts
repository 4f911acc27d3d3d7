/** Canceled is final: in each state, through the API and in Temporal, and after later events. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { deleteContact } from '../../src/domain/contacts/delete.js';
import { advance } from '../../src/domain/executions/advance.js';
import { cancelExecution } from '../../src/domain/executions/cancel.js';
import { eventually } from '../helpers/eventually.js';
import { useJourneys, type Begun } from '../helpers/executions.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import {
  delay,
  emit,
  executionRow,
  exit,
  pathOf,
  updateContact,
  waitFor,
  webhook,
  type GraphSpec,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 180_000 });

const journeys = useJourneys({ WEBHOOK_ALLOW_PRIVATE: 'true', DNS_SERVERS: '' });
const DAY = 24 * 3600_000;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(() => receiver.stop());

interface State {
  graph: () => GraphSpec;
  /** Brings the execution into the state. @returns a function that releases it */
  reach: (begun: Begun) => Promise<() => Promise<void>>;
  path: string;
  /**
   * The test server's clock stops after an activity that ends later than its Temporal workflow, so such a test runs
   * last.
   */
  clockStands?: true;
}

const nothing = async (): Promise<void> => undefined;

const states: Record<string, State> = {
  'in a delay': {
    graph: () => ({ steps: { rest: delay(1), bye: exit() }, edges: ['TRIGGER > rest', 'rest > bye'] }),
    async reach({ executionId }) {
      await journeys.waitsAt(executionId, 'rest');
      return nothing;
    },
    path: 'TRIGGER COMPLETED, rest CANCELLED',
  },
  'in a wait': {
    graph: () => ({
      steps: { wait: waitFor('bought', 24 * 3600), bye: exit() },
      edges: ['TRIGGER > wait', 'wait > bye'],
    }),
    async reach({ executionId }) {
      await journeys.waitsAt(executionId, 'wait');
      return nothing;
    },
    path: 'TRIGGER COMPLETED, wait CANCELLED',
  },
  'in a running step': {
    graph: () => ({
      steps: { update: updateContact({ plan: 'pro' }, 'unsubscribe'), bye: exit() },
      edges: ['TRIGGER > update', 'update > bye'],
    }),
    /** Another transaction has locked the contact, and the step waits for it. */
    async reach({ executionId, contactId }) {
      const holder = await journeys.ctx.pool.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [contactId]);
      await journeys.ctx.prisma.workflowExecution.findUniqueOrThrow({ where: { id: executionId } });
      return async () => {
        await holder.query('COMMIT');
        holder.release();
      };
    },
    path: 'TRIGGER COMPLETED, update CANCELLED',
  },
  'while a webhook request is in flight': {
    graph: () => ({
      steps: { hook: webhook(`${receiver.origin}/hook`), bye: exit() },
      edges: ['TRIGGER > hook', 'hook > bye'],
    }),
    async reach() {
      const answers: Array<() => void> = [];
      receiver.requests.length = 0;
      receiver.answer((response) => answers.push(() => response.end('late')));
      await eventually(() => expect(receiver.requests).toHaveLength(1));
      return async () => {
        for (const answer of answers) answer();
      };
    },
    path: 'TRIGGER COMPLETED, hook CANCELLED',
    clockStands: true,
  },
};

async function reached({ graph, reach }: State): Promise<{ begun: Begun; letGo: () => Promise<void> }> {
  const begun = await journeys.begin(graph());
  return { begun, letGo: await reach(begun) };
}

/** Later events: an event, a poke, and a long time. */
async function expectNoLaterEffect(begun: Begun, { clockStands }: State): Promise<void> {
  await emit(journeys.ctx, begun.projectId, begun.contactId, 'bought');
  if (!clockStands) await journeys.skip(2 * DAY);
  const key = { projectId: begun.projectId, executionId: begun.executionId };
  expect(await advance(journeys.ctx, { ...key, now: Date.now() + 10 * DAY })).toEqual({
    kind: 'ended',
    outcome: 'CANCELLED',
  });
}

/** Waits until the step has started. */
const waitUntilStarted = ({ executionId }: Begun, path: string): Promise<void> =>
  eventually(async () =>
    expect((await pathOf(journeys.ctx, executionId)).replace(/WAITING|RUNNING/, 'CANCELLED')).toBe(path),
  );

async function isOver(begun: Begun, state: State, reason: string): Promise<void> {
  const { executionId, contactId } = begun;
  const { path } = state;
  await eventually(async () => expect((await journeys.handle(executionId).describe()).status.name).toBe('CANCELLED'), {
    within: 60_000,
  });
  expect(await pathOf(journeys.ctx, executionId)).toBe(path);
  const row = await executionRow(journeys.ctx, executionId);
  expect(row).toMatchObject({
    status: 'CANCELLED',
    exitReason: reason,
    waitingFor: null,
    wakeAt: null,
    stepExecutionId: null,
    completedAt: expect.any(Date),
  });
  await expectNoLaterEffect(begun, state);
  expect(await executionRow(journeys.ctx, executionId)).toEqual(row);
  expect(await pathOf(journeys.ctx, executionId)).toBe(path);
  expect(await journeys.ctx.prisma.contact.findUniqueOrThrow({ where: { id: contactId } })).toMatchObject({
    subscribed: true,
    data: {},
  });
}

test('deleting a contact ends the Temporal workflow of its waiting execution', async () => {
  const { begun } = await reached({
    graph: () => ({ steps: { wait: waitFor('bought') }, edges: ['TRIGGER > wait'] }),
    reach: async () => nothing,
    path: '',
  });
  await journeys.waitsAt(begun.executionId, 'wait');
  await deleteContact(journeys.ctx, begun.projectId, begun.contactId);
  await eventually(async () =>
    expect((await journeys.handle(begun.executionId).describe()).status.name).toBe('CANCELLED'),
  );
  expect(await journeys.ctx.prisma.workflowExecution.count({ where: { id: begun.executionId } })).toBe(0);
});

test('a disabled project ends a waiting execution when it wakes, at the latest', async () => {
  const { begun } = await reached({
    graph: () => ({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] }),
    reach: async () => nothing,
    path: '',
  });
  await journeys.waitsAt(begun.executionId, 'rest');
  await journeys.ctx.prisma.project.update({ where: { id: begun.projectId }, data: { disabled: true } });
  await journeys.skip(DAY);
  await journeys.reaches(begun.executionId, 'CANCELLED');
  expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'The project is disabled.' });
});

describe.each(Object.entries(states))('an execution that is canceled %s', (_, state) => {
  test('by the API ends its Temporal workflow and stays canceled', async () => {
    const { begun, letGo } = await reached(state);
    await waitUntilStarted(begun, state.path);
    await cancelExecution(journeys.ctx, begun.projectId, begun.graph.id, begun.executionId);
    expect(await pathOf(journeys.ctx, begun.executionId)).toBe(state.path);
    // A step that ends before the cancellation reaches Temporal completes the workflow, as its row has ended.
    await eventually(async () =>
      expect(await journeys.ctx.prisma.outbox.count({ where: { workflowId: `execution:${begun.executionId}` } })).toBe(
        0,
      ),
    );
    await letGo();
    await isOver(begun, state, 'Canceled through the API.');
  });

  test('in Temporal is CANCELLED in its row and stays canceled', async () => {
    const { begun, letGo } = await reached(state);
    await waitUntilStarted(begun, state.path);
    await journeys.handle(begun.executionId).cancel();
    await eventually(
      async () => expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ status: 'CANCELLED' }),
      { within: 60_000 },
    );
    await letGo();
    await isOver(begun, state, 'Canceled in Temporal.');
  });
});
