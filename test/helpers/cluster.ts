/**
 * A whole Sendloom for one test: an API and a worker process, which the test can kill, and servers, which it can stop.
 *
 * The processes run `dist/`; `npm test` builds it first.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, onTestFailed, onTestFinished } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { migrate } from '../../src/db/migrate.js';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';
import { startPostgres, type EmbeddedPostgres } from '../../packages/embedded/src/postgres.js';
import { startTemporal, type EmbeddedTemporal } from '../../packages/embedded/src/temporal.js';
import { createLog } from '../../src/log.js';
import { testConfig } from './api.js';
import { createTestDatabase } from './database.js';
import { startSink, type Sink } from './sink.js';

const DIST = fileURLToPath(new URL('../../dist/src/', import.meta.url));
const SECRET_KEY = 'fault-tests-secret-key-fault-tests-secret';
const MAX_LOG_LINES = 400;
const REMOVE_TIMEOUT_MS = 120_000;
const READY_TIMEOUT_MS = 90_000;
const log = createLog(process.env.TEST_LOG_LEVEL ?? 'error');

/** An API or worker process. */
export interface Part {
  /** Starts the process and waits until it logs that it is ready. */
  start(): Promise<void>;
  /** Sends the signal and waits for the exit. @returns the exit code, or null if the signal ended the process */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** The id of the running process. */
  pid(): number | null;
  /** The last lines of its log. */
  logged: string[];
}

export interface TemporalServer {
  address: string;
  client: Client;
  stop(): Promise<void>;
  /** Restarts it at the same address with its data. */
  start(): Promise<void>;
  /** Deletes its data. The server must be stopped. */
  deleteData(): void;
}

/** The PostgreSQL server of a cluster with `ownPostgres`. */
export interface PostgresServer {
  stop(): Promise<void>;
  /** Kills it without a shutdown. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface Cluster {
  /** A context of the test on the cluster's database. */
  ctx: ApiContext;
  sink: Sink;
  temporal: TemporalServer;
  postgres: PostgresServer;
  api: Part & { url: string };
  worker: Part;
  /** Starts an additional process on the same servers. */
  another(kind: 'api' | 'worker', env?: Record<string, string>): Promise<Part & { url: string }>;
  /** SMTP_CONNECTIONS of the worker: the maximum of mails in flight. */
  connections: number;
  /** JOURNAL_DIR, unless `env` sets it. */
  journalDir: string;
}

export interface ClusterOptions {
  /** Starts a PostgreSQL server that the test may stop. Default: a database on the run's server. */
  ownPostgres?: boolean;
  /** Processes to start. Default: all. */
  start?: Array<'api' | 'worker'>;
  /** Additional environment variables of all processes. */
  env?: Record<string, string>;
  /** Every write beyond this size of a file fails, as on a full disk. Default: no limit. */
  maxFileBytes?: number;
}

/** Steps that remove what was started, in the order of the start. */
type Undo = Array<() => unknown>;

/** Opens a cluster for the running test and removes it when the test ends. */
export async function openCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const undo: Undo = [];
  onTestFinished(() => removeCluster(undo), REMOVE_TIMEOUT_MS);
  const cluster = await startCluster(options, undo);
  onTestFailed(() => showLogs(cluster));
  return cluster;
}

/** A cluster for all tests of a file or a `describe`. The returned function returns it while they run. */
export function useCluster(options: ClusterOptions = {}): () => Cluster {
  const undo: Undo = [];
  let cluster: Cluster | undefined;
  const running = (): Cluster => {
    if (!cluster) throw new Error('The cluster starts in beforeAll');
    return cluster;
  };
  beforeAll(async () => {
    cluster = await startCluster(options, undo);
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') showLogs(running());
  });
  afterAll(() => removeCluster(undo), REMOVE_TIMEOUT_MS);
  return running;
}

function showLogs({ api, worker }: Cluster): void {
  for (const [name, part] of Object.entries({ api, worker }))
    console.error(`The last lines of the ${name}:\n${part.logged.slice(-40).join('\n')}`);
}

async function removeCluster(undo: Undo): Promise<void> {
  const failures: unknown[] = [];
  for (const step of undo.reverse()) {
    try {
      await step();
    } catch (error) {
      // The next steps still run.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The cluster could not be removed completely');
}

async function startCluster(
  { ownPostgres = false, start = ['api', 'worker'], env = {}, maxFileBytes }: ClusterOptions,
  undo: Undo,
): Promise<Cluster> {
  if (!existsSync(DIST)) throw new Error('dist/ does not exist. Run `node scripts/build.mjs` first');
  // The database server may run as another user, which needs access to the folder.
  const dataDir = mkdtempSync(path.join(realpathSync(tmpdir()), 'sendloom-faults-'));
  chmodSync(dataDir, 0o711);
  undo.push(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

  const sink = await startSink();
  undo.push(() => sink.close());
  const { databaseUrl, postgres } = ownPostgres ? await openPostgres(dataDir, undo) : await openDatabase(undo);
  const temporal = await openTemporal(dataDir, undo);

  const connections = 20;
  const journalDir = path.join(dataDir, 'journal');
  const port = await freePort();
  const variables = {
    NODE_ENV: 'test',
    PORT: String(port),
    METRICS_PORT: '0',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    SMTP_URL: sink.url,
    SMTP_CONNECTIONS: String(connections),
    SECRET_KEY,
    DNS_SERVERS: '127.0.0.1:9',
    RATE_LIMIT_PER_MINUTE: '1000000',
    WORKER_HEARTBEAT_MS: '1000',
    JOURNAL_DIR: journalDir,
    LOG_LEVEL: 'info',
    ...env,
  };
  const ctx = createContext(testConfig(databaseUrl, { SECRET_KEY }), log, { name: 'test' });
  undo.push(() => ctx.close());

  const api = { ...createPart('main-api.js', variables, undo), url: `http://${LOOPBACK}:${port}` };
  const worker = createPart('main-worker.js', variables, undo, maxFileBytes);
  const another: Cluster['another'] = async (kind, more = {}) => {
    const own = await freePort();
    const part = {
      ...createPart(`main-${kind}.js`, { ...variables, PORT: String(own), ...more }, undo),
      url: `http://${LOOPBACK}:${own}`,
    };
    await part.start();
    return part;
  };
  await Promise.all(start.map((name) => ({ api, worker })[name].start()));
  return { ctx, sink, temporal, postgres, api, worker, another, connections, journalDir };
}

async function openDatabase(undo: Undo): Promise<{ databaseUrl: string; postgres: PostgresServer }> {
  const database = await createTestDatabase();
  undo.push(() => database.drop());
  const refuse = (): Promise<void> =>
    Promise.reject(new Error('The whole run shares this PostgreSQL server. Open the cluster with `ownPostgres`.'));
  return { databaseUrl: database.url, postgres: { stop: refuse, kill: refuse, start: refuse } };
}

async function openPostgres(dataDir: string, undo: Undo): Promise<{ databaseUrl: string; postgres: PostgresServer }> {
  let server: EmbeddedPostgres | null = await startPostgres({ dataDir, port: 0, log });
  const { url, port } = server;
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = null;
  };
  undo.push(stop);
  await migrate({ databaseUrl: url, log });
  return {
    databaseUrl: url,
    postgres: {
      stop,
      async kill() {
        const pid = Number.parseInt(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
        process.kill(pid, 'SIGKILL');
        await server?.exited;
        server = null;
      },
      async start() {
        server = await startPostgres({ dataDir, port, log });
        if (server.port !== port) throw new Error('Another process uses the port of PostgreSQL.');
      },
    },
  };
}

async function openTemporal(dataDir: string, undo: Undo): Promise<TemporalServer> {
  const uiPort = await freePort();
  const open = (port: number): Promise<EmbeddedTemporal> =>
    startTemporal({ dataDir, port, uiPort, namespace: 'default', log });
  let server: EmbeddedTemporal | null = await open(0);
  const { address } = server;
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = null;
  };
  undo.push(stop);
  const connection = Connection.lazy({ address });
  undo.push(() => connection.close());
  return {
    address,
    client: new Client({ connection }),
    stop,
    async start() {
      server = await open(Number(address.split(':')[1]));
      if (server.address !== address) throw new Error('Another process uses the port of Temporal.');
    },
    deleteData() {
      if (server) throw new Error('Stop Temporal before you delete its data.');
      rmSync(path.join(dataDir, 'temporal'), { recursive: true });
    },
  };
}

/** Runs a program with a limit for the size of its files, in blocks of 512 bytes. */
const WITH_FILE_LIMIT = 'ulimit -f "$1" && shift && exec "$@"';

function createPart(program: string, variables: Record<string, string>, undo: Undo, maxFileBytes?: number): Part {
  const logged: string[] = [];
  let child: ChildProcess | null = null;
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    const process = child;
    if (!process) return null;
    child = null;
    // A process that has ended by itself emits no further event.
    if (process.exitCode !== null || process.signalCode !== null) return process.exitCode;
    const gone = once(process, 'exit');
    process.kill(signal);
    const [code]: unknown[] = await gone;
    return typeof code === 'number' ? code : null;
  };
  undo.push(() => kill('SIGKILL'));

  return {
    logged,
    kill,
    pid: () => child?.pid ?? null,
    async start() {
      const command = [process.execPath, path.join(DIST, program)];
      const limited = ['sh', '-c', WITH_FILE_LIMIT, 'sh', String(Math.ceil((maxFileBytes ?? 0) / 512)), ...command];
      const [executable = '', ...args] = maxFileBytes === undefined ? command : limited;
      const started = spawn(executable, args, {
        env: { PATH: process.env.PATH, ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      const end = (): void => void started.kill('SIGKILL');
      process.once('exit', end);
      started.once('exit', () => process.off('exit', end));
      try {
        await untilReady(program, started, (line) => {
          logged.push(line);
          if (logged.length > MAX_LOG_LINES) logged.shift();
        });
      } catch (error) {
        throw new Error(`${program} did not start. Its last lines:\n${logged.slice(-20).join('\n')}`, { cause: error });
      }
    },
  };
}

async function untilReady(program: string, child: ChildProcess, note: (line: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${program} was not ready in time`)), READY_TIMEOUT_MS);
      for (const stream of [child.stdout, child.stderr]) {
        if (!stream) throw new Error(`${program} has no output`);
        createInterface({ input: stream }).on('line', (line) => {
          note(line);
          if (/"msg":"the (API|worker) is ready"/.test(line)) resolve();
        });
      }
      child.once('exit', (code, signal) =>
        reject(new Error(`${program} ended with ${code ?? signal} before it was ready`)),
      );
      child.once('error', reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
