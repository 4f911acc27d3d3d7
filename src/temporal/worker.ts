/**
 * The worker process: parts that need only the database, such as the dispatcher, and the Temporal workers, which start
 * when Temporal is available.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createCampaignActivities } from '../../activities/campaign.js';
import { createDomainActivities } from '../../activities/domains.js';
import { createExecutionActivities } from '../../activities/execution.js';
import { createJobActivities } from '../../activities/jobs.js';
import { createMaintenanceActivities } from '../../activities/maintenance.js';
import { createWebhookActivities } from '../../activities/webhooks.js';
import { createContext, type Context } from '../context.js';
import type { Config } from '../config.js';
import { createPool, type Pool } from '../db/pool.js';
import { listen } from '../db/wake.js';
import { startEmailWriter } from '../domain/accounts/emails.js';
import { startDelivery, type Delivery } from '../domain/delivery/delivery.js';
import { startDispatcher } from '../domain/delivery/dispatcher.js';
import { startRelease } from '../domain/delivery/release.js';
import { createComposer } from '../domain/emails/compose.js';
import { startLiveness } from '../domain/emails/liveness.js';
import { createPace } from '../domain/executions/pace.js';
import { MAX_CONCURRENT_REQUESTS } from '../domain/executions/webhook/retry.js';
import { startFrequentTasks } from '../domain/maintenance/maintenance.js';
import { startReputationWatch } from '../domain/reputation/watch.js';
import { startHitDrain } from '../domain/tracking/drain.js';
import { startSegmentFollower } from '../domain/segments/follow.js';
import { startInbound } from '../inbound/start.js';
import { newId } from '../ids.js';
import type { Log } from '../log.js';
import { createSmtpClient, type SmtpClient } from '../mail/smtp/client.js';
import type { Metrics } from '../operations/metrics.js';
import { stateOf, type Readiness } from '../operations/readiness.js';
import type { Telemetry } from '../operations/telemetry.js';
import { connectTemporal } from './connection.js';
import { TASK_QUEUES } from './ids.js';
import { startReconcile } from './reconcile.js';
import { startRelay } from './relay.js';
import { installRuntime } from './runtime.js';
import { watchTerminations } from './terminations.js';
import { createThreadSharingWorkerClass } from './workflow-thread.js';

export interface RunningWorker {
  readiness: Pick<Readiness, 'check'>;
  /** The URL of the Temporal SDK's own metrics, or null. */
  sdkMetrics: string | null;
  stop: () => Promise<void>;
}

export interface WorkerParts {
  /** With them, the Temporal SDK serves its own metrics too. */
  metrics?: Metrics;
  /** Aborts a start that waits for PostgreSQL. */
  signal?: AbortSignal;
  /** Exports spans. */
  telemetry?: Telemetry | null;
  /** Replaces the SMTP client in tests. */
  transport?: SmtpClient;
  /** Replaces the built workflows. */
  workflows?: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
}

/** One for claims and records, one for the search of due scheduled email, and one for intents. */
const QUEUE_CONNECTIONS = 3;
const SHUTDOWN_GRACE_MS = 30_000;
const RESTART_DELAY_MS = 1000;
/**
 * Concurrency per task queue. Executions are many and wait long, so `automation` caches the most workflows. A workflow that is
 * not in the cache is replayed when it wakes.
 */
const SLOTS = {
  automation: {
    maxCachedWorkflows: 1000,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentLocalActivityExecutions: 50,
  },
  webhooks: { maxConcurrentActivityTaskExecutions: MAX_CONCURRENT_REQUESTS },
  // A campaign with a rate limit occupies a slot while it waits.
  bulk: { maxCachedWorkflows: 100, maxConcurrentActivityTaskExecutions: 200, maxConcurrentLocalActivityExecutions: 50 },
  system: {
    maxCachedWorkflows: 100,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentLocalActivityExecutions: 50,
  },
} as const satisfies Record<(typeof TASK_QUEUES)[number], Partial<WorkerOptions>>;
/** How long a stop waits for a silent mail server. Another worker retries the emails that it cuts off. */
const DRAIN_TIMEOUT_MS = 20_000;

/**
 * Starts a worker, which sends emails, delivers intents to Temporal, and runs workflows and activities. Resolves when
 * the database is reached; Temporal may become available later.
 */
export async function startWorker(config: Config, log: Log, parts: WorkerParts = {}): Promise<RunningWorker> {
  const sdkMetrics = await installRuntime(log, parts.metrics !== undefined);
  const ctx = createContext(config, log, { name: 'worker', metrics: parts.metrics });
  ctx.metrics.watchQueues(ctx.pool);
  const workerId = newId();
  const client =
    parts.transport ??
    createSmtpClient({
      urls: config.SMTP_URL.split(',').map((url) => url.trim()),
      connections: config.SMTP_CONNECTIONS,
      coolDownMs: 5000,
    });
  const stopping = new AbortController();
  const composer = createComposer(ctx);
  const claims = new Map<string, number>();

  const liveness = await startLiveness(ctx, workerId, claims, parts.signal);
  const delivery = startDelivery(ctx, { client, composer, workerId });
  const queuePool = createPool({
    databaseUrl: config.DATABASE_URL,
    max: QUEUE_CONNECTIONS,
    name: 'sendloom-queue',
    isForLookups: true,
    onError: (error) => log.warn({ err: error }, 'A database connection of the queues was lost'),
  });
  ctx.metrics.watchPool('queue', queuePool);
  const dispatcher = startDispatcher(ctx, {
    client,
    composer,
    workerId,
    claims,
    journal: delivery.journal,
    pool: queuePool,
  });
  const release = startRelease({ pool: queuePool, log }, dispatcher);
  const hits = startHitDrain(ctx);
  const segments = startSegmentFollower(ctx);
  const inbound = startInbound(ctx);
  const accounts = startEmailWriter(ctx);
  const reputation = startReputationWatch(ctx);
  const tasks = startFrequentTasks(ctx);
  const plugins = parts.telemetry ? [parts.telemetry.plugin] : [];
  const workflows = parts.workflows ?? (await loadWorkflows(plugins));
  const temporal = startTemporal(ctx, delivery, { queuePool, stopping: stopping.signal, workflows, plugins });
  const listener = listen(config.DATABASE_URL, (topic) => {
    if (topic === 'emails') dispatcher.wake();
    else if (topic === 'hits') hits.wake();
    else if (topic === 'accounts') accounts.wake();
    else if (topic === 'campaigns') delivery.wake();
    else temporal.wake();
  });

  return {
    sdkMetrics,
    readiness: {
      async check() {
        const report = await ctx.readiness.check();
        return {
          ...report,
          ready: report.ready && temporal.isServing(),
          parts: { ...report.parts, workers: stateOf(temporal.isServing()) },
        };
      },
    },
    async stop() {
      ctx.readiness.drain();
      stopping.abort();
      await listener.stop();
      // Lanes and dispatcher finish the emails in flight.
      const timer = setTimeout(() => void client.close({ graceMs: 0 }), DRAIN_TIMEOUT_MS);
      await Promise.all([
        dispatcher.stop(),
        release.stop(),
        hits.stop(),
        segments.stop(),
        inbound.stop(),
        accounts.stop(),
        reputation.stop(),
        ...tasks.map((task) => task.stop()),
        temporal.stop(),
      ]);
      clearTimeout(timer);
      await Promise.all([delivery.stop(), queuePool.end()]);
      await client.close({ graceMs: 5000 });
      await liveness.stop();
      await ctx.close();
    },
  };
}

/**
 * Returns the built bundle of the workflows, or their sources. With plugins, it bundles them again, because plugins run
 * inside workflows.
 */
async function loadWorkflows(plugins: Telemetry['plugin'][]): Promise<NonNullable<WorkerParts['workflows']>> {
  const bundle = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  if (existsSync(bundle) && plugins.length === 0) return { workflowBundle: { codePath: bundle } };
  // `.js` in the build, `.ts` if the sources run directly.
  const workflowsPath = fileURLToPath(
    new URL(`../../workflows/index${path.extname(import.meta.url)}`, import.meta.url),
  );
  return plugins.length === 0
    ? { workflowsPath }
    : { workflowBundle: await bundleWorkflowCode({ workflowsPath, plugins }) };
}

interface TemporalSide {
  wake: () => void;
  /** Whether the Temporal workers run. */
  isServing: () => boolean;
  stop: () => Promise<void>;
}

interface TemporalSideOptions {
  queuePool: Pool;
  stopping: AbortSignal;
  workflows: NonNullable<WorkerParts['workflows']>;
  plugins: Telemetry['plugin'][];
}

/** Starts the parts that need Temporal when it is available, and restarts them if the workers end unexpectedly. */
function startTemporal(
  ctx: Context,
  delivery: Delivery,
  { queuePool, stopping, workflows, plugins }: TemporalSideOptions,
): TemporalSide {
  let isServing = false;
  let wakeRelay: () => void = () => undefined;

  const runUntilStopped = async (): Promise<void> => {
    while (!stopping.aborted) {
      const connection = await connectTemporal(ctx.config, ctx.log, stopping);
      if (!connection) return;
      try {
        await serveTemporal(connection);
      } catch (error) {
        ctx.log.error({ err: error }, 'The Temporal workers ended unexpectedly and are restarted');
        await new Promise((resolve) => setTimeout(resolve, RESTART_DELAY_MS));
      } finally {
        await connection
          .close()
          .catch((error: unknown) => ctx.log.warn({ err: error }, 'Closing the Temporal connection failed'));
      }
    }
  };

  const serveTemporal = async (connection: NativeConnection): Promise<void> => {
    const client = new Client({ connection, namespace: ctx.config.TEMPORAL_NAMESPACE, plugins });
    const pace = createPace();
    const activities = {
      ...createCampaignActivities(ctx, delivery, stopping),
      ...createDomainActivities(ctx),
      ...createExecutionActivities(ctx, pace),
      ...createJobActivities(ctx),
      ...createMaintenanceActivities(ctx),
      ...createWebhookActivities(ctx, stopping),
    };
    const WorkflowWorker = createThreadSharingWorkerClass();
    const workers = await Promise.all(
      TASK_QUEUES.map((taskQueue) => {
        const hasWorkflows = taskQueue !== 'webhooks';
        return (hasWorkflows ? WorkflowWorker : Worker).create({
          connection,
          namespace: ctx.config.TEMPORAL_NAMESPACE,
          taskQueue,
          activities,
          shutdownGraceTime: SHUTDOWN_GRACE_MS,
          plugins,
          ...(hasWorkflows && workflows),
          ...SLOTS[taskQueue],
        });
      }),
    );
    const running = Promise.all(workers.map((worker) => worker.run()));
    const relay = startRelay({ pool: queuePool, log: ctx.log }, client, pace);
    const reconcile = startReconcile(ctx, client);
    const terminations = watchTerminations(ctx, client);
    wakeRelay = relay.wake;
    isServing = true;
    const shutdown = (): void => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    stopping.addEventListener('abort', shutdown, { once: true });
    // The stop may have begun while the workers were created.
    if (stopping.aborted) shutdown();
    try {
      await running;
    } finally {
      isServing = false;
      shutdown();
      await relay.stop();
      await Promise.all([reconcile.stop(), terminations.stop()]);
    }
  };

  const running = runUntilStopped().catch((error: unknown) =>
    ctx.log.error({ err: error }, 'The Temporal part of the worker failed'),
  );
  return {
    wake: () => wakeRelay(),
    isServing: () => isServing,
    async stop() {
      await running;
    },
  };
}
