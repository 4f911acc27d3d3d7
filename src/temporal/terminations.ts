/**
 * Terminations in the Web UI: a Temporal workflow that is terminated can't say so itself, so the rows are told by a
 * watch that asks every few seconds. What it misses, the reconcile sweep finds.
 */
import type { Client } from '@temporalio/client';
import type { Context } from '../context.js';
import { cancelExecutionRows } from '../domain/executions/sql/executions.js';
import { activeAmong } from './reconcile-sql.js';
import { cancel } from '../domain/campaigns/run.js';
import { executionWorkflowId } from '../domain/executions/intents.js';
import { CANCELLED_IN_TEMPORAL } from '../domain/executions/words.js';
import { cancelJob } from '../domain/jobs/close.js';
import { startLoop, type Loop } from '../loop.js';
import { SEARCH_ATTRIBUTES } from './ids.js';
import { statusesOf, statusOf } from './reconcile-executions.js';

const EVERY = 5000;
/**
 * How far back the first look goes, by this machine's clock, and every other one behind the last termination that was
 * seen, by Temporal's.
 */
const FIRST_LOOK = 3600_000;
const OVERLAP = 10_000;
const PAGE = 1000;

const KINDS = ['campaign', 'import', 'bulk', 'execution'];
const EXECUTION = executionWorkflowId('');

/** Looks at once and then every 5 seconds. */
export function watchTerminations(ctx: Context, client: Client): Loop {
  const look: Look = { since: Date.now() - FIRST_LOOK, done: new Map() };
  return startLoop({
    everyMs: EVERY,
    look: () => carryTerminations(ctx, client, look),
    failed: (error) => ctx.log.warn({ err: error }, 'The watch over terminations failed; it is repeated'),
  });
}

/** How far the watch has come. Times are milliseconds since 1970. */
interface Look {
  since: number;
  /** The runs since then that need no other look, with the times of their ends. */
  done: Map<string, number>;
}

interface Terminated {
  workflowId: string;
  runId: string;
  projectId: string;
  closedAt: number;
}

/**
 * Carries what was terminated since the last look to the rows: campaigns, jobs and executions are cancelled. Others
 * start again by the reconcile sweep. A row that has ended, or whose Temporal workflow runs anew (a reset in the Web UI
 * terminates the old run), stays as it is.
 */
export async function carryTerminations(ctx: Context, client: Client, look: Look): Promise<void> {
  let latest = look.since;
  let executions: string[] = [];
  for await (const terminated of terminatedSince(client, look.since)) {
    const { workflowId, runId, closedAt } = terminated;
    latest = Math.max(latest, closedAt - OVERLAP);
    if (workflowId.startsWith(EXECUTION)) {
      executions.push(workflowId.slice(EXECUTION.length));
      if (executions.length < PAGE) continue;
      await cancelTerminated(ctx, client, executions);
      executions = [];
    } else if (!look.done.has(runId) && (await cancelResource(ctx, client, terminated))) {
      look.done.set(runId, closedAt);
    }
  }
  await cancelTerminated(ctx, client, executions);
  look.since = latest;
  for (const [runId, closedAt] of look.done) if (closedAt < latest) look.done.delete(runId);
}

/**
 * @returns whether there is no more to do; a campaign whose last emails are in the transport's hands is worth another
 * look
 */
async function cancelResource(ctx: Context, client: Client, { workflowId, projectId }: Terminated): Promise<boolean> {
  if ((await statusOf(client, workflowId)) !== 'TERMINATED') return true;
  const [kind, id = '', attempt] = workflowId.split(':');
  if (kind === 'campaign') return cancel(ctx, { campaignId: id, projectId, attempt: Number(attempt) });
  await cancelJob(ctx, { jobId: id, projectId });
  return true;
}

async function* terminatedSince(client: Client, since: number): AsyncGenerator<Terminated> {
  const query = `ExecutionStatus = 'Terminated' AND ResourceKind IN (${KINDS.map((kind) => `'${kind}'`).join(', ')}) AND CloseTime >= '${new Date(since).toISOString()}'`;
  for await (const { workflowId, runId, closeTime, typedSearchAttributes } of client.workflow.list({
    query,
    pageSize: PAGE,
  })) {
    const projectId = typedSearchAttributes.get(SEARCH_ATTRIBUTES.projectId);
    if (projectId && closeTime) yield { workflowId, runId, projectId, closedAt: closeTime.getTime() };
  }
}

async function cancelTerminated(ctx: Context, client: Client, ids: string[]): Promise<void> {
  const active = ids.length > 0 ? await activeAmong(ctx.pool, ids) : [];
  const statuses = await statusesOf(client, active);
  const terminated = active.filter((id) => statuses.get(id) === 'TERMINATED');
  if (terminated.length === 0) return;
  await cancelExecutionRows(ctx.pool, terminated, CANCELLED_IN_TEMPORAL);
  ctx.log.info({ cancelled: terminated.length }, 'Executions were terminated in Temporal');
}
