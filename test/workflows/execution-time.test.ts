/** Executions over skipped time: a whole worker, from the event that starts them to the last timer. */
import { describe, expect, test, vi } from 'vitest';
import { insertEvents } from '../../src/domain/events/insert.js';
import { skipWait } from '../../src/domain/executions/skip-wait.js';
import { updateWorkflow } from '../../src/domain/workflows/manage.js';
import { deleteStep } from '../../src/domain/workflows/steps.js';
import { eventually } from '../helpers/eventually.js';
import { useJourneys, type Begun } from '../helpers/executions.js';
import { insertProject } from '../helpers/project.js';
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
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 180_000 });

const journeys = useJourneys();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const path = ({ executionId }: Begun) => pathOf(journeys.ctx, executionId);
const row = ({ executionId }: Begun) => executionRow(journeys.ctx, executionId);

/** Inserts an event and wakes the relay, like every writer of an event. */
async function happens(
  { projectId, contactId }: Begun,
  name: string,
  data: Record<string, unknown> = {},
): Promise<void> {
  await emit(journeys.ctx, projectId, contactId, name, data);
}

test('an event starts an execution, which sends its email and ends', async () => {
  const project = await insertProject(journeys.ctx);
  const templateId = await insertTemplate(journeys.ctx, project, { subject: 'Welcome to {{ event.plan }}' });
  const begun = await journeys.begin(
    {
      steps: {
        check: condition('event.plan', 'equals', 'pro'),
        hello: sendTemplate(templateId),
        bye: exit('welcomed'),
      },
      edges: ['TRIGGER > check', 'check > hello : yes', 'hello > bye'],
    },
    { project, contact: { email: 'welcome@inbox.test' }, data: { plan: 'pro' } },
  );
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await journeys.handle(begun.executionId).result()).toBe('EXITED');
  await eventually(async () =>
    expect(await emailsOf(journeys.ctx, begun.executionId)).toMatchObject([{ status: 'SENT' }]),
  );
  expect(
    journeys.transport.mails
      .filter(({ to }) => to === 'welcome@inbox.test')
      .map(({ raw }) => /Subject: (.*)\r/.exec(raw.toString())?.[1]),
  ).toEqual(['Welcome to pro']);
});

test('skipped waits end immediately, and the Temporal workflow receives a signal for each', async () => {
  const begun = await journeys.begin({
    steps: { rest: delay(30), wait: waitFor('bought', 3600), bye: exit('skipped') },
    edges: ['TRIGGER > rest', 'rest > wait', 'wait > bye : timeout'],
  });
  for (const step of ['rest', 'wait']) {
    await journeys.waitsAt(begun.executionId, step);
    await skipWait(journeys.ctx, begun.projectId, begun.graph.id, begun.executionId);
  }
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await path(begun)).toBe('TRIGGER COMPLETED, rest COMPLETED, wait COMPLETED, bye COMPLETED');
  const handle = journeys.handle(begun.executionId);
  expect(await handle.result()).toBe('EXITED');
  const { events } = await handle.fetchHistory();
  const signals = events?.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
  expect(signals).toEqual(['poke', 'poke']);
});

describe('a delay', () => {
  test('of 90 days ends after 90 days, and not an hour before', async () => {
    const begun = await journeys.begin({
      steps: { rest: delay(90), bye: exit('later') },
      edges: ['TRIGGER > rest', 'rest > bye'],
    });
    await journeys.waitsAt(begun.executionId, 'rest');
    await journeys.skip(90 * DAY - HOUR);
    expect(await path(begun)).toBe('TRIGGER COMPLETED, rest WAITING');
    await journeys.skip(HOUR);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect((await historyOf(journeys.ctx, begun.executionId))[1]?.summary).toMatch(/^Waited 90 days, until /);
  });

  test('after a delay begins when the delay ends', async () => {
    const begun = await journeys.begin({
      steps: { one: delay(1), two: delay(2, 'weeks'), bye: exit() },
      edges: ['TRIGGER > one', 'one > two', 'two > bye'],
    });
    await journeys.waitsAt(begun.executionId, 'one');
    await journeys.skip(DAY);
    await journeys.waitsAt(begun.executionId, 'two');
    await journeys.skip(14 * DAY - HOUR);
    expect(await path(begun)).toBe('TRIGGER COMPLETED, one COMPLETED, two WAITING');
    await journeys.skip(HOUR + 60_000);
    await journeys.reaches(begun.executionId, 'EXITED');
  });

  test('as the last step completes the execution when it ends', async () => {
    const begun = await journeys.begin({ steps: { rest: delay(30, 'seconds') }, edges: ['TRIGGER > rest'] });
    await journeys.waitsAt(begun.executionId, 'rest');
    await journeys.skip(30_000);
    await journeys.reaches(begun.executionId, 'COMPLETED');
    expect(await journeys.handle(begun.executionId).result()).toBe('COMPLETED');
  });

  test('is not shortened by any number of pokes', async () => {
    const begun = await journeys.begin({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
    await journeys.waitsAt(begun.executionId, 'rest');
    for (let n = 0; n < 20; n++) await journeys.handle(begun.executionId).signal('poke');
    await journeys.waitsAt(begun.executionId, 'rest');
    await journeys.skip(DAY - HOUR);
    expect(await path(begun)).toBe('TRIGGER COMPLETED, rest WAITING');
    await journeys.skip(HOUR);
    await journeys.reaches(begun.executionId, 'COMPLETED');
  });

  test('in a loop runs once per round', async () => {
    const begun = await journeys.begin({
      steps: {
        rest: delay(1),
        count: updateContact({ rounds: 'again' }),
        check: condition('event.stop', 'triggered'),
        bye: exit('stopped'),
      },
      edges: ['TRIGGER > rest', 'rest > count', 'count > check', 'check > rest : no', 'check > bye : yes'],
    });
    await journeys.waitsAt(begun.executionId, 'rest');
    await journeys.skip(9 * DAY + HOUR);
    await journeys.waitsAt(begun.executionId, 'rest');
    await happens(begun, 'stop');
    await journeys.skip(DAY);
    await journeys.reaches(begun.executionId, 'EXITED');
    const rests = (await historyOf(journeys.ctx, begun.executionId)).filter(({ step }) => step === 'rest');
    // A timer fires slightly late, and so does the next one.
    expect(rests.length).toBeGreaterThanOrEqual(9);
    expect(rests.length).toBeLessThanOrEqual(11);
    expect(rests.every(({ status }) => status === 'COMPLETED')).toBe(true);
  });
});

describe('a wait', () => {
  const spec = {
    steps: { wait: waitFor('bought', 7 * 24 * 3600), bought: exit('bought'), late: exit('late') },
    edges: ['TRIGGER > wait', 'wait > bought', 'wait > late : timeout'],
  };

  test('ends when its event arrives and pokes it', async () => {
    const begun = await journeys.begin(spec);
    await journeys.waitsAt(begun.executionId, 'wait');
    await happens(begun, 'bought', { total: 5 });
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await row(begun)).toMatchObject({ exitReason: 'bought', context: { total: 5 } });
  });

  test('ends after its timeout', async () => {
    const begun = await journeys.begin(spec);
    await journeys.waitsAt(begun.executionId, 'wait');
    await journeys.skip(7 * DAY - HOUR);
    expect(await path(begun)).toBe('TRIGGER COMPLETED, wait WAITING');
    await journeys.skip(HOUR);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await row(begun)).toMatchObject({ exitReason: 'late' });
    await happens(begun, 'bought');
    expect(await row(begun)).toMatchObject({ exitReason: 'late' });
  });

  test('whose event is being written when the timer fires follows the event', async () => {
    const begun = await journeys.begin(spec);
    await journeys.waitsAt(begun.executionId, 'wait');
    // The event locks its contact until it is committed, and the query of the timer waits for the lock.
    const writer = await journeys.ctx.pool.connect();
    await writer.query('BEGIN');
    await insertEvents(writer, [{ projectId: begun.projectId, contactId: begun.contactId, name: 'bought' }]);
    const skipping = journeys.skip(7 * DAY);
    await eventually(async () => {
      const { rows } = await journeys.ctx.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });
    await writer.query('COMMIT');
    writer.release();
    await skipping;
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await path(begun)).toBe('TRIGGER COMPLETED, wait COMPLETED, bought COMPLETED');
  });

  test('that lost its poke follows the event at the latest after its timeout', async () => {
    const begun = await journeys.begin(spec);
    await journeys.waitsAt(begun.executionId, 'wait');
    // The event without its poke.
    await journeys.ctx.pool.query(
      `INSERT INTO events (id, project_id, contact_id, name) VALUES (uuid_v7(), $1, $2, 'bought')`,
      [begun.projectId, begun.contactId],
    );
    expect(await path(begun)).toBe('TRIGGER COMPLETED, wait WAITING');
    await journeys.skip(7 * DAY);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await row(begun)).toMatchObject({ exitReason: 'bought' });
  });

  test('without a timeout still waits for its event after a year', async () => {
    const begun = await journeys.begin({
      steps: { wait: waitFor('bought'), bye: exit('bought') },
      edges: ['TRIGGER > wait', 'wait > bye'],
    });
    await journeys.waitsAt(begun.executionId, 'wait');
    await journeys.skip(366 * DAY);
    expect(await path(begun)).toBe('TRIGGER COMPLETED, wait WAITING');
    await happens(begun, 'bought');
    await journeys.reaches(begun.executionId, 'EXITED');
  });

  test('after a delay finds an event that arrived during the delay', async () => {
    const begun = await journeys.begin({
      steps: { rest: delay(3), wait: waitFor('bought', 60), bye: exit('bought') },
      edges: ['TRIGGER > rest', 'rest > wait', 'wait > bye'],
    });
    await journeys.waitsAt(begun.executionId, 'rest');
    await happens(begun, 'bought');
    await journeys.skip(3 * DAY);
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await row(begun)).toMatchObject({ exitReason: 'bought' });
  });

  test('with many concurrent events ends once', async () => {
    const begun = await journeys.begin({
      steps: { wait: waitFor('bought', 24 * 3600), bye: exit('bought') },
      edges: ['TRIGGER > wait', 'wait > bye'],
    });
    await journeys.waitsAt(begun.executionId, 'wait');
    await Promise.all(Array.from({ length: 10 }, (_, n) => happens(begun, 'bought', { n })));
    await journeys.reaches(begun.executionId, 'EXITED');
    expect(await path(begun)).toBe('TRIGGER COMPLETED, wait COMPLETED, bye COMPLETED');
  });
});

test('deleting the step of a waiting execution with splice continues the execution immediately', async () => {
  const begun = await journeys.begin({
    steps: { rest: delay(30), bye: exit('spliced') },
    edges: ['TRIGGER > rest', 'rest > bye'],
  });
  await journeys.waitsAt(begun.executionId, 'rest');
  await updateWorkflow(journeys.ctx, begun.projectId, begun.graph.id, { enabled: false });
  await deleteStep(journeys.ctx, begun.projectId, begun.graph.id, begun.graph.steps.rest ?? '', { splice: true });
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await path(begun)).toBe('TRIGGER COMPLETED, rest SKIPPED, bye COMPLETED');
});

test('operators see the current step and the end of its wait, and no address', async () => {
  const begun = await journeys.begin(
    { steps: { rest: delay(2) }, edges: ['TRIGGER > rest'] },
    { contact: { email: 'secret@inbox.test' } },
  );
  await journeys.waitsAt(begun.executionId, 'rest');
  const metadata: { currentDetails?: string } = await journeys
    .handle(begun.executionId)
    .query('__temporal_workflow_metadata');
  expect(metadata.currentDetails).toBe(`DELAY "rest", until ${(await row(begun)).wakeAt?.toISOString()}`);
  const history = JSON.stringify(await journeys.handle(begun.executionId).fetchHistory(), (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
  expect(history).not.toContain('secret');
});
