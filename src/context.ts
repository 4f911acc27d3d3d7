/** What every part of a process shares. Passed explicitly: nothing of ours lives in a module's state. */
import { createPrisma, type Prisma } from './db/prisma.js';
import { createPool, type Pool } from './db/pool.js';
import { createWake, type Wake } from './db/wake.js';
import { createDns, type Dns } from './dns.js';
import { createColumnCache, type ColumnCache } from './domain/columns/cache.js';
import { createLinks, type Links } from './mail/links.js';
import type { Config } from './config.js';
import type { Log } from './log.js';

export interface Context {
  config: Config;
  log: Log;
  pool: Pool;
  prisma: Prisma;
  /** Hints to the relay and the dispatcher that there is work; call it after the commit. */
  wake: Wake;
  links: Links;
  dns: Dns;
  /** Columns of contacts that were read lately. */
  columns: ColumnCache;
  close(): Promise<void>;
}

export interface ContextOptions {
  /** Shown in pg_stat_activity. */
  name: string;
}

export function createContext(config: Config, log: Log, { name }: ContextOptions): Context {
  const pool = createPool({
    databaseUrl: config.DATABASE_URL,
    max: config.DATABASE_POOL,
    name: `sendloom-${name}`,
    onError: (error) => log.warn({ err: error }, 'A database connection was lost'),
  });
  const prisma = createPrisma(pool);
  return {
    config,
    log,
    pool,
    prisma,
    wake: createWake(pool),
    links: createLinks({ secretKey: config.SECRET_KEY, publicUrl: config.PUBLIC_URL }),
    dns: createDns(config.DNS_SERVERS),
    columns: createColumnCache(),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
