/**
 * Watches for terminations in the Web UI. A terminated Temporal workflow cannot update its row, so the watch lists
 * terminations every few seconds and applies them. The reconcile sweep finds those that the watch misses.
 */
import type { Client } from '@temporalio/client';
import type { Context } from '../context.js';
import { cancelExecutionRows } from '../domain/executions/sql/executions.js';
import { selectActive } from './reconcile-sql.js';
import { cancel } from '../domain/campaigns/run.js';
import { executionWorkflowId } from '../domain/executions/intents.js';
import { CANCELLED_IN_TEMPORAL } from '../domain/executions/words.js';
import { cancelJob } from '../domain/jobs/close.js';
import { startLoop, type Loop } from '../loop.js';
import { SEARCH_ATTRIBUTES } from './ids.js';
import { statusesOf, statusOf } from './reconcile-executions.js';

const POLL_INTERVAL_MS = 5000;
/** How far back the first poll reaches, by this machine's clock. */
const INITIAL_WINDOW_MS = 3600_000;
/** How far each later poll reaches back before the latest termination, by Temporal's clock. */
const OVERLAP_MS = 10_000;
const PAGE_SIZE = 1000;

const KINDS = ['campaign', 'import', 'bulk', 'export', 'replay', 'execution'];
const EXECUTION_PREFIX = executionWorkflowId('');

/** Polls immediately and then every 5 seconds. */
export function watchTerminations(ctx: Context, client: Client): Loop {
  const position: WatchPosition = { since: Date.now() - INITIAL_WINDOW_MS, handledRuns: new Map() };
  return startLoop({
    everyMs: POLL_INTERVAL_MS,
    runTurn: () => applyTerminations(ctx, client, position),
    failed: (error) => ctx.log.warn({ err: error }, 'The watch for terminations failed; it is repeated'),
  });
}

/** The position of the watch. Times are milliseconds since 1970. */
interface WatchPosition {
  since: number;
  /** The runs since then that are handled, with their end times. */
  handledRuns: Map<string, number>;
}

interface Terminated {
  workflowId: string;
  runId: string;
  projectId: string;
  closedAt: number;
}

/**
 * Cancels the campaigns, jobs, and executions whose workflows were terminated since the last poll. The reconcile sweep
 * restarts other workflows. A row stays unchanged if it has ended, or if its workflow runs again: a reset in the Web UI
 * terminates the old run.
 */
export async function applyTerminations(ctx: Context, client: Client, position: WatchPosition): Promise<void> {
  let latest = position.since;
  let executions: string[] = [];
  for await (const terminated of listTerminatedSince(client, position.since)) {
    const { workflowId, runId, closedAt } = terminated;
    latest = Math.max(latest, closedAt - OVERLAP_MS);
    if (workflowId.startsWith(EXECUTION_PREFIX)) {
      executions.push(workflowId.slice(EXECUTION_PREFIX.length));
      if (executions.length < PAGE_SIZE) continue;
      await cancelTerminated(ctx, client, executions);
      executions = [];
    } else if (!position.handledRuns.has(runId) && (await cancelResource(ctx, client, terminated))) {
      position.handledRuns.set(runId, closedAt);
    }
  }
  await cancelTerminated(ctx, client, executions);
  position.since = latest;
  for (const [runId, closedAt] of position.handledRuns) if (closedAt < latest) position.handledRuns.delete(runId);
}

/** @returns whether the run is handled; false for a campaign that still waits for its last emails in flight */
async function cancelResource(ctx: Context, client: Client, { workflowId, projectId }: Terminated): Promise<boolean> {
  if ((await statusOf(client, workflowId)) !== 'TERMINATED') return true;
  const [kind, id = '', attempt] = workflowId.split(':');
  if (kind === 'campaign') return cancel(ctx, { campaignId: id, projectId, attempt: Number(attempt) });
  await cancelJob(ctx, { jobId: id, projectId });
  return true;
}

async function* listTerminatedSince(client: Client, since: number): AsyncGenerator<Terminated> {
  const query = [
    `ExecutionStatus = 'Terminated'`,
    `ResourceKind IN (${KINDS.map((kind) => `'${kind}'`).join(', ')})`,
    `CloseTime >= '${new Date(since).toISOString()}'`,
  ].join(' AND ');
  for await (const { workflowId, runId, closeTime, typedSearchAttributes } of client.workflow.list({
    query,
    pageSize: PAGE_SIZE,
  })) {
    const projectId = typedSearchAttributes.get(SEARCH_ATTRIBUTES.projectId);
    if (projectId && closeTime) yield { workflowId, runId, projectId, closedAt: closeTime.getTime() };
  }
}

async function cancelTerminated(ctx: Context, client: Client, ids: string[]): Promise<void> {
  const active = ids.length > 0 ? await selectActive(ctx.pool, ids) : [];
  const statuses = await statusesOf(client, active);
  const terminated = active.filter((id) => statuses.get(id) === 'TERMINATED');
  if (terminated.length === 0) return;
  await cancelExecutionRows(ctx.pool, terminated, CANCELLED_IN_TEMPORAL);
  ctx.log.info({ cancelled: terminated.length }, 'Cancelled executions whose workflows were terminated in Temporal');
}
