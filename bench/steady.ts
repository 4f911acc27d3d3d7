/**
 * `npm start` under a steady load: tracked events, signed sends, and workflow executions (a delay and an email) at fixed
 * rates. Prints, per minute, the CPU of each program, latencies, and memory, and the CPU of the idle system first.
 *
 *   npx tsx bench/steady.ts [minutes]          10 by default; build with `npm run build` first
 *
 * BENCH_TRACK, BENCH_SEND, BENCH_EXECUTIONS: requests per second (200, 50, 10). Linux only: CPU is read from /proc.
 * BENCH_NODE_ARGS: further arguments of Node for the system, for example `--cpu-prof`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../packages/embedded/src/ports.js';
import { completeConfig, parseEnvironment } from '../src/config.js';
import { createContext, type ApiContext } from '../src/context.js';
import { createLog } from '../src/log.js';
import { delay, exit, insertGraph, insertTemplate, sendTemplate } from '../test/helpers/workflow-graph.js';
import { addContacts, makeProject, printTable, type BenchProject } from './harness.js';
import { load, percentile, type LoadResult } from './http.js';
import { MALLOC_ARENA_MAX, NODE_ARGS, readCpuOf } from './processes.js';

const CONTACT_COUNT = 20_000;
const IDLE_SECONDS = 20;
const WARM_UP_SECONDS = 10;
const MINUTE_MS = 60_000;
const PROGRAMS = ['node', 'postgres', 'temporal'] as const;

const minutes = Number(process.argv[2] ?? 10);
const rateOf = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const rates = {
  track: rateOf('BENCH_TRACK', 200),
  send: rateOf('BENCH_SEND', 50),
  executions: rateOf('BENCH_EXECUTIONS', 10),
};
const Addresses = z.object({ database: z.string(), temporal: z.string(), smtp: z.string(), dns: z.string() });

interface Usage {
  cpuMs: Record<string, number>;
  rssMb: number;
  /** Voluntary context switches of the main process, all threads together. */
  switches: number;
}

/** Returns the content of a file, or an empty string if its process or thread has ended. */
function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** The CPU of a process and its descendants by program, and the memory of the first. Ended children count too. */
function readUsage(root: number): Usage {
  const cpuMs: Record<string, number> = Object.fromEntries(PROGRAMS.map((program) => [program, 0]));
  for (const { program, cpuMs: ms } of readCpuOf(root)) {
    const name = PROGRAMS.find((known) => program.startsWith(known)) ?? 'node';
    cpuMs[name] = (cpuMs[name] ?? 0) + ms;
  }
  const status = readFileSync(`/proc/${root}/status`, 'latin1');
  const switches = readdirSync(`/proc/${root}/task`)
    .map((task) => readIfExists(`/proc/${root}/task/${task}/status`))
    .reduce((sum, text) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0), 0);
  return { cpuMs, rssMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024), switches };
}

/** A row: the share of a core that each program used between two readings. */
function usageRow(before: Usage, after: Usage, ms: number): Record<string, string | number> {
  const share = (program: string): number => ((after.cpuMs[program] ?? 0) - (before.cpuMs[program] ?? 0)) / ms;
  return {
    ...Object.fromEntries(PROGRAMS.map((program) => [`${program} cores`, share(program).toFixed(3)])),
    'all cores': PROGRAMS.reduce((sum, program) => sum + share(program), 0).toFixed(3),
    'switches/s': Math.round(((after.switches - before.switches) / ms) * 1000),
    'node MB': after.rssMb,
  };
}

/** Starts the embedded default with free ports. */
async function startSystem(dataDir: string, port: number) {
  const ports = ['POSTGRES', 'TEMPORAL', 'TEMPORAL_UI', 'SMTP', 'INBOX', 'DNS', 'INBOUND'];
  const main = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
  const child = spawn(process.execPath, [...NODE_ARGS, main], {
    env: {
      ...process.env,
      MALLOC_ARENA_MAX,
      ...Object.fromEntries(ports.map((name) => [`EMBEDDED_${name}_PORT`, '0'])),
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: '0',
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '100000000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of child.stdout) if (String(chunk).includes('Sendloom is ready.')) break;
  const addresses = Addresses.parse(JSON.parse(readFileSync(path.join(dataDir, 'addresses.json'), 'utf8')));
  const config = completeConfig(
    parseEnvironment({
      DATABASE_URL: addresses.database,
      TEMPORAL_ADDRESS: addresses.temporal,
      SMTP_URL: addresses.smtp,
      DNS_SERVERS: addresses.dns,
      SECRET_KEY: readFileSync(path.join(dataDir, 'secret.key'), 'utf8').trim(),
      PORT: String(port),
    }),
  );
  return { child, ctx: createContext(config, createLog('error'), { name: 'bench' }) };
}

/** Creates the project, its contacts, and the workflow that the event `begun` starts: a delay of a second, an email. */
async function prepareProject(ctx: ApiContext): Promise<BenchProject> {
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, CONTACT_COUNT);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  const template = await insertTemplate(ctx, project);
  await insertGraph(ctx, project.id, {
    eventName: 'begun',
    // Each minute's load begins with the same contacts.
    allowReentry: true,
    steps: { pause: delay(1, 'seconds'), hello: sendTemplate(template), out: exit('done') },
    edges: ['TRIGGER > pause', 'pause > hello', 'hello > out'],
  });
  return project;
}

/** Runs all loads for some time. */
async function runLoads(port: number, project: BenchProject, ms: number): Promise<LoadResult[]> {
  const common = { port, domain: project.domain, ms, connections: 20 };
  return Promise.all([
    load({ ...common, key: project.public, path: '/v1/track', track: CONTACT_COUNT, rate: rates.track }),
    load({ ...common, key: project.secret, path: '/v1/send', rate: rates.send }),
    load({
      ...common,
      key: project.public,
      path: '/v1/track',
      track: CONTACT_COUNT,
      event: 'begun',
      rate: rates.executions,
    }),
  ]);
}

const latency = ({ latencies, errors }: LoadResult): string =>
  `${percentile(latencies, 0.5)} / ${percentile(latencies, 0.99)}${errors > 0 ? ` (${errors} errors)` : ''}`;

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'sendloom-bench-'));
// As root, PostgreSQL runs as another user, which must be able to enter the folder.
await chmod(dataDir, 0o711);
const port = await freePort();
const { child, ctx } = await startSystem(dataDir, port);
const root = child.pid ?? 0;
const rows: Array<Record<string, string | number>> = [];
try {
  const project = await prepareProject(ctx);
  await sleep(5000);
  const idle = readUsage(root);
  await sleep(IDLE_SECONDS * 1000);
  rows.push({ minute: 'idle', ...usageRow(idle, readUsage(root), IDLE_SECONDS * 1000) });
  await runLoads(port, project, WARM_UP_SECONDS * 1000);
  for (let minute = 1; minute <= minutes; minute++) {
    const before = readUsage(root);
    const started = Date.now();
    const [track, send, executions] = await runLoads(port, project, MINUTE_MS);
    const usage = usageRow(before, readUsage(root), Date.now() - started);
    if (!track || !send || !executions) throw new Error('A load is missing.');
    rows.push({
      minute,
      ...usage,
      'track p50 / p99': latency(track),
      'send p50 / p99': latency(send),
      'begin p50 / p99': latency(executions),
    });
    printTable([rows.at(-1) ?? {}]);
  }
  const { rows: left } = await ctx.pool.query(
    `SELECT source, status, count(*)::int FROM emails GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  printTable(rows);
  printTable(left);
} finally {
  await ctx.close();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  await rm(dataDir, { recursive: true, force: true });
}
process.exit(0);
