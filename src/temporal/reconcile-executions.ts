/**
 * The reconcile sweep over executions. There may be a hundred thousand, so it goes in pages, in the order of their ids:
 * a page of rows against the running Temporal workflows of the same range.
 */
import { Client, WorkflowNotFoundError, type WorkflowExecutionStatusName } from '@temporalio/client';
import type { PoolClient } from 'pg';
import type { Context } from '../context.js';
import { cancelExecutionRows } from '../domain/executions/sql/executions.js';
import { enqueue } from '../db/outbox.js';
import { activeAmong, activeExecutions, overAmong, restartExecutions } from './reconcile-sql.js';
import { executionCancel, executionWorkflowId } from '../domain/executions/intents.js';
import { CANCELLED_IN_TEMPORAL } from '../domain/executions/words.js';

const PAGE = 1000;
/** Questions to Temporal at the same time. */
const LOOKUPS = 20;

const PREFIX = executionWorkflowId('');

export interface Mended {
  started: number;
  cancelled: number;
}

/** Sweeps over all executions. @param session a connection of the caller's own */
export async function reconcileExecutions(ctx: Context, client: Client, session: PoolClient): Promise<Mended> {
  const mended: Mended = { started: 0, cancelled: 0 };
  let after = '';
  for await (const page of activeExecutions(session, PAGE)) {
    // Behind the last page: to the end, since others may be running there without a row.
    const last = page.length === PAGE ? (page.at(-1) ?? null) : null;
    const running = await runningBetween(client, after, last);
    const rows = new Set(page);
    const { started, cancelled } = await mend(ctx, client, {
      missing: page.filter((id) => !running.has(id)),
      orphans: [...running].filter((id) => !rows.has(id)),
    });
    mended.started += started;
    mended.cancelled += cancelled;
    if (last === null) break;
    after = last;
  }
  return mended;
}

/** The executions with a running Temporal workflow whose ids are above `after` and not above `last`. */
async function runningBetween(client: Client, after: string, last: string | null): Promise<Set<string>> {
  const query = [
    `ResourceKind = 'execution'`,
    `ExecutionStatus = 'Running'`,
    `WorkflowId > '${PREFIX}${after}'`,
    ...(last === null ? [] : [`WorkflowId <= '${PREFIX}${last}'`]),
  ].join(' AND ');
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query, pageSize: PAGE })) {
    if (workflowId.startsWith(PREFIX)) ids.add(workflowId.slice(PREFIX.length));
  }
  return ids;
}

interface Differences {
  /**
   * Rows that are active, or were a moment ago, without a running Temporal workflow in the list, which may lag behind.
   */
  missing: string[];
  /** Running Temporal workflows whose row is not active, or has become so since. */
  orphans: string[];
}

async function mend(ctx: Context, client: Client, { missing, orphans }: Differences): Promise<Mended> {
  const over = orphans.length > 0 ? await overAmong(ctx.pool, orphans) : [];
  await enqueue(
    ctx.pool,
    over.map((id) => executionCancel(id, 'The execution is gone or has ended')),
  );
  const lost: string[] = [];
  const ended: string[] = [];
  const unsure = missing.length > 0 ? await activeAmong(ctx.pool, missing) : [];
  for (const [id, status] of await statusesOf(client, unsure)) {
    if (status === 'RUNNING' || status === 'PAUSED') continue;
    // An operator's word; whatever else ended it is no reason for the contact to stay where it is.
    if (status === 'TERMINATED' || status === 'CANCELLED') ended.push(id);
    else lost.push(id);
  }
  const cancelled = ended.length > 0 ? await cancelExecutionRows(ctx.pool, ended, CANCELLED_IN_TEMPORAL) : [];
  const started = lost.length > 0 ? await restartExecutions(ctx.pool, lost) : 0;
  if (started + over.length + cancelled.length > 0) ctx.wake('outbox');
  return { started, cancelled: over.length + cancelled.length };
}

/** How the latest Temporal workflow of each execution is; null where Temporal knows none. */
export async function statusesOf(
  client: Client,
  ids: string[],
): Promise<Map<string, WorkflowExecutionStatusName | null>> {
  const statuses = new Map<string, WorkflowExecutionStatusName | null>();
  for (let at = 0; at < ids.length; at += LOOKUPS) {
    await Promise.all(
      ids.slice(at, at + LOOKUPS).map(async (id) => {
        statuses.set(id, await statusOf(client, executionWorkflowId(id)));
      }),
    );
  }
  return statuses;
}

/** @returns null when Temporal knows no such workflow */
export async function statusOf(client: Client, workflowId: string): Promise<WorkflowExecutionStatusName | null> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
