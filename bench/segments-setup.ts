/** A million contacts behind an API, for the benchmarks of segments and lists. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildApp, type App } from '../src/api/app.js';
import { completeConfig, parseEnvironment } from '../src/config.js';
import { createContext, type ApiContext } from '../src/context.js';
import { migrate } from '../src/db/migrate.js';
import { startPostgres } from '../packages/embedded/src/postgres.js';
import { createLog } from '../src/log.js';
import { makeProject, type BenchProject } from './harness.js';
import { loadData, vacuumData, type DataSize } from './segments-data.js';

export interface ScaleBench {
  ctx: ApiContext;
  project: BenchProject;
  /** A request through the app, without a socket. @returns the answer's body; throws for any answer but a success */
  call: (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: unknown) => Promise<unknown>;
  /** Opens a port. @returns the origin, such as `http://127.0.0.1:1234` */
  listen: () => Promise<string>;
  stop: () => Promise<void>;
}

/** Projects that share the database with the measured one: 40, with 0.025 % to 1 % of its contacts each. */
const OTHER_PROJECTS = 40;

/** A project with a million contacts, next to 40 smaller ones. */
export const startScaleBench = (size: DataSize): Promise<ScaleBench> => startDataBench((ctx) => loadProject(ctx, size));

/**
 * Starts a durable PostgreSQL, loads the data and builds the API. With `BENCH_DATA_DIR` the database stays there, and
 * is used as it is when it has the data already.
 *
 * @param load writes the data, and returns the project that is measured
 */
export async function startDataBench(load: (ctx: ApiContext) => Promise<BenchProject>): Promise<ScaleBench> {
  const kept = process.env.BENCH_DATA_DIR;
  const dataDir = kept ?? (await mkdtemp(path.join(os.tmpdir(), 'sendloom-bench-')));
  await mkdir(dataDir, { recursive: true });
  // As root, PostgreSQL runs as another user, who must be able to enter.
  await chmod(dataDir, 0o711);
  const log = createLog('error');
  const postgres = await startPostgres({ dataDir, port: 0, log });
  await migrate({ databaseUrl: postgres.url, log });
  const config = completeConfig(
    parseEnvironment({
      ...process.env,
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      SECRET_KEY: 'benchmark-benchmark-benchmark-benchmark',
      RATE_LIMIT_PER_MINUTE: '100000000',
      LOG_LEVEL: 'error',
    }),
  );
  const ctx = createContext(config, log, { name: 'bench' });
  const app = await buildApp(ctx);
  const project = (await loadedProject(ctx)) ?? (await loadAndKeep(ctx, load));
  return {
    ctx,
    project,
    call: callOf(app, project),
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    async stop() {
      await app.close();
      await ctx.close();
      await postgres.stop();
      if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function loadProject(ctx: ApiContext, size: DataSize): Promise<BenchProject> {
  const project = await makeProject(ctx);
  const begun = performance.now();
  await loadData(ctx.pool, project.id, size);
  for (let number = 1; number <= OTHER_PROJECTS; number++) {
    const other = await makeProject(ctx);
    const rows = (size.contacts / 4000) * number;
    await loadData(ctx.pool, other.id, { contacts: rows, events: rows });
  }
  await vacuumData(ctx.pool);
  console.log(
    `${size.contacts} contacts and ${size.events} events in ${Math.round((performance.now() - begun) / 1000)} s`,
  );
  return project;
}

async function loadAndKeep(ctx: ApiContext, load: (ctx: ApiContext) => Promise<BenchProject>): Promise<BenchProject> {
  const project = await load(ctx);
  // For the next run: the secret key is not stored anywhere else.
  await ctx.pool.query('CREATE TABLE bench_project AS SELECT $1::jsonb AS project', [JSON.stringify(project)]);
  return project;
}

async function loadedProject({ pool }: ApiContext): Promise<BenchProject | undefined> {
  const { rows } = await pool.query<{ found: boolean }>(`SELECT to_regclass('bench_project') IS NOT NULL AS found`);
  if (!rows[0]?.found) return undefined;
  return (await pool.query<{ project: BenchProject }>('SELECT project FROM bench_project')).rows[0]?.project;
}

const callOf =
  (app: App, project: BenchProject): ScaleBench['call'] =>
  async (method, url, body) => {
    const response = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${project.secret}` },
      ...(body !== undefined && {
        payload: JSON.stringify(body),
        headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
      }),
    });
    if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`);
    return response.body === '' ? null : response.json();
  };

export interface Timing {
  best: number;
  median: number;
}

/** Milliseconds of several runs, after two that warm up. */
export async function time(
  run: () => Promise<unknown>,
  { warm = 2, runs = 7 }: { warm?: number; runs?: number } = {},
): Promise<Timing> {
  const times: number[] = [];
  for (let number = 0; number < warm + runs; number++) {
    const begun = performance.now();
    await run();
    if (number >= warm) times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  return { best: times[0] ?? 0, median: times[Math.floor(times.length / 2)] ?? 0 };
}

/** Milliseconds of one run. */
export async function once(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

export const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
export const formatTiming = ({ best, median }: Timing): string => `${ms(median)} (${ms(best)})`;

/** How much else the machine does: figures of a loaded one say little. */
export const loadAverage = (): string =>
  `load of the last minute on ${os.cpus().length} processors: ${(os.loadavg()[0] ?? 0).toFixed(1)}`;
