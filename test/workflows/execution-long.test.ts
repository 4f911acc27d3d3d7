/**
 * Executions with a long history: they continue as new, on a server that suggests it early, without losing any
 * events.
 */
import { expect, test, vi } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { useJourneys, type Begun } from '../helpers/executions.js';
import { devServerEnvironment } from '../helpers/temporal.js';
import {
  condition,
  delay,
  emit,
  executionRow,
  exit,
  historyOf,
  pathOf,
  updateContact,
  waitFor,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 180_000 });

const journeys = useJourneys({}, () => devServerEnvironment({ suggestContinueAsNew: 30 }));

/** The runs of its Temporal workflow, including the last one. */
async function runsOf({ executionId }: Begun): Promise<number> {
  let runs = 0;
  for await (const run of journeys.env.client.workflow.list({ query: `WorkflowId = 'execution:${executionId}'` }))
    runs += run ? 1 : 0;
  return runs;
}

const waitsOf = async ({ executionId }: Begun) =>
  (await historyOf(journeys.ctx, executionId)).filter(({ step }) => step === 'wait');

test('an execution that is poked very often continues as new, and its event still ends it', async () => {
  const begun = await journeys.begin({
    steps: { wait: waitFor('bought', 3600), bye: exit('bought') },
    edges: ['TRIGGER > wait', 'wait > bye'],
  });
  await journeys.waitsAt(begun.executionId, 'wait');
  for (let n = 0; n < 40; n++) await journeys.handle(begun.executionId).signal('poke');
  await eventually(async () => expect(await runsOf(begun)).toBeGreaterThan(1));
  expect(await pathOf(journeys.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, wait WAITING');
  await emit(journeys.ctx, begun.projectId, begun.contactId, 'bought');
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await executionRow(journeys.ctx, begun.executionId)).toMatchObject({ exitReason: 'bought' });
});

test('no event is lost while the execution continues as new repeatedly', async () => {
  const begun = await journeys.begin({
    steps: { wait: waitFor('bought', 3600), check: condition('event.last', 'equals', true), bye: exit('last') },
    edges: ['TRIGGER > wait', 'wait > check', 'check > wait : no', 'check > bye : yes'],
  });
  await journeys.waitsAt(begun.executionId, 'wait');
  const events = 25;
  for (let n = 1; n <= events; n++) {
    await emit(journeys.ctx, begun.projectId, begun.contactId, 'bought', { n, last: n === events });
    // The next wait counts from the step before it. An event before that step would count for no wait.
    const waits = n === events ? n : n + 1;
    await eventually(async () => expect(await waitsOf(begun)).toHaveLength(waits), { every: 10 });
  }
  await journeys.reaches(begun.executionId, 'EXITED');
  expect(await runsOf(begun)).toBeGreaterThan(3);
  const waits = await waitsOf(begun);
  expect(waits).toHaveLength(events);
  expect(new Set(waits.map(({ output }) => output?.eventId)).size).toBe(events);
});

test('a loop through a delay continues over many runs', async () => {
  const begun = await journeys.begin({
    steps: {
      rest: delay(0.05, 'seconds'),
      count: updateContact({ looped: true }),
      check: condition('event.stop', 'triggered'),
      bye: exit('stopped'),
    },
    edges: ['TRIGGER > rest', 'rest > count', 'count > check', 'check > rest : no', 'check > bye : yes'],
  });
  await eventually(async () => expect(await runsOf(begun)).toBeGreaterThan(2), { within: 120_000 });
  await emit(journeys.ctx, begun.projectId, begun.contactId, 'stop');
  await journeys.reaches(begun.executionId, 'EXITED');
  const history = await historyOf(journeys.ctx, begun.executionId);
  // Each round ran each of its steps once.
  expect(history.slice(1, -1).map(({ step }) => step)).toEqual(
    Array.from({ length: (history.length - 2) / 3 }, () => ['rest', 'count', 'check']).flat(),
  );
  expect(history.every(({ status }) => status === 'COMPLETED')).toBe(true);
});
