/**
 * Everything in one process: the embedded servers that no variable replaces, the API and the worker. What `npm start`
 * runs.
 */
import { startApi } from './api/server.js';
import { banner } from './banner.js';
import { ConfigError, parseEnvironment } from './config.js';
import { migrate } from './db/migrate.js';
import { startEmbedded } from '../packages/embedded/src/index.js';
import { DataDirInUseError } from '../packages/embedded/src/processes.js';
import { createLog } from './log.js';
import { surround } from './operations/start.js';
import { manageProcess, runMain } from './process.js';
import { startWorker } from './temporal/worker.js';

const log = createLog(process.env.LOG_LEVEL || 'info');
const life = manageProcess(log);

await runMain(life, log, main, explain);

async function main(): Promise<void> {
  const environment = parseEnvironment(process.env);
  log.level = environment.LOG_LEVEL;
  const embedded = await life.start('servers', 'embedded servers', () => startEmbedded(environment, log));
  const { config, addresses } = embedded;
  void embedded.failed.then((error) => {
    log.fatal({ err: error }, 'an embedded server is gone for good');
    return life.end('an embedded server is gone', 1);
  });
  await migrate({ databaseUrl: config.DATABASE_URL, log });
  const around = await surround(life, config, log, { service: 'sendloom', worker: true });
  const [api, worker] = await Promise.all([
    life.start('requests', 'api', () => startApi(config, log, around)),
    life.start('worker', 'worker', () => startWorker(config, log, around)),
  ]);
  await around.listen([api.readiness, worker.readiness]);
  await embedded.publish({ api: api.url });
  process.stdout.write(
    banner({
      api: api.url,
      inbox: addresses.inbox,
      inbound: addresses.inbound,
      temporalUi: addresses.temporalUi,
      database: config.DATABASE_URL,
    }),
  );
}

/** One line for what a reader can mend. */
function explain(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof DataDirInUseError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return `Port ${process.env.PORT || 3000} is taken. Stop what listens there, or set PORT to another one.`;
  return null;
}
