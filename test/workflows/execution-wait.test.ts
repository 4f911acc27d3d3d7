/**
 * WAIT_FOR_EVENT: which event ends which wait, and when an event is too late. The tests pass the time to
 * `advance`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { eventually } from '../helpers/eventually.js';
import { useStepper, type Begun } from '../helpers/executions.js';
import {
  condition,
  delay,
  emit,
  executionRow,
  exit,
  historyOf,
  pathOf,
  waitFor,
  type GraphSpec,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stepper = useStepper();
const HOUR = 3_600_000;

const waiting = (timeout?: number): GraphSpec => ({
  steps: { wait: waitFor('bought', timeout), bought: exit('bought'), late: exit('late') },
  edges: ['TRIGGER > wait', 'wait > bought', ...(timeout === undefined ? [] : ['wait > late : timeout'])],
});

const outcome = async ({ executionId }: Begun): Promise<string | null> =>
  (await executionRow(stepper.ctx, executionId)).exitReason;
const bought = ({ projectId, contactId }: Begun, data: Record<string, unknown> = {}, at?: Date) =>
  emit(stepper.ctx, projectId, contactId, 'bought', data, at);
/** The start of the step execution, by the clock of the database. */
const beganAt = async ({ executionId }: Begun, step: string): Promise<Date> =>
  (await stepper.ctx.prisma.stepExecution.findFirstOrThrow({ where: { executionId, stepName: step } })).beganAt;
const pokes = ({ executionId }: Begun) =>
  stepper.ctx.prisma.outbox.findMany({ where: { workflowId: `execution:${executionId}`, action: 'signal' } });

async function waits(timeout?: number, options: Parameters<typeof stepper.begin>[1] = {}): Promise<Begun> {
  const begun = await stepper.begin(waiting(timeout), options);
  expect(await stepper.advance(begun)).toMatchObject({ kind: 'wait' });
  return begun;
}

describe('while it waits', () => {
  test('the row shows the event and the timeout', async () => {
    const begun = await waits(3600);
    const row = await executionRow(stepper.ctx, begun.executionId);
    expect(row).toMatchObject({ status: 'WAITING', waitingFor: 'bought', currentStepId: begun.graph.steps.wait });
    const [, step] = await historyOf(stepper.ctx, begun.executionId);
    expect(step).toMatchObject({
      status: 'WAITING',
      summary: `Waiting for the event "bought" until ${row.wakeAt?.toISOString()}.`,
    });
    expect(Math.abs((row.wakeAt?.getTime() ?? 0) - Date.now() - HOUR)).toBeLessThan(60_000);
  });

  test('without a timeout it waits indefinitely', async () => {
    const begun = await waits();
    expect(await stepper.advance(begun, { after: 400 * 24 * HOUR })).toMatchObject({ kind: 'wait', until: null });
    await bought(begun);
    expect(await stepper.advance(begun, { after: 400 * 24 * HOUR })).toEqual({ kind: 'ended', outcome: 'EXITED' });
    expect(await outcome(begun)).toBe('bought');
  });

  test('an event with its name pokes it, but not another name, another contact, or another project', async () => {
    const begun = await waits(3600);
    const [other, stranger] = [await waits(3600, { project: begun.project }), await waits(3600)];
    await emit(stepper.ctx, begun.projectId, begun.contactId, 'looked');
    await bought(other);
    await bought(stranger);
    expect(await pokes(begun)).toEqual([]);
    expect(await stepper.advance(begun)).toMatchObject({ kind: 'wait' });
    await bought(begun);
    expect(await pokes(begun)).toHaveLength(1);
    await stepper.advance(begun);
    expect(await outcome(begun)).toBe('bought');
  });

  test('a poke without an event changes nothing', async () => {
    const begun = await waits(3600);
    const before = await executionRow(stepper.ctx, begun.executionId);
    expect(await stepper.advance(begun)).toMatchObject({ kind: 'wait', until: before.wakeAt?.getTime() });
    expect(await executionRow(stepper.ctx, begun.executionId)).toEqual(before);
  });
});

describe('an event', () => {
  test('before the deadline ends the wait by the branch of the event', async () => {
    const begun = await waits(3600);
    const event = await bought(begun);
    await stepper.advance(begun, { after: HOUR - 1000 });
    expect(await outcome(begun)).toBe('bought');
    expect((await historyOf(stepper.ctx, begun.executionId))[1]).toMatchObject({
      status: 'COMPLETED',
      output: { branch: 'event', eventId: event },
    });
  });

  test('exactly at the deadline counts, and one millisecond later does not', async () => {
    for (const [ms, expected] of [
      [0, 'bought'],
      [1, 'late'],
    ] as const) {
      const begun = await waits(3600);
      await bought(begun, {}, new Date((await beganAt(begun, 'wait')).getTime() + HOUR + ms));
      await stepper.advance(begun, { after: HOUR + 1000 });
      expect(await outcome(begun)).toBe(expected);
    }
  });

  test('before the deadline counts even if the worker checks long after the deadline', async () => {
    const begun = await waits(3600);
    await bought(begun);
    await stepper.advance(begun, { after: 30 * HOUR });
    expect(await outcome(begun)).toBe('bought');
  });

  test('after the timeout changes nothing', async () => {
    const begun = await stepper.begin({ ...waiting(3600), steps: { ...waiting(3600).steps, late: delay(1) } });
    await stepper.advance(begun);
    expect(await stepper.advance(begun, { after: HOUR })).toMatchObject({ kind: 'sleep' });
    await bought(begun);
    expect(await stepper.advance(begun, { after: HOUR })).toMatchObject({ kind: 'sleep' });
    expect(await pathOf(stepper.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, wait COMPLETED, late WAITING');
    expect((await historyOf(stepper.ctx, begun.executionId))[1]?.summary).toBe(
      'The event "bought" did not occur within 1 hour.',
    );
  });

  test('adds its data to the context and overrides older values', async () => {
    const begun = await waits(3600, { data: { plan: 'free', source: 'ads' } });
    await bought(begun, { plan: 'pro', total: 30 });
    await stepper.advance(begun);
    expect((await executionRow(stepper.ctx, begun.executionId)).context).toEqual({
      plan: 'pro',
      source: 'ads',
      total: 30,
    });
  });

  test('replaces the context if the merged context would be larger than 256 KiB', async () => {
    const begun = await waits(3600);
    await stepper.ctx.prisma.workflowExecution.update({
      where: { id: begun.executionId },
      data: { context: { much: 'x'.repeat(250 * 1024) } },
    });
    await bought(begun, { text: 'y'.repeat(10_000) });
    await stepper.advance(begun);
    expect((await executionRow(stepper.ctx, begun.executionId)).context).toEqual({ text: 'y'.repeat(10_000) });
  });

  test('that was deleted from the log in the meantime is ignored', async () => {
    const begun = await waits(3600, { data: { plan: 'free' } });
    await stepper.ctx.prisma.event.delete({ where: { id: await bought(begun, { plan: 'pro' }) } });
    expect(await stepper.advance(begun)).toMatchObject({ kind: 'wait' });
  });
});

describe('the wait counts events since the start of the previous step', () => {
  test('an event during the previous delay ends it immediately', async () => {
    const begun = await stepper.begin({
      steps: { rest: delay(1), wait: waitFor('bought', 3600), bought: exit('bought') },
      edges: ['TRIGGER > rest', 'rest > wait', 'wait > bought : event'],
    });
    await stepper.advance(begun);
    const event = await bought(begun);
    await stepper.advance(begun, { after: 24 * HOUR });
    expect(await outcome(begun)).toBe('bought');
    expect((await historyOf(stepper.ctx, begun.executionId))[2]?.output).toMatchObject({
      branch: 'event',
      eventId: event,
    });
  });

  test('an event exactly at that time counts, and one a millisecond before does not', async () => {
    for (const [ms, expected] of [
      [0, 'bought'],
      [-1, null],
    ] as const) {
      const begun = await stepper.begin({
        steps: { rest: delay(1), wait: waitFor('bought', 3600), bought: exit('bought') },
        edges: ['TRIGGER > rest', 'rest > wait', 'wait > bought'],
      });
      await stepper.advance(begun);
      await bought(begun, {}, new Date((await beganAt(begun, 'rest')).getTime() + ms));
      await stepper.advance(begun, { after: 24 * HOUR });
      expect(await outcome(begun)).toBe(expected);
    }
  });

  test('an event before the start of the execution does not count', async () => {
    const project = await stepper.project();
    const first = await stepper.begin(waiting(3600), { project });
    await bought(first, {}, new Date(Date.now() - 1000));
    expect(await stepper.advance(first)).toMatchObject({ kind: 'wait' });
  });

  test('the event that started the execution does not end its wait, but another one does', async () => {
    const begun = await stepper.begin({
      eventName: 'bought',
      allowReentry: true,
      steps: { wait: waitFor('bought', 3600), again: exit('again') },
      edges: ['TRIGGER > wait', 'wait > again'],
    });
    expect(await stepper.advance(begun)).toMatchObject({ kind: 'wait' });
    await bought(begun);
    await stepper.advance(begun);
    expect(await outcome(begun)).toBe('again');
  });
});

describe('with several events and waits', () => {
  test('the oldest event ends the wait', async () => {
    const begun = await waits(3600);
    const first = await bought(begun, { n: 1 }, new Date(Date.now() + 10));
    await bought(begun, { n: 2 }, new Date(Date.now() + 20));
    await stepper.advance(begun);
    expect((await historyOf(stepper.ctx, begun.executionId))[1]?.output).toMatchObject({ eventId: first });
    expect((await executionRow(stepper.ctx, begun.executionId)).context).toMatchObject({ n: 1 });
  });

  test('an event that ended one wait does not end the next one; a second event does', async () => {
    const begun = await stepper.begin({
      steps: { one: waitFor('bought', 3600), two: waitFor('bought', 3600), done: exit('twice') },
      edges: ['TRIGGER > one', 'one > two', 'two > done'],
    });
    await stepper.advance(begun);
    const first = await bought(begun);
    expect(await stepper.advance(begun)).toMatchObject({ kind: 'wait', at: 'WAIT_FOR_EVENT "two"' });
    const second = await bought(begun);
    await stepper.advance(begun);
    expect((await historyOf(stepper.ctx, begun.executionId)).map(({ output }) => output?.eventId)).toEqual([
      expect.any(String),
      first,
      second,
      undefined,
    ]);
  });

  test('two events before two waits end one wait each', async () => {
    const begun = await stepper.begin({
      steps: { one: waitFor('bought', 3600), two: waitFor('bought', 3600), done: exit('twice') },
      edges: ['TRIGGER > one', 'one > two', 'two > done'],
    });
    await stepper.advance(begun);
    await bought(begun);
    await bought(begun);
    await stepper.advance(begun);
    expect(await outcome(begun)).toBe('twice');
  });

  test('one event ends the waits of two executions of the contact', async () => {
    const first = await waits(3600);
    const graph = { ...waiting(3600), eventName: 'other' };
    const second = await stepper.begin(graph, { project: first.project });
    await stepper.ctx.prisma.workflowExecution.update({
      where: { id: second.executionId },
      data: { contactId: first.contactId },
    });
    await stepper.advance(second);
    await bought(first);
    await stepper.advance(first);
    await stepper.advance(second);
    expect([await outcome(first), await outcome(second)]).toEqual(['bought', 'bought']);
  });

  test('a wait in a loop uses each event once', async () => {
    const begun = await stepper.begin({
      steps: { wait: waitFor('bought', 3600), check: condition('event.last', 'equals', true), done: exit('done') },
      edges: ['TRIGGER > wait', 'wait > check', 'check > wait : no', 'check > done : yes'],
    });
    await stepper.advance(begun);
    for (let n = 0; n < 5; n++) {
      await bought(begun, { last: n === 4 });
      await stepper.advance(begun);
      await stepper.advance(begun);
    }
    expect(await outcome(begun)).toBe('done');
    expect((await historyOf(stepper.ctx, begun.executionId)).filter(({ step }) => step === 'wait')).toHaveLength(5);
  });
});

test('a timeout without a transition ends the execution as COMPLETED, with that reason', async () => {
  const begun = await stepper.begin({ steps: { wait: waitFor('bought', 60) }, edges: ['TRIGGER > wait'] });
  await stepper.advance(begun);
  await stepper.advance(begun, { after: 60_000 });
  expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({
    status: 'COMPLETED',
    exitReason: null,
    waitingFor: null,
    wakeAt: null,
  });
  expect((await historyOf(stepper.ctx, begun.executionId)).at(-1)?.summary).toBe(
    'The event "bought" did not occur within 1 minute. The branch "timeout" has no next step, so the execution ends here.',
  );
});

describe('races, forced by locks that the test holds', () => {
  const blocked = async (): Promise<void> =>
    eventually(async () => {
      const { rows } = await stepper.ctx.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows[0]?.count).toBeGreaterThan(0);
    });

  /** An event that is written but not committed. It locks its contact. */
  async function uncommitted(begun: Begun): Promise<{ commit: () => Promise<void> }> {
    const client = await stepper.ctx.pool.connect();
    await client.query('BEGIN');
    await insertEvents(client, [{ projectId: begun.projectId, contactId: begun.contactId, name: 'bought' }]);
    return {
      async commit() {
        await client.query('COMMIT');
        client.release();
      },
    };
  }

  test('a wait that begins while an event is being written waits for the event and finds it', async () => {
    const begun = await stepper.begin(waiting(3600));
    const event = await uncommitted(begun);
    const advancing = stepper.advance(begun);
    await blocked();
    await event.commit();
    expect(await advancing).toEqual({ kind: 'ended', outcome: 'EXITED' });
    expect(await outcome(begun)).toBe('bought');
    // No execution waited when the event was written.
    expect(await pokes(begun)).toEqual([]);
  });

  test('an event that arrives while a wait begins is written after it and pokes it', async () => {
    const begun = await stepper.begin(waiting(3600));
    // The same lock as in the transaction of the wait, from before its query for events until its commit.
    const holder = await stepper.ctx.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [begun.contactId]);
    const advancing = stepper.advance(begun);
    await blocked();
    const writing = bought(begun);
    await sleep(50);
    await holder.query('COMMIT');
    holder.release();
    const [answer] = await Promise.all([advancing, writing]);
    // Depending on the order, the event is found immediately or by a poke.
    if (answer.kind === 'wait') expect(await pokes(begun)).toHaveLength(1);
    await stepper.advance(begun);
    expect(await outcome(begun)).toBe('bought');
  });

  test('a timer that fires while an event is being written waits for the event, which was in time', async () => {
    const begun = await waits(3600);
    const event = await uncommitted(begun);
    const advancing = stepper.advance(begun, { after: HOUR + 1 });
    await blocked();
    await event.commit();
    await advancing;
    expect(await outcome(begun)).toBe('bought');
    expect(await pathOf(stepper.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, wait COMPLETED, bought COMPLETED');
  });

  test('exactly one of a concurrent event and timeout ends the wait, even with many readers', async () => {
    for (let round = 0; round < 10; round++) {
      const begun = await waits(3600);
      const looks = Array.from({ length: 4 }, () => stepper.advance(begun, { after: HOUR }));
      await Promise.all([bought(begun), ...looks]);
      await stepper.advance(begun, { after: HOUR });
      const path = await pathOf(stepper.ctx, begun.executionId);
      expect([
        'TRIGGER COMPLETED, wait COMPLETED, bought COMPLETED',
        'TRIGGER COMPLETED, wait COMPLETED, late COMPLETED',
      ]).toContain(path);
    }
  });

  test('no event is missed if many arrive while a wait begins', async () => {
    for (let round = 0; round < 20; round++) {
      const begun = await stepper.begin(waiting(3600));
      const [answer] = await Promise.all([
        stepper.advance(begun),
        transaction(stepper.ctx.pool, (tx) =>
          insertEvents(tx, [{ projectId: begun.projectId, contactId: begun.contactId, name: 'bought' }]),
        ),
      ]);
      // The event is found immediately or by a poke.
      if (answer.kind === 'wait') expect(await pokes(begun)).toHaveLength(1);
      else expect(await outcome(begun)).toBe('bought');
    }
  });
});
