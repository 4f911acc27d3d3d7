/** What all parts of a process share. It is passed explicitly: no module keeps state of its own. */
import { createPrisma, type Prisma } from './db/prisma.js';
import { createPool, type Pool } from './db/pool.js';
import { createWake, type Wake } from './db/wake.js';
import { createDns, type Dns } from './dns.js';
import { createProvider, type Provider } from './domain/billing/provider.js';
import { Surveys } from './domain/contacts/surveys.js';
import { createLinks, type Links } from './mail/links.js';
import { createReturnPaths, type ReturnPaths } from './mail/return-path.js';
import { inboundHost, type Config } from './config.js';
import type { Log } from './log.js';
import { createMetrics, type Metrics } from './operations/metrics.js';
import { createReadiness, type Readiness } from './operations/readiness.js';
import { createStorage, type Storage } from './storage/index.js';

export interface Context {
  config: Config;
  log: Log;
  pool: Pool;
  /** Tells the relay and the dispatcher that there is work. Call it after the commit. */
  wake: Wake;
  links: Links;
  /** The addresses to which emails bounce. */
  returnPaths: ReturnPaths;
  dns: Dns;
  /** Recent results of queries over all contacts of a project. */
  surveys: Surveys;
  /** The payment provider; null if billing is disabled. */
  provider: Provider | null;
  /** Uploaded files. */
  storage: Storage;
  metrics: Metrics;
  readiness: Readiness;
  close(): Promise<void>;
}

/** What the API also has. The code of the worker takes a `Context`, because it runs no query through Prisma (src/db/prisma.ts). */
export interface ApiContext extends Context {
  prisma: Prisma;
}

export interface ContextOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  /** The metrics of the process. Default: new ones. */
  metrics?: Metrics;
}

export function createContext(
  config: Config,
  log: Log,
  { name, metrics = createMetrics() }: ContextOptions,
): ApiContext {
  const pool = createPool({
    databaseUrl: config.DATABASE_URL,
    max: config.DATABASE_POOL,
    name: `sendloom-${name}`,
    onError: (error) => log.warn({ err: error }, 'A database connection was lost'),
  });
  metrics.watchPool(name, pool);
  const readiness = createReadiness(config, pool);
  const prisma = createPrisma(pool);
  return {
    config,
    log,
    pool,
    prisma,
    wake: createWake(pool),
    links: createLinks({
      secretKey: config.SECRET_KEY,
      publicUrl: config.PUBLIC_URL,
      mailHost: inboundHost(config),
    }),
    returnPaths: createReturnPaths(config.SECRET_KEY),
    dns: createDns(config.DNS_SERVERS),
    surveys: new Surveys(pool, log),
    provider: createProvider(config),
    storage: createStorage(config),
    metrics,
    readiness,
    async close() {
      await readiness.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
