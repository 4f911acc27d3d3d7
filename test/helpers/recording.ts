/** Helpers of the scripts that record histories for test/histories. See record-histories.ts. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { ApiContext } from '../../src/context.js';
import type { CaptureTransport } from './capture-transport.js';
import type { TestZone } from './dns.js';
import { eventually } from './eventually.js';

/** Servers and a worker for the recording. */
export interface Stage {
  ctx: ApiContext;
  client: Client;
  transport: CaptureTransport;
  zone: TestZone;
}

/** Runs a workflow to its end. @returns its handle */
export type Script = (stage: Stage) => Promise<WorkflowHandle>;

export function sure(fact: boolean): void {
  if (!fact) throw new Error('Not yet');
}

export async function ended({ handle }: { handle: WorkflowHandle }): Promise<WorkflowHandle> {
  await eventually(async () => sure((await handle.describe()).status.name !== 'RUNNING'), { within: 120_000 });
  return handle;
}
