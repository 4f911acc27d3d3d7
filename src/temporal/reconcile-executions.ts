/**
 * Reconciles executions. There can be more than a hundred thousand, so it compares pages in the order of the ids: a
 * page of rows with the running Temporal workflows of the same range.
 */
import { Client, WorkflowNotFoundError, type WorkflowExecutionStatusName } from '@temporalio/client';
import type { PoolClient } from 'pg';
import type { Context } from '../context.js';
import { cancelExecutionRows } from '../domain/executions/sql/executions.js';
import { enqueue } from '../db/outbox.js';
import { readActiveExecutions, restartExecutions, selectActive, selectEnded } from './reconcile-sql.js';
import { executionCancel, executionWorkflowId } from '../domain/executions/intents.js';
import { CANCELLED_IN_TEMPORAL } from '../domain/executions/words.js';

const PAGE_SIZE = 1000;
const MAX_CONCURRENT_LOOKUPS = 20;

const ID_PREFIX = executionWorkflowId('');

export interface Corrections {
  started: number;
  cancelled: number;
}

/** Reconciles all executions. @param session a connection that only the caller uses */
export async function reconcileExecutions(ctx: Context, client: Client, session: PoolClient): Promise<Corrections> {
  const corrections: Corrections = { started: 0, cancelled: 0 };
  let after = '';
  for await (const page of readActiveExecutions(session, PAGE_SIZE)) {
    // The last page has no upper bound, because workflows without a row may run after it.
    const last = page.length === PAGE_SIZE ? (page.at(-1) ?? null) : null;
    const running = await listRunningBetween(client, after, last);
    const rows = new Set(page);
    const { started, cancelled } = await repairDifferences(ctx, client, {
      missing: page.filter((id) => !running.has(id)),
      orphans: [...running].filter((id) => !rows.has(id)),
    });
    corrections.started += started;
    corrections.cancelled += cancelled;
    if (last === null) break;
    after = last;
  }
  return corrections;
}

/** Returns the ids of executions with a running Temporal workflow, greater than `after` and at most `last`. */
async function listRunningBetween(client: Client, after: string, last: string | null): Promise<Set<string>> {
  const query = [
    `ResourceKind = 'execution'`,
    `ExecutionStatus = 'Running'`,
    `WorkflowId > '${ID_PREFIX}${after}'`,
    ...(last === null ? [] : [`WorkflowId <= '${ID_PREFIX}${last}'`]),
  ].join(' AND ');
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query, pageSize: PAGE_SIZE })) {
    if (workflowId.startsWith(ID_PREFIX)) ids.add(workflowId.slice(ID_PREFIX.length));
  }
  return ids;
}

interface Differences {
  /** Recently active rows without a running Temporal workflow in the list, which can lag. */
  missing: string[];
  /** Running Temporal workflows whose row was not active in the page. */
  orphans: string[];
}

async function repairDifferences(
  ctx: Context,
  client: Client,
  { missing, orphans }: Differences,
): Promise<Corrections> {
  const stale = orphans.length > 0 ? await selectEnded(ctx.pool, orphans) : [];
  await enqueue(
    ctx.pool,
    stale.map((id) => executionCancel(id, 'The execution was deleted or has ended')),
  );
  const lost: string[] = [];
  const endedByOperator: string[] = [];
  const candidates = missing.length > 0 ? await selectActive(ctx.pool, missing) : [];
  for (const [id, status] of await statusesOf(client, candidates)) {
    if (status === 'RUNNING' || status === 'PAUSED') continue;
    // Only an operator terminates or cancels a workflow of an active row. After any other end, it starts again.
    if (status === 'TERMINATED' || status === 'CANCELLED') endedByOperator.push(id);
    else lost.push(id);
  }
  const cancelled =
    endedByOperator.length > 0 ? await cancelExecutionRows(ctx.pool, endedByOperator, CANCELLED_IN_TEMPORAL) : [];
  const started = lost.length > 0 ? await restartExecutions(ctx.pool, lost) : 0;
  if (started + stale.length + cancelled.length > 0) ctx.wake('outbox');
  return { started, cancelled: stale.length + cancelled.length };
}

/** Returns the status of each execution's latest Temporal workflow; null if there is none. */
export async function statusesOf(
  client: Client,
  ids: string[],
): Promise<Map<string, WorkflowExecutionStatusName | null>> {
  const statuses = new Map<string, WorkflowExecutionStatusName | null>();
  for (let offset = 0; offset < ids.length; offset += MAX_CONCURRENT_LOOKUPS) {
    await Promise.all(
      ids.slice(offset, offset + MAX_CONCURRENT_LOOKUPS).map(async (id) => {
        statuses.set(id, await statusOf(client, executionWorkflowId(id)));
      }),
    );
  }
  return statuses;
}

/** Returns a workflow's status; null if the workflow does not exist. */
export async function statusOf(client: Client, workflowId: string): Promise<WorkflowExecutionStatusName | null> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
