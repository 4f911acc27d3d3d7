/** Recorded runs replay with the current workflow code, as they must on a worker that takes over a running workflow. */
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { parseRecording, readRecording, recordedNames } from '../helpers/histories.js';
import { workflowBundle } from '../helpers/temporal.js';

test('every workflow and every path through it has a recording', () => {
  expect(recordedNames()).toEqual([
    'bulk',
    'campaign-cancelled',
    'campaign-cancelled-while-scheduled',
    'campaign-during-snapshot',
    'campaign-lanes',
    'campaign-one-lane',
    'campaign-retried',
    'campaign-scheduled',
    'campaign-waves',
    'campaign-winner',
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
    'export',
    'export-cancelled',
    'import-cancelled',
    'import-chunks',
    'import-failed',
    'import-lost',
    'maintenance',
    'webhook-endpoint',
    'webhook-replay',
  ]);
});

test.each(recordedNames())('the recorded run %s replays without a server', async (name) => {
  const { workflowId, history } = parseRecording(readRecording(name));
  await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId);
});

test('a run that differs from the code is rejected', async () => {
  // The activity of the batches has another name, as if the workflow had been changed.
  const { workflowId, history } = parseRecording(
    readRecording('campaign-one-lane').replaceAll('"sendCampaignBatch"', '"sendSomethingElse"'),
  );
  await expect(
    Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId),
  ).rejects.toThrow(DeterminismViolationError);
});

test.each(recordedNames())('the recording %s contains no address and no host name', (name) => {
  const decoded = readRecording(name).replace(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
  expect(decoded).not.toMatch(/@|\/home\/|\/root\/|\/tmp\/|file:/);
});
