/** Recorded runs go the same way through today's workflow code: a worker that takes over a living run must. */
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { parseRecording, readRecording, recordedNames } from '../helpers/histories.js';
import { workflowBundle } from '../helpers/temporal.js';

test('there are recordings of every workflow and of every way through it', () => {
  expect(recordedNames()).toEqual([
    'bulk',
    'campaign-cancelled',
    'campaign-cancelled-while-scheduled',
    'campaign-lanes',
    'campaign-one-lane',
    'campaign-retried',
    'campaign-scheduled',
    'domain-verification',
    'execution-cancelled',
    'execution-cancelled-in-webhook',
    'execution-delay',
    'execution-instant',
    'execution-long-loop',
    'execution-many-steps',
    'execution-wait-event',
    'execution-wait-for-ever',
    'execution-wait-timeout',
    'execution-webhook-refused',
    'execution-webhook-retried',
    'import-cancelled',
    'import-chunks',
    'import-failed',
    'import-lost',
    'maintenance',
  ]);
});

test.each(recordedNames())('the recorded run %s replays without a server', async (name) => {
  const { workflowId, history } = parseRecording(readRecording(name));
  await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId);
});

test('a run that went another way than the code does is refused', async () => {
  // The activity of the batches under another name: as if the workflow had been changed.
  const { workflowId, history } = parseRecording(
    readRecording('campaign-one-lane').replaceAll('"sendCampaignBatch"', '"sendSomethingElse"'),
  );
  await expect(
    Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId),
  ).rejects.toThrow(DeterminismViolationError);
});

test.each(recordedNames())('the recording %s holds no address and names no machine', (name) => {
  const decoded = readRecording(name).replace(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
  expect(decoded).not.toMatch(/@|\/home\/|\/root\/|\/tmp\/|file:/);
});
