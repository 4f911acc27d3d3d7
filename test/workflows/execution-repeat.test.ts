/**
 * A worker stops at any statement of any step: committed work counts once, and the next worker completes the
 * rest.
 *
 * Each journey runs once for each of its statements and loses the connection there: before the statement, and after
 * it but before its result. Then the call is repeated, as by Temporal.
 */
import { describe, expect, test, vi } from 'vitest';
import type { ApiContext } from '../../src/context.js';
import { advance, type Advance } from '../../src/domain/executions/advance.js';
import { ConnectionLost, losing, type Loss } from '../helpers/flaky-pool.js';
import { useStepper, type Begun } from '../helpers/executions.js';
import {
  condition,
  delay,
  emailsOf,
  emit,
  executionRow,
  exit,
  historyOf,
  insertTemplate,
  pathOf,
  sendTemplate,
  updateContact,
  waitFor,
  webhook,
  type GraphSpec,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const stepper = useStepper();
const DAY = 24 * 3600_000;

/** One call: its time, and what happens before it. */
interface Call {
  after?: number;
  before?: (begun: Begun) => Promise<unknown>;
  gaveUp?: true;
}

interface Journey {
  graph: () => Promise<GraphSpec>;
  calls: Call[];
  path: string;
  check?: (begun: Begun) => Promise<void>;
}

const journeys: Record<string, Journey> = {
  TRIGGER: { graph: async () => ({ steps: {}, edges: [] }), calls: [{}], path: 'TRIGGER COMPLETED' },
  EXIT: {
    graph: async () => ({ steps: { bye: exit('done') }, edges: ['TRIGGER > bye'] }),
    calls: [{}],
    path: 'TRIGGER COMPLETED, bye COMPLETED',
  },
  CONDITION: {
    graph: async () => ({
      steps: { check: condition('event.signed_up', 'triggered'), bye: exit() },
      edges: ['TRIGGER > check', 'check > bye : yes'],
    }),
    calls: [{}],
    path: 'TRIGGER COMPLETED, check COMPLETED, bye COMPLETED',
  },
  UPDATE_CONTACT: {
    graph: async () => ({
      steps: { update: updateContact({ plan: 'pro' }, 'unsubscribe') },
      edges: ['TRIGGER > update'],
    }),
    calls: [{}],
    path: 'TRIGGER COMPLETED, update COMPLETED',
    async check({ contactId }) {
      expect(await stepper.ctx.prisma.event.count({ where: { contactId, name: 'contact.unsubscribed' } })).toBe(1);
      expect(await stepper.ctx.prisma.contact.findUniqueOrThrow({ where: { id: contactId } })).toMatchObject({
        subscribed: false,
        data: { plan: 'pro' },
      });
    },
  },
  DELAY: {
    graph: async () => ({ steps: { rest: delay(1), bye: exit() }, edges: ['TRIGGER > rest', 'rest > bye'] }),
    calls: [{}, { after: DAY }],
    path: 'TRIGGER COMPLETED, rest COMPLETED, bye COMPLETED',
  },
  'WAIT_FOR_EVENT, with an event': {
    graph: async () => ({
      steps: { wait: waitFor('bought', 60), bye: exit() },
      edges: ['TRIGGER > wait', 'wait > bye'],
    }),
    calls: [{}, { before: ({ projectId, contactId }) => emit(stepper.ctx, projectId, contactId, 'bought', { n: 1 }) }],
    path: 'TRIGGER COMPLETED, wait COMPLETED, bye COMPLETED',
    async check({ executionId }) {
      expect((await executionRow(stepper.ctx, executionId)).context).toEqual({ n: 1 });
    },
  },
  'WAIT_FOR_EVENT, with an event before it': {
    graph: async () => ({
      steps: { wait: waitFor('bought', 60), again: waitFor('bought', 60) },
      edges: ['TRIGGER > wait', 'wait > again'],
    }),
    calls: [{ before: ({ projectId, contactId }) => emit(stepper.ctx, projectId, contactId, 'bought') }],
    path: 'TRIGGER COMPLETED, wait COMPLETED, again WAITING',
  },
  'WAIT_FOR_EVENT, with a timeout': {
    graph: async () => ({
      steps: { wait: waitFor('bought', 60), bye: exit() },
      edges: ['TRIGGER > wait', 'wait > bye : timeout'],
    }),
    calls: [{}, { after: 60_000 }],
    path: 'TRIGGER COMPLETED, wait COMPLETED, bye COMPLETED',
  },
  WEBHOOK: {
    graph: async () => ({
      steps: { hook: webhook('https://receiver.test/'), bye: exit() },
      edges: ['TRIGGER > hook', 'hook > bye : error'],
    }),
    calls: [{}, { gaveUp: true }],
    path: 'TRIGGER COMPLETED, hook FAILED, bye COMPLETED',
  },
};

/** Runs a journey and repeats lost calls. @returns the number of statements */
async function travel({ calls }: Journey, begun: Begun, loss: Loss): Promise<number> {
  const { pool, asked } = losing(stepper.ctx.pool, loss);
  const ctx: ApiContext = { ...stepper.ctx, pool };
  let answer: Advance | undefined;
  for (const [index, { after = 0, before, gaveUp }] of calls.entries()) {
    await before?.(begun);
    const gaveUpOn = gaveUp && answer?.kind === 'webhook' ? answer.stepExecutionId : undefined;
    const input = {
      projectId: begun.projectId,
      executionId: begun.executionId,
      now: Date.now() + after,
      first: index === 0,
      gaveUpOn,
    };
    const call = (): Promise<Advance> => advance(ctx, input);
    try {
      answer = await call();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      answer = await call();
    }
  }
  return asked();
}

const onlyOnce = async ({ executionId }: Begun): Promise<void> => {
  const history = await historyOf(stepper.ctx, executionId);
  expect(new Set(history.map(({ step }) => step)).size).toBe(history.length);
};

describe.each(Object.entries(journeys))('a worker that dies at any statement of %s', (_, journey) => {
  test.each(['before', 'after'] as const)('%s it is executed', async (when) => {
    for (let at = 1; ; at++) {
      const begun = await stepper.begin(await journey.graph());
      const asked = await travel(journey, begun, { at, when });
      expect(await pathOf(stepper.ctx, begun.executionId), `at statement ${at}`).toBe(journey.path);
      await onlyOnce(begun);
      await journey.check?.(begun);
      // There was no further statement.
      if (asked < at) {
        expect(at).toBeGreaterThan(1);
        break;
      }
    }
  });
});

describe('a worker that dies at any statement of SEND_EMAIL', () => {
  test.each(['before', 'after'] as const)('%s it is executed sends one email', async (when) => {
    for (let at = 1; ; at++) {
      const project = await stepper.project();
      const templateId = await insertTemplate(stepper.ctx, project);
      const begun = await stepper.begin(
        { steps: { hello: sendTemplate(templateId), bye: exit() }, edges: ['TRIGGER > hello', 'hello > bye'] },
        { project },
      );
      const asked = await travel({ graph: async () => ({ steps: {}, edges: [] }), calls: [{}], path: '' }, begun, {
        at,
        when,
      });
      expect(await pathOf(stepper.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, hello COMPLETED, bye COMPLETED');
      expect(await emailsOf(stepper.ctx, begun.executionId)).toHaveLength(1);
      if (asked < at) {
        expect(at).toBeGreaterThan(2);
        break;
      }
    }
  });
});

test('concurrent calls, such as after a timeout of the activity, run every step once', async () => {
  for (let round = 0; round < 10; round++) {
    const project = await stepper.project();
    const templateId = await insertTemplate(stepper.ctx, project);
    const begun = await stepper.begin(
      {
        steps: {
          check: condition('event.signed_up', 'triggered'),
          hello: sendTemplate(templateId),
          update: updateContact({}, 'unsubscribe'),
          wait: waitFor('bought', 60),
          rest: delay(1),
        },
        edges: ['TRIGGER > check', 'check > hello : yes', 'hello > update', 'update > wait', 'wait > rest'],
      },
      { project },
    );
    const all = (after: number) => Promise.all(Array.from({ length: 4 }, () => stepper.advance(begun, { after })));
    await all(0);
    await emit(stepper.ctx, begun.projectId, begun.contactId, 'bought');
    await all(0);
    expect(await pathOf(stepper.ctx, begun.executionId)).toBe(
      'TRIGGER COMPLETED, check COMPLETED, hello COMPLETED, update COMPLETED, wait COMPLETED, rest WAITING',
    );
    expect(await emailsOf(stepper.ctx, begun.executionId)).toHaveLength(1);
    expect(
      await stepper.ctx.prisma.event.count({ where: { contactId: begun.contactId, name: 'contact.unsubscribed' } }),
    ).toBe(1);
  }
});

test('a call after the end of an execution changes nothing', async () => {
  const begun = await stepper.begin({ steps: { bye: exit('done') }, edges: ['TRIGGER > bye'] });
  await stepper.advance(begun);
  const row = await executionRow(stepper.ctx, begun.executionId);
  expect(await stepper.advance(begun, { after: DAY })).toEqual({ kind: 'ended', outcome: 'EXITED' });
  expect(await executionRow(stepper.ctx, begun.executionId)).toEqual(row);
});
