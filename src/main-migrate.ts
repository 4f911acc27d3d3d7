/** Migrates the database and exits. Run it once, before the API and the worker of a new version start. */
import { ConfigError, parseEnvironment } from './config.js';
import { migrate } from './db/migrate.js';
import { createLog } from './log.js';
import { explainStartError } from './process.js';

const log = createLog(process.env.LOG_LEVEL || 'info');

try {
  const { DATABASE_URL, LOG_LEVEL } = parseEnvironment(process.env);
  log.level = LOG_LEVEL;
  if (!DATABASE_URL)
    throw new ConfigError(
      'The configuration is invalid:\n  DATABASE_URL is required. (`npm start` migrates its embedded database itself.)',
    );
  const applied = await migrate({ databaseUrl: DATABASE_URL, log });
  if (applied.length === 0) log.info('No migrations to apply');
} catch (error) {
  const message = explainStartError(error);
  if (message === null) log.fatal({ err: error }, 'The database was not migrated');
  else process.stderr.write(`\n${message}\n\n`);
  process.exitCode = 1;
}
