/** Steps that the database delayed: their activity is retried with the input of the first attempt. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createExecutionActivities } from '../../activities/execution.js';
import type { AdvanceInput } from '../../src/domain/executions/advance.js';
import { createPace } from '../../src/domain/executions/pace.js';
import { useStepper, type Begun } from '../helpers/executions.js';
import { delay, executionRow, waitFor } from '../helpers/workflow-graph.js';

const stepper = useStepper();
const DAY = 24 * 3600_000;
const MINUTE = 60_000;

/** One attempt of an activity that was scheduled `agoMs` milliseconds ago. */
function attempt({ projectId, executionId }: Begun, attempt: number, agoMs: number) {
  const activities = createExecutionActivities(stepper.ctx, createPace());
  const asked = Date.now() - agoMs;
  return new MockActivityEnvironment({ attempt, scheduledTimestampMs: asked }).run(
    (input: AdvanceInput) => activities.advance(input),
    { projectId, executionId, now: asked },
  );
}

test.each([
  ['a delay', delay(1), DAY],
  ['the timeout of a wait', waitFor('bought', 120), 2 * MINUTE],
] as const)('%s after a step that was delayed for ten minutes keeps its full length', async (_name, step, length) => {
  const begun = await stepper.begin({ steps: { step }, edges: ['TRIGGER > step'] });
  const before = Date.now();
  const pause = await attempt(begun, 5, 10 * MINUTE);
  const after = Date.now();
  const wakeAt = (await executionRow(stepper.ctx, begun.executionId)).wakeAt?.getTime();
  expect(wakeAt).toBeGreaterThanOrEqual(before + length);
  expect(wakeAt).toBeLessThanOrEqual(after + length);
  expect(pause).toMatchObject({ until: wakeAt });
});

test("a first attempt uses the time of its Temporal workflow, regardless of the worker's clock", async () => {
  const begun = await stepper.begin({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
  const asked = Date.now() - 10 * MINUTE;
  expect(await attempt(begun, 1, 10 * MINUTE)).toMatchObject({ kind: 'sleep', until: expect.closeTo(asked + DAY, -4) });
});
