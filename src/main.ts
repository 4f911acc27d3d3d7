/** `npm start`: the API, the worker, and the embedded servers that no variable replaces, in one process. */
import { startEmbedded } from '../packages/embedded/src/index.js';
import { banner } from './banner.js';
import { parseEnvironment } from './config.js';
import { migrate } from './db/migrate.js';
import { startObservability } from './operations/start.js';
import { runProcess } from './process.js';

await runProcess(async (life, log) => {
  const environment = parseEnvironment(process.env);
  log.level = environment.LOG_LEVEL;
  // The API and the worker are loaded while the servers start.
  const [embedded, { startApi }, { startWorker }] = await Promise.all([
    life.start('servers', 'embedded servers', () => startEmbedded(environment, log, life.signal)),
    import('./api/server.js'),
    import('./temporal/worker.js'),
  ]);
  const { config, addresses } = embedded;
  void embedded.failed.then((error) => {
    log.fatal({ err: error }, 'an embedded server failed permanently');
    return life.end('an embedded server failed', 1);
  });
  await migrate({ databaseUrl: config.DATABASE_URL, log, signal: life.signal });
  const around = await startObservability(life, config, log, 'sendloom');
  const [api, worker] = await Promise.all([
    life.start('requests', 'api', () => startApi(config, log, around)),
    life.start('worker', 'worker', () => startWorker(config, log, { ...around, signal: life.signal })),
  ]);
  around.report({ readiness: [api.readiness, worker.readiness], sdkMetrics: worker.sdkMetrics });
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
});
