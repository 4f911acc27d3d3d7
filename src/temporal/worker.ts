/**
 * The worker process: dispatcher and relay, which live from the database alone, and the Temporal workers, which join as soon as Temporal is there.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createCampaignActivities } from '../../activities/campaign.js';
import { createDomainActivities } from '../../activities/domains.js';
import { createExecutionActivities } from '../../activities/execution.js';
import { createJobActivities } from '../../activities/jobs.js';
import { createMaintenanceActivities } from '../../activities/maintenance.js';
import { createContext, type Context } from '../context.js';
import type { Config } from '../config.js';
import { listen } from '../db/wake.js';
import { startColumnKeeper } from '../domain/columns/keeper.js';
import { startDispatcher } from '../domain/emails/dispatcher.js';
import { startLiveness } from '../domain/emails/liveness.js';
import { createMailer } from '../domain/emails/mailer.js';
import { createOutage, type PumpTools } from '../domain/emails/pump.js';
import { createSlots } from '../domain/emails/slots.js';
import { startHitDrain } from '../domain/tracking/drain.js';
import { newId } from '../ids.js';
import type { Log } from '../log.js';
import { createTransport, type Transport } from '../mail/transport.js';
import { connectTemporal } from './connection.js';
import { TASK_QUEUES } from './ids.js';
import { startReconcile } from './reconcile.js';
import { startRelay } from './relay.js';
import { installRuntime } from './runtime.js';
import { watchTerminations } from './terminations.js';

export interface RunningWorker {
  stop: () => Promise<void>;
}

export interface WorkerParts {
  /** Tests put a recording one here. */
  transport?: Transport;
  /** The workflows, where they are not built. */
  workflows?: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
}

const SHUTDOWN_GRACE = 30_000;
/** How long a stop waits for a mail server that says nothing; what it cuts off is tried again by the next worker. */
const PATIENCE = 20_000;

/** Starts a worker: hands emails over, carries intents to Temporal, runs workflows and activities. Returns when the database is reached; Temporal may come later. */
export async function startWorker(config: Config, log: Log, parts: WorkerParts = {}): Promise<RunningWorker> {
  installRuntime(log);
  const ctx = createContext(config, log, { name: 'worker' });
  const workerId = newId();
  const transport =
    parts.transport ?? createTransport({ urls: config.SMTP_URL.split(',').map((url) => url.trim()), connections: config.SMTP_CONNECTIONS, coolDownMs: 5000 });
  const stopping = new AbortController();
  const tools: PumpTools = {
    pool: ctx.pool,
    log,
    workerId,
    mailer: createMailer(ctx, transport),
    slots: createSlots(config.SMTP_CONNECTIONS),
    outage: createOutage(),
    held: new Set(),
  };

  const liveness = await startLiveness(ctx, workerId, tools.held);
  const dispatcher = startDispatcher(ctx, tools);
  const hits = startHitDrain(ctx);
  const columns = startColumnKeeper(ctx);
  const temporal = startTemporal(ctx, tools, stopping.signal, parts.workflows ?? builtWorkflows());
  const listener = listen(config.DATABASE_URL, (topic) => {
    if (topic === 'emails') dispatcher.wake();
    else if (topic === 'hits') hits.wake();
    else temporal.wake();
  });

  return {
    async stop() {
      stopping.abort();
      await listener.stop();
      // Batches hear of the stop by the signal, the dispatcher directly; both finish what they have claimed.
      const hurry = setTimeout(() => void transport.close({ graceMs: 0 }), PATIENCE);
      await Promise.all([dispatcher.stop(), hits.stop(), columns.stop(), temporal.stop()]);
      clearTimeout(hurry);
      await transport.close({ graceMs: 5000 });
      await liveness.stop();
      await ctx.close();
    },
  };
}

/** The bundle of the build, else the sources beside it. */
function builtWorkflows(): NonNullable<WorkerParts['workflows']> {
  const bundle = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  // `.js` in the build, `.ts` where the sources run as they are.
  return { workflowsPath: fileURLToPath(new URL(`../../workflows/index${path.extname(import.meta.url)}`, import.meta.url)) };
}

interface TemporalSide {
  wake: () => void;
  stop: () => Promise<void>;
}

/** Everything that needs Temporal; it starts when Temporal is reached, and starts anew when the workers end by themselves. */
function startTemporal(ctx: Context, tools: PumpTools, stopping: AbortSignal, workflows: NonNullable<WorkerParts['workflows']>): TemporalSide {
  let wakeRelay: () => void = () => undefined;

  const run = async (): Promise<void> => {
    while (!stopping.aborted) {
      const connection = await connectTemporal(ctx.config, ctx.log, stopping);
      if (!connection) return;
      try {
        await serve(connection);
      } catch (error) {
        ctx.log.error({ err: error }, 'The Temporal workers ended; they start again');
        await new Promise((resolve) => setTimeout(resolve, 1000));
      } finally {
        await connection.close().catch((error: unknown) => ctx.log.warn({ err: error }, 'The Temporal connection could not be closed'));
      }
    }
  };

  const serve = async (connection: NativeConnection): Promise<void> => {
    const client = new Client({ connection, namespace: ctx.config.TEMPORAL_NAMESPACE });
    const activities = {
      ...createCampaignActivities(ctx, tools, stopping),
      ...createDomainActivities(ctx),
      ...createExecutionActivities(ctx),
      ...createJobActivities(ctx),
      ...createMaintenanceActivities(ctx),
    };
    const workers = await Promise.all(
      TASK_QUEUES.map((taskQueue) =>
        Worker.create({
          connection,
          namespace: ctx.config.TEMPORAL_NAMESPACE,
          taskQueue,
          activities,
          ...workflows,
          shutdownGraceTime: SHUTDOWN_GRACE,
          maxCachedWorkflows: 500,
          maxConcurrentActivityTaskExecutions: 50,
          maxConcurrentLocalActivityExecutions: 50,
        }),
      ),
    );
    const running = Promise.all(workers.map((worker) => worker.run()));
    const relay = startRelay(ctx, client);
    const reconcile = startReconcile(ctx, client);
    const terminations = watchTerminations(ctx, client);
    wakeRelay = relay.wake;
    const shutdown = (): void => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    stopping.addEventListener('abort', shutdown, { once: true });
    // The stop may have come while the workers were made.
    if (stopping.aborted) shutdown();
    try {
      await running;
    } finally {
      shutdown();
      await relay.stop();
      await Promise.all([reconcile.stop(), terminations.stop()]);
    }
  };

  const running = run().catch((error: unknown) => ctx.log.error({ err: error }, 'The Temporal side of the worker failed'));
  return {
    wake: () => wakeRelay(),
    async stop() {
      await running;
    },
  };
}
