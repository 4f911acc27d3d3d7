/** The API alone. All servers that it uses run elsewhere. */
import { completeConfig, parseEnvironment } from './config.js';
import { waitForDatabase } from './db/wait-for-database.js';
import { startObservability } from './operations/start.js';
import { runProcess } from './process.js';

await runProcess(async (life, log) => {
  const config = completeConfig(parseEnvironment(process.env));
  log.level = config.LOG_LEVEL;
  // An invalid configuration is reported before the rest is loaded.
  const { startApi } = await import('./api/server.js');
  const around = await startObservability(life, config, log, 'sendloom-api');
  await waitForDatabase({ databaseUrl: config.DATABASE_URL, log, signal: life.signal });
  const api = await life.start('requests', 'api', () => startApi(config, log, around));
  around.report({ readiness: [api.readiness], sdkMetrics: null });
  log.info({ url: api.url }, 'the API is ready');
});
