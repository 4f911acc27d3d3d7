/**
 * The reconcile sweep: compares the active rows with the running workflows.
 *
 * - An active row without a workflow gets a new start intent, so losing Temporal's database costs only a delay.
 * - A workflow without an active row is cancelled.
 * - A campaign, a job, or an execution is cancelled if an operator terminated its workflow in the Web UI. The watch in
 *   terminations.ts usually finds these first.
 */
import type { Client } from '@temporalio/client';
import type { Context } from '../context.js';
import { openJobs } from '../domain/jobs/sql.js';
import {
  selectDomains,
  selectEndpoints,
  selectRunningCampaigns,
  wakeForgottenEndpoints,
  withReconcileLock,
} from './reconcile-sql.js';
import { enqueue, pendingWorkflowIds, type Intent, type StartIntent } from '../db/outbox.js';
import { campaignStart, campaignWorkflowId } from '../domain/campaigns/intents.js';
import { cancel } from '../domain/campaigns/run.js';
import { domainStart } from '../domain/domains/intents.js';
import { cancelJob } from '../domain/jobs/close.js';
import { jobStart } from '../domain/jobs/intents.js';
import { MAINTENANCE_WORKFLOWS } from '../domain/maintenance/maintenance.js';
import { endpointPoke, endpointStart } from '../domain/webhooks/intents.js';
import { startLoop, type Loop } from '../loop.js';
import { reconcileExecutions, statusOf, type Corrections } from './reconcile-executions.js';

const SWEEP_INTERVAL_MS = 60_000;
/** A long sweep runs less often: it pauses for at least this multiple of its duration. */
const PAUSE_FACTOR = 9;
const MAX_CONCURRENT_LOOKUPS = 20;

interface Expected {
  start: StartIntent;
  /** Applies an operator's termination to the row. Without it, the workflow starts again. */
  onTerminated?: () => Promise<void>;
}

/** Sweeps immediately and then every minute, in one worker at a time. */
export const startReconcile = (ctx: Context, client: Client): Loop =>
  startLoop({
    everyMs: SWEEP_INTERVAL_MS,
    async runTurn() {
      const begunAt = Date.now();
      await reconcile(ctx, client).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'The reconcile sweep failed; it is repeated'),
      );
      return Math.max(SWEEP_INTERVAL_MS, PAUSE_FACTOR * (Date.now() - begunAt));
    },
    failed: () => undefined,
  });

/** Sweeps once, unless another worker does. @returns how many starts and cancellations it wrote */
export async function reconcile(ctx: Context, client: Client): Promise<Corrections> {
  const corrections = await withReconcileLock(ctx.pool, async (session) => {
    const resources = await reconcileResources(ctx, client);
    const executions = await reconcileExecutions(ctx, client, session);
    return {
      started: resources.started + executions.started,
      cancelled: resources.cancelled + executions.cancelled,
    };
  });
  if (!corrections) return { started: 0, cancelled: 0 };
  if (corrections.started + corrections.cancelled > 0)
    ctx.log.info({ ...corrections }, 'Reconcile corrected differences between the database and Temporal');
  return corrections;
}

/** Reconciles campaigns, domains, webhook endpoints, jobs, and housekeeping, which are few enough for memory. */
async function reconcileResources(ctx: Context, client: Client): Promise<Corrections> {
  // The order matters: the row of a listed workflow was committed earlier, so a row that is missing now was deleted.
  const running = await runningWorkflowIds(client);
  const expected = await expectedWorkflows(ctx);
  const pending = await pendingWorkflowIds(ctx.pool);

  const missing = [...expected].filter(([id]) => !running.has(id) && !pending.has(id));
  const orphans = [...running].filter((id) => !expected.has(id) && !pending.has(id));
  const starts: StartIntent[] = [];
  for (let offset = 0; offset < missing.length; offset += MAX_CONCURRENT_LOOKUPS) {
    const page = missing.slice(offset, offset + MAX_CONCURRENT_LOOKUPS);
    const intents = await Promise.all(page.map(([id, row]) => startOrTerminate(client, id, row)));
    starts.push(...intents.filter((intent) => intent !== null));
  }
  const cancels: Intent[] = orphans.map((workflowId) => ({
    action: 'cancel',
    workflowId,
    reason: 'The resource of this workflow was deleted or has ended',
  }));
  const pokes = (await wakeForgottenEndpoints(ctx.pool)).map(endpointPoke);
  await enqueue(ctx.pool, [...starts, ...cancels, ...pokes]);
  if (starts.length + cancels.length + pokes.length > 0) ctx.wake('outbox');
  return { started: starts.length, cancelled: cancels.length };
}

async function runningWorkflowIds(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({
    query: `ExecutionStatus = 'Running' AND ResourceKind IN ('campaign', 'domain', 'import', 'bulk', 'export', 'replay', 'webhook', 'maintenance')`,
    pageSize: 1000,
  })) {
    ids.add(workflowId);
  }
  return ids;
}

async function expectedWorkflows(ctx: Context): Promise<Map<string, Expected>> {
  const expected = new Map<string, Expected>();
  for (const { id, projectId, attempt, scheduledFor, status } of await selectRunningCampaigns(ctx.pool)) {
    const run = { campaignId: id, projectId, attempt };
    expected.set(campaignWorkflowId(id, attempt), {
      start: campaignStart(run, status === 'SCHEDULED' ? scheduledFor : null),
      onTerminated: async () => {
        await cancel(ctx, run);
      },
    });
  }
  for (const { id, projectId, domain } of await selectDomains(ctx.pool)) {
    const start = domainStart({ id, projectId, domain });
    expected.set(start.workflowId, { start });
  }
  for (const endpoint of await selectEndpoints(ctx.pool)) {
    const start = endpointStart(endpoint);
    expected.set(start.workflowId, { start });
  }
  for (const { kind, ...job } of await openJobs(ctx.pool)) {
    const start = jobStart(job, kind);
    expected.set(start.workflowId, { start, onTerminated: () => cancelJob(ctx, job) });
  }
  for (const name of MAINTENANCE_WORKFLOWS) {
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
 * Returns the start intent of a row without a running workflow, or null if the workflow runs or its termination was
 * applied to the row.
 */
async function startOrTerminate(
  client: Client,
  workflowId: string,
  { start, onTerminated }: Expected,
): Promise<StartIntent | null> {
  if (!onTerminated) return start;
  const status = await statusOf(client, workflowId);
  if (status === 'RUNNING') return null;
  if (status !== 'TERMINATED') return start;
  await onTerminated();
  return null;
}
