/** The worker alone, against given servers. */
import { completeConfig, ConfigError, parseEnvironment } from './config.js';
import { createLog } from './log.js';
import { surround } from './operations/start.js';
import { manageProcess, runMain } from './process.js';
import { startWorker } from './temporal/worker.js';

const log = createLog(process.env.LOG_LEVEL || 'info');
const life = manageProcess(log);

await runMain(
  life,
  log,
  async () => {
    const config = completeConfig(parseEnvironment(process.env));
    log.level = config.LOG_LEVEL;
    const around = await surround(life, config, log, { service: 'sendloom-worker', worker: true });
    const worker = await life.start('worker', 'worker', () => startWorker(config, log, around));
    await around.listen([worker.readiness]);
    log.info('the worker is ready');
  },
  (error) => (error instanceof ConfigError ? error.message : null),
);
