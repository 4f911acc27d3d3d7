/**
 * The outbox relay: carries intents to Temporal, in their order per workflow id.
 *
 * At least once, and harmless when repeated: already started, not found and already closed count as done.
 */
import { Client, WorkflowNotFoundError, isGrpcServiceError } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type SearchAttributePair } from '@temporalio/common';
import type { Context } from '../context.js';
import { claimIntents, deleteIntents, postponeIntent, type OutboxRow, type StartIntent } from '../db/sql/outbox.js';
import { createPause } from '../pause.js';
import { SEARCH_ATTRIBUTES } from './ids.js';

const BATCH = 100;
const LEASE_SECONDS = 30;
const POLL = 1000;

export interface Relay {
  wake: () => void;
  stop: () => Promise<void>;
}

export function startRelay(ctx: Context, client: Client): Relay {
  const stopping = new AbortController();
  let wanted = true;
  const pause = createPause();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      wanted = false;
      let carried = 0;
      try {
        const rows = await claimIntents(ctx.pool, BATCH, LEASE_SECONDS);
        carried = rows.length;
        const outcomes = await Promise.all(rows.map((row) => carry(ctx, client, row)));
        const done = rows.filter((_, index) => outcomes[index]).map(({ id }) => id);
        if (done.length > 0) await deleteIntents(ctx.pool, done);
        // Everything was put off: Temporal is down, and asking on would be a busy loop.
        if (done.length === 0) carried = 0;
      } catch (error) {
        ctx.log.warn({ err: error }, 'The relay can not reach the outbox');
      }
      if (carried === 0 && !wanted && !stopping.signal.aborted) await pause.wait(POLL);
    }
  };

  const running = run();
  return {
    wake() {
      wanted = true;
      pause.end();
    },
    async stop() {
      stopping.abort();
      pause.end();
      await running;
    },
  };
}

/** @returns whether the intent is done */
async function carry(ctx: Context, client: Client, row: OutboxRow): Promise<boolean> {
  const intent = row.payload;
  try {
    switch (intent.action) {
      case 'start':
        await start(client, intent);
        break;
      case 'signal':
        await client.workflow.getHandle(intent.workflowId).signal(intent.signal);
        break;
      case 'cancel':
        // One that waits for its start delay hears of it at once: the server then gives it its first task.
        await client.workflow.getHandle(intent.workflowId).cancel();
        break;
    }
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    const reason = error instanceof Error ? error.message : String(error);
    const delay = Math.min(500 * 2 ** Math.min(row.attempts, 10), 30_000);
    ctx.log.warn({ err: error, workflowId: row.workflowId, action: intent.action, attempts: row.attempts }, 'An intent could not be carried to Temporal yet');
    await postponeIntent(ctx.pool, row.id, isGrpcServiceError(error) ? Math.min(delay, 5000) : delay, reason);
    return false;
  }
}

async function start(client: Client, intent: StartIntent): Promise<void> {
  const { projectId, resourceId, resourceKind, sourceWorkflowId, contactId, startAt } = intent;
  const attributes: SearchAttributePair[] = [{ key: SEARCH_ATTRIBUTES.resourceKind, value: resourceKind }];
  if (projectId) attributes.push({ key: SEARCH_ATTRIBUTES.projectId, value: projectId });
  if (resourceId) attributes.push({ key: SEARCH_ATTRIBUTES.resourceId, value: resourceId });
  if (sourceWorkflowId) attributes.push({ key: SEARCH_ATTRIBUTES.sourceWorkflowId, value: sourceWorkflowId });
  if (contactId) attributes.push({ key: SEARCH_ATTRIBUTES.contactId, value: contactId });
  const delay = startAt ? Date.parse(startAt) - Date.now() : 0;
  await client.workflow.start(intent.workflowType, {
    workflowId: intent.workflowId,
    taskQueue: intent.taskQueue,
    args: intent.args,
    // Running: the intent was carried before. Closed: it is wanted anew, and its first activity looks at the row.
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: attributes,
    ...(intent.summary && { staticSummary: intent.summary }),
    ...(delay > 0 ? { startDelay: delay } : { requestEagerStart: true }),
    ...(projectId && { priority: { fairnessKey: projectId } }),
  });
}
