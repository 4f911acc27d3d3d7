/**
 * The embedded PostgreSQL: a cluster in the data folder, and a small supervisor around `initdb` and `postgres`.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Log } from '../../../src/log.js';
import { choosePort, LOOPBACK } from './ports.js';
import {
  handOver,
  locateCluster,
  locatePrograms,
  serverAccount,
  type Account,
  type Programs,
} from './postgres-account.js';
import {
  claimServer,
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

export interface PostgresOptions {
  /** The folder that holds the cluster, in `<dataDir>/postgres`; made when it is missing. */
  dataDir: string;
  /** The wanted port, 0 for any. */
  port: number;
  log: Log;
  /** False for tests: nothing is flushed to disk, and `stop()` removes the cluster. Default true. */
  durable?: boolean;
}

export interface EmbeddedPostgres {
  /** Connection URL of the database `sendloom`, with the superuser's password. */
  url: string;
  port: number;
  /** Resolves when the server is gone, asked or unasked. Never rejects. */
  exited: Promise<ServerExit>;
  /** Ends all sessions and stops the server; resolves when it is gone. */
  stop(): Promise<void>;
}

export const POSTGRES_CLAIM = 'postgres.claim.json';
/** Fast shutdown, then immediate shutdown (recovers at the next start), then none at all. */
export const POSTGRES_STOP: readonly StopStep[] = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
];

const USER = 'sendloom';
const DATABASE = 'sendloom';
const PASSWORD_FILE = 'sendloom.password';
/** Long enough for the recovery of a large database after a crash. */
const START_TIMEOUT_MS = 300_000;
const START_ATTEMPTS = 8;

const SETTINGS = {
  listen_addresses: LOOPBACK,
  // Sockets have paths of 107 bytes at most, which a data folder may exceed.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  wal_compression: 'on',
  max_wal_size: '4GB',
  jit: 'off',
  // A disk of today reads a page at random nearly as fast as in a row; with the default of 4 the planner reads whole
  // tables instead of indexes.
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  logging_collector: 'off',
};
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts PostgreSQL on the loopback address, and makes its cluster and the database `sendloom` where they are missing.
 *
 * A server that a killed process left behind is stopped first. A taken port is replaced by a free one, with a warning.
 *
 * @throws DataDirInUseError when another running process uses the folder
 * @throws Error with the end of the server's log when it does not start
 */
export async function startPostgres({
  dataDir,
  port,
  log,
  durable = true,
}: PostgresOptions): Promise<EmbeddedPostgres> {
  const folder = path.resolve(dataDir);
  mkdirSync(folder, { recursive: true });
  const claim = await claimServer({
    file: path.join(folder, POSTGRES_CLAIM),
    server: 'PostgreSQL',
    steps: POSTGRES_STOP,
    log,
  });
  let server: ServerProcess | undefined;
  try {
    const account = serverAccount(path.join(folder, 'postgres'), log);
    const home = locateCluster(folder, account, log);
    const cluster = path.join(home, 'postgres');
    const programs = locatePrograms(account, log);
    if (!existsSync(path.join(cluster, 'PG_VERSION'))) await initialise({ cluster, programs, account, log });
    await endOrphan(cluster, log);
    const started = await startServer({
      cluster,
      programs,
      account,
      port,
      log,
      durable,
      logFile: path.join(folder, 'postgres.log'),
      record: claim.record,
    });
    const running = started.server;
    server = running;
    const password = readFileSync(path.join(cluster, PASSWORD_FILE), 'utf8').trim();
    const urlOf = (database: string) => `postgresql://${USER}:${password}@${LOOPBACK}:${started.port}/${database}`;
    await ensureDatabase(urlOf('postgres'));
    return {
      url: urlOf(DATABASE),
      port: started.port,
      // Lets go of the folder first, so that whoever hears of the end can start again.
      exited: running.exited.finally(() => claim.release()),
      stop: async () => {
        await running.stop();
        if (!durable) rmSync(home === folder ? cluster : home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await server?.stop();
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

async function initialise({ cluster, programs, account, log }: ClusterOptions): Promise<void> {
  log.info({ cluster }, 'Making the database cluster');
  // Made aside and renamed, so that an interruption never leaves half a cluster that the next start takes for a whole
  // one.
  const part = `${cluster}.new`;
  rmSync(part, { recursive: true, force: true });
  const passwordFile = `${cluster}.password`;
  const password = randomBytes(24).toString('base64url');
  const localeErrors: unknown[] = [];
  try {
    for (const ctype of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
      mkdirSync(part, { mode: 0o700 });
      handOver(part, account);
      writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
      handOver(passwordFile, account);
      try {
        await run(programs.initdb, initArguments({ part, passwordFile, ctype }), part, account);
        // Kept inside the cluster: the two are useless apart.
        renameSync(passwordFile, path.join(part, PASSWORD_FILE));
        renameSync(part, cluster);
        return;
      } catch (error) {
        // A system without this locale; the last one exists everywhere.
        localeErrors.push(error);
        rmSync(part, { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(passwordFile, { force: true });
  }
  throw localeErrors.at(-1);
}

interface InitOptions {
  part: string;
  passwordFile: string;
  ctype: string;
}

/**
 * Sorting and case folding come from PostgreSQL's own provider, the same on each platform; the system's character
 * classes are only what pg_trgm needs to see letters beyond ASCII.
 */
function initArguments({ part, passwordFile, ctype }: InitOptions): string[] {
  return [
    `--pgdata=${part}`,
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

async function run(command: string, args: string[], cwd: string, account: Account | undefined): Promise<void> {
  await promisify(execFile)(command, args, { cwd, env: environment(), uid: account?.uid, gid: account?.gid });
}

/** Only what the programs need: a PGDATA or PGPORT of the user's shell must not reach them. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Clears the way for a new postmaster: ends one that still works in this cluster, and removes a pid file whose number
 * now belongs to a stranger or a zombie, which PostgreSQL would take for a live server. A pid file of a dead one it
 * clears itself.
 */
async function endOrphan(cluster: string, log: Log): Promise<void> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(readIfPresent(pidFile) ?? '', 10);
  if (!(pid > 0)) return;
  const orphan = identify(pid);
  if (orphan && worksIn(pid, cluster)) {
    log.warn({ pid }, 'A PostgreSQL server of an earlier start still runs: it is stopped now');
    await endProcess(orphan, POSTGRES_STOP);
  }
  if (exists(pid)) rmSync(pidFile, { force: true });
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH') || hasCode(error, 'EPERM')) return false;
    throw error;
  }
}

interface StartOptions extends ClusterOptions {
  port: number;
  durable: boolean;
  logFile: string;
  record: (pid: number) => void;
}

async function startServer(options: StartOptions): Promise<{ server: ServerProcess; port: number }> {
  const { cluster, programs, account, log, durable, logFile } = options;
  let preferred = options.port;
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort({ preferred, server: 'PostgreSQL', variable: 'EMBEDDED_POSTGRES_PORT', log });
    const settings = Object.entries({ ...SETTINGS, ...(durable ? DURABLE : VOLATILE), port: String(port) });
    const server = await spawnServer({
      command: programs.postgres,
      args: ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      cwd: cluster,
      logFile,
      env: environment(),
      uid: account?.uid,
      gid: account?.gid,
      steps: POSTGRES_STOP,
    });
    options.record(server.pid);
    if (
      (await eventually(() => server.hasExited() || isReady(cluster, server.pid), START_TIMEOUT_MS)) &&
      !server.hasExited()
    )
      return { server, port };
    await server.stop();
    const tail = server.tail();
    // Another process took the port since the look, or processes of a killed server still hold its shared memory.
    const passing = /could not bind|could not create any TCP|still in use|lock file/.test(tail);
    if (!passing || attempt === START_ATTEMPTS)
      throw new Error(`PostgreSQL did not start. The end of ${logFile}:\n${tail}`);
    if (/could not bind|could not create any TCP/.test(tail)) preferred = 0;
    await delay(250);
  }
}

/**
 * The postmaster writes its state into the eighth line of its pid file (PostgreSQL's miscadmin.h,
 * LOCK_FILE_LINE_PM_STATUS).
 */
function isReady(cluster: string, pid: number): boolean {
  const lines = readIfPresent(path.join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${DATABASE}"`);
  } finally {
    await client.end();
  }
}
