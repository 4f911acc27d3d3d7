/** Shared by the benchmarks: servers, a sink, a project, and tables of figures. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createHash, randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { completeConfig, parseEnvironment, type Config } from '../src/config.js';
import { createContext, type ApiContext } from '../src/context.js';
import { migrate } from '../src/db/migrate.js';
import { startPostgres } from '../packages/embedded/src/postgres.js';
import { startTemporal } from '../packages/embedded/src/temporal.js';
import { newId } from '../src/ids.js';
import { createLog } from '../src/log.js';
import { encryptSecret } from '../src/mail/secrets.js';
import { generateDkimKey } from '../src/mail/sign.js';

export interface Sink {
  port: number;
  /** Emails since the last reset, the times of the first and the last one, and the CPU time of the sink so far, in µs. */
  read: () => Promise<{ count: number; first: number; last: number; cpuUs: number }>;
  reset: () => Promise<void>;
  /** Starts to record arrivals by the number in `Subject: mark <n>`. */
  watch: () => Promise<void>;
  arrivals: () => Promise<Map<string, number>>;
  /** Delays each reply. */
  delay: (delayMs: number) => Promise<void>;
}

interface SinkReply {
  port?: number;
  count: number;
  first: number;
  last: number;
  cpuUs: number;
  arrivals?: Array<[string, number]>;
}

const isReply = (value: unknown): value is SinkReply =>
  typeof value === 'object' && value !== null && ('port' in value || 'count' in value);

async function requestSink(child: ChildProcess, message: string | { delayMs: number }): Promise<SinkReply> {
  child.send(message);
  const [reply]: unknown[] = await once(child, 'message');
  if (!isReply(reply)) throw new Error('The sink sent an unexpected message.');
  return reply;
}

/** Starts bench/sink.mjs. It ends when `child` is disconnected. */
export async function startSink(): Promise<{ sink: Sink; child: ChildProcess }> {
  const child = fork(fileURLToPath(new URL('sink.mjs', import.meta.url)), { execArgv: [] });
  const [hello]: unknown[] = await once(child, 'message');
  if (!isReply(hello) || hello.port === undefined) throw new Error('The sink did not start');
  return {
    child,
    sink: {
      port: hello.port,
      read: () => requestSink(child, 'read'),
      reset: async () => void (await requestSink(child, 'reset')),
      watch: async () => void (await requestSink(child, 'watch')),
      arrivals: async () => new Map((await requestSink(child, 'arrivals')).arrivals),
      delay: async (delayMs) => void (await requestSink(child, { delayMs })),
    },
  };
}

export interface Bench {
  config: Config;
  ctx: ApiContext;
  sink: Sink;
  stop: () => Promise<void>;
}

/** Starts a durable PostgreSQL, a Temporal dev server, and a sink. */
export async function startBench(overrides: Record<string, string> = {}): Promise<Bench> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'sendloom-bench-'));
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(dataDir, 0o711);
  const log = createLog('error');
  const postgres = await startPostgres({ dataDir, port: 0, log });
  const temporal = await startTemporal({ dataDir, port: 0, uiPort: 0, namespace: 'default', log });
  const { sink, child } = await startSink();
  await migrate({ databaseUrl: postgres.url, log });
  const config = completeConfig(
    parseEnvironment({
      ...process.env,
      PORT: '0',
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporal.address,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?ignoreTLS=true`,
      SECRET_KEY: 'benchmark-benchmark-benchmark-benchmark',
      RATE_LIMIT_PER_MINUTE: '100000000',
      LOG_LEVEL: 'error',
      ...overrides,
    }),
  );
  const ctx = createContext(config, log, { name: 'bench' });
  return {
    config,
    ctx,
    sink,
    async stop() {
      await ctx.close();
      child.disconnect();
      await temporal.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface BenchProject {
  id: string;
  public: string;
  secret: string;
  domain: string;
}

/** Creates a project with a verified domain that has a real key. */
export async function makeProject(ctx: ApiContext): Promise<BenchProject> {
  const id = newId();
  const [publicKey, secret] = [
    `pk_${randomBytes(32).toString('hex')}`,
    `sk_${randomBytes(32).toString('hex')}`,
  ] as const;
  const domain = `${id.slice(-8)}.test`;
  const { privateKeyPem } = await generateDkimKey();
  await ctx.prisma.project.create({
    data: {
      id,
      name: 'Bench',
      publicKey,
      secretHash: createHash('sha256').update(secret).digest(),
      secretLast4: secret.slice(-4),
    },
  });
  await ctx.prisma.domain.create({
    data: {
      id: newId(),
      projectId: id,
      domain,
      status: 'VERIFIED',
      dkimSelector: 'bench',
      dkimPrivateKey: encryptSecret(ctx.config.SECRET_KEY, privateKeyPem),
      records: [],
      verifiedAt: new Date(),
    },
  });
  return { id, public: publicKey, secret, domain };
}

/** Adds subscribed contacts with a little data. */
export async function addContacts(ctx: ApiContext, projectId: string, count: number): Promise<void> {
  await ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $1, 'user' || n || '@example.test', true, jsonb_build_object('firstName', 'Name ' || n, 'plan', 'pro') FROM generate_series(1, $2) n`,
    [projectId, count],
  );
}

export const perSecond = (count: number, ms: number): number => Math.round((count / ms) * 1000);

/** The rate of stages that share the processors: each email costs the sum of their times. */
export const together = (...rates: number[]): number => Math.round(1 / rates.reduce((sum, rate) => sum + 1 / rate, 0));

export function printTable(rows: Array<Record<string, string | number>>): void {
  console.table(rows);
}
