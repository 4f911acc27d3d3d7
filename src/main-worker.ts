/** The worker alone. All servers that it uses run elsewhere. */
import { completeConfig, parseEnvironment } from './config.js';
import { waitForDatabase } from './db/wait-for-database.js';
import { startObservability } from './operations/start.js';
import { runProcess } from './process.js';

await runProcess(async (life, log) => {
  const config = completeConfig(parseEnvironment(process.env));
  log.level = config.LOG_LEVEL;
  // An invalid configuration is reported before the rest is loaded.
  const { startWorker } = await import('./temporal/worker.js');
  const around = await startObservability(life, config, log, 'sendloom-worker');
  await waitForDatabase({ databaseUrl: config.DATABASE_URL, log, signal: life.signal });
  const worker = await life.start('worker', 'worker', () =>
    startWorker(config, log, { ...around, signal: life.signal }),
  );
  around.report({ readiness: [worker.readiness], sdkMetrics: worker.sdkMetrics });
  log.info('the worker is ready');
});
