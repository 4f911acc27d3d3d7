/**
 * The reconcile sweep: holds the rows that should be running against the workflows that are.
 *
 * A row without a workflow gets a new start intent: Temporal's whole database can be lost, and it costs a delay. A
 * workflow without a live row is cancelled. A campaign, a job or an execution whose workflow an operator terminated in
 * the Web UI is cancelled: that was the operator's word. (The watch in terminations.ts is faster; this is the net.)
 */
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Context } from '../context.js';
import { openJobs } from '../domain/jobs/sql.js';
import { allDomains, runningCampaigns, whileNobodyElse } from './reconcile-sql.js';
import { enqueue, pendingWorkflowIds, type Intent, type StartIntent } from '../db/outbox.js';
import { campaignStart, campaignWorkflowId } from '../domain/campaigns/intents.js';
import { cancel } from '../domain/campaigns/run.js';
import { domainStart } from '../domain/domains/intents.js';
import { cancelJob } from '../domain/jobs/close.js';
import { jobStart } from '../domain/jobs/intents.js';
import { MAINTENANCE_TASKS } from '../domain/maintenance/maintenance.js';
import { reconcileExecutions, type Mended } from './reconcile-executions.js';

const EVERY = 60_000;
/** A sweep over very much takes long, and then comes rarely: it has at most a tenth of the time. */
const REST = 9;
const LOOKUPS = 20;

interface Expected {
  start: StartIntent;
  /** What a termination by an operator means for the row; undefined: the workflow is started again. */
  onTerminated?: () => Promise<void>;
}

export interface Reconcile {
  stop: () => Promise<void>;
}

/** Sweeps at once and then every minute, one worker at a time. */
export function startReconcile(ctx: Context, client: Client): Reconcile {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const sweep = async (): Promise<void> => {
    const begun = Date.now();
    try {
      await reconcile(ctx, client);
    } catch (error) {
      ctx.log.warn({ err: error }, 'The reconcile sweep failed; it is repeated');
    }
    if (!stopped) {
      timer = setTimeout(
        () => {
          running = sweep();
        },
        Math.max(EVERY, REST * (Date.now() - begun)),
      );
    }
  };
  let running = sweep();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** One sweep, unless another worker is at it. @returns how many starts and cancellations were asked for */
export async function reconcile(ctx: Context, client: Client): Promise<Mended> {
  const mended = await whileNobodyElse(ctx.pool, async (session) => {
    const few = await reconcileFew(ctx, client);
    const many = await reconcileExecutions(ctx, client, session);
    return { started: few.started + many.started, cancelled: few.cancelled + many.cancelled };
  });
  if (!mended) return { started: 0, cancelled: 0 };
  if (mended.started + mended.cancelled > 0)
    ctx.log.info({ ...mended }, 'The reconcile sweep mended differences between the database and Temporal');
  return mended;
}

/** Campaigns, domains, jobs and housekeeping: few enough to hold all of them in memory. */
async function reconcileFew(ctx: Context, client: Client): Promise<Mended> {
  // In this order: a workflow in the list has had its row committed before, so a row that is missing afterwards is
  // gone.
  const running = await runningWorkflowIds(client);
  const expected = await expectedWorkflows(ctx);
  const pending = await pendingWorkflowIds(ctx.pool);

  const missing = [...expected].filter(([id]) => !running.has(id) && !pending.has(id));
  const orphans = [...running].filter((id) => !expected.has(id) && !pending.has(id));
  const starts: StartIntent[] = [];
  for (let at = 0; at < missing.length; at += LOOKUPS) {
    const page = await Promise.all(missing.slice(at, at + LOOKUPS).map(([id, row]) => startOf(client, id, row)));
    starts.push(...page.filter((intent) => intent !== null));
  }
  const cancels: Intent[] = orphans.map((workflowId) => ({
    action: 'cancel',
    workflowId,
    reason: 'The resource of this workflow is gone or has ended',
  }));
  await enqueue(ctx.pool, [...starts, ...cancels]);
  if (starts.length + cancels.length > 0) ctx.wake('outbox');
  return { started: starts.length, cancelled: cancels.length };
}

async function runningWorkflowIds(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({
    query: `ExecutionStatus = 'Running' AND ResourceKind IN ('campaign', 'domain', 'import', 'bulk', 'maintenance')`,
    pageSize: 1000,
  })) {
    ids.add(workflowId);
  }
  return ids;
}

async function expectedWorkflows(ctx: Context): Promise<Map<string, Expected>> {
  const expected = new Map<string, Expected>();
  for (const { id, projectId, attempt, scheduledFor, status } of await runningCampaigns(ctx.pool)) {
    const run = { campaignId: id, projectId, attempt };
    expected.set(campaignWorkflowId(id, attempt), {
      start: campaignStart(run, status === 'SCHEDULED' ? scheduledFor : null),
      onTerminated: async () => {
        await cancel(ctx, run);
      },
    });
  }
  for (const { id, projectId, domain } of await allDomains(ctx.pool)) {
    const start = domainStart({ id, projectId, domain });
    expected.set(start.workflowId, { start });
  }
  for (const { kind, ...job } of await openJobs(ctx.pool)) {
    const start = jobStart(job, kind);
    expected.set(start.workflowId, { start, onTerminated: () => cancelJob(ctx, job) });
  }
  for (const name of MAINTENANCE_TASKS) {
    const workflowId = `maintenance:${name}`;
    expected.set(workflowId, {
      start: {
        action: 'start',
        workflowId,
        workflowType: 'maintenance',
        taskQueue: 'system',
        args: [{ name }],
        resourceKind: 'maintenance',
        resourceId: name,
        summary: `Housekeeping: ${name}`,
      },
    });
  }
  return expected;
}

/**
 * The start of a row that has no running workflow, or null when an operator's termination was carried over to the row
 * instead.
 */
async function startOf(
  client: Client,
  workflowId: string,
  { start, onTerminated }: Expected,
): Promise<StartIntent | null> {
  if (!onTerminated) return start;
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING') return null;
    if (status.name !== 'TERMINATED') return start;
    await onTerminated();
    return null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return start;
    throw error;
  }
}
