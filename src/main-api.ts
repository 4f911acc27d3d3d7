/** The API alone, against given servers. */
import { startApi } from './api/server.js';
import { completeConfig, ConfigError, parseEnvironment } from './config.js';
import { createLog } from './log.js';
import { surround } from './operations/start.js';
import { manageProcess, runMain } from './process.js';

const log = createLog(process.env.LOG_LEVEL || 'info');
const life = manageProcess(log);

await runMain(
  life,
  log,
  async () => {
    const config = completeConfig(parseEnvironment(process.env));
    log.level = config.LOG_LEVEL;
    const around = await surround(life, config, log, { service: 'sendloom-api', worker: false });
    const api = await life.start('requests', 'api', () => startApi(config, log, around));
    await around.listen([api.readiness]);
    log.info({ url: api.url }, 'the API is ready');
  },
  (error) => {
    if (error instanceof ConfigError) return error.message;
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      ? `Port ${process.env.PORT || 3000} is taken. Stop what listens there, or set PORT to another one.`
      : null;
  },
);
