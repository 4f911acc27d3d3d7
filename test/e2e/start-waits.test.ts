/** Processes that start before PostgreSQL is available: they wait, and only an invalid configuration ends them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { LOOPBACK } from '../../packages/embedded/src/ports.js';
import { startPostgres } from '../../packages/embedded/src/postgres.js';
import { migrate } from '../../src/db/migrate.js';
import { retryUntilAvailable, waitForDatabase } from '../../src/db/wait-for-database.js';
import { createLog } from '../../src/log.js';
import { openDatabaseGate, type GateMode } from '../helpers/database-gate.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';

const DIST = fileURLToPath(new URL('../../dist/src/', import.meta.url));
const log = createLog('silent');
const READY = {
  'main-api.js': 'the API is ready',
  'main-worker.js': 'the worker is ready',
  'main-migrate.js': 'No migrations to apply',
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

async function openGate(mode: GateMode) {
  const gate = await openDatabaseGate(database.url, mode);
  onTestFinished(() => gate.close());
  return gate;
}

interface Program {
  child: ChildProcess;
  output: () => string;
  /** Resolves with the exit code; null if a signal ended the process. */
  ended: Promise<number | null>;
}

function startProgram(name: keyof typeof READY, databaseUrl: string): Program {
  const child = spawn(process.execPath, [path.join(DIST, name)], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      PORT: '0',
      METRICS_PORT: '0',
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: `${LOOPBACK}:9`,
      SMTP_URL: `smtp://${LOOPBACK}:9`,
      SECRET_KEY: 'start-tests-secret-key-start-tests-secret',
      DNS_SERVERS: `${LOOPBACK}:9`,
      UPLOADS_URL: `file:${path.join(tmpdir(), 'sendloom-start-waits-uploads')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = once(child, 'close').then(() => child.exitCode);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, output: () => text };
}

test.each(['refuse', 'hang', 'starting'] as const)(
  'a PostgreSQL in the mode "%s" is waited for and logged every few seconds',
  async (mode) => {
    const gate = await openGate(mode);
    const { recorder, logged } = recordLog();
    const waiting = waitForDatabase({ databaseUrl: gate.url, log: recorder, logEveryMs: 100, connectTimeoutMs: 200 });
    await eventually(() => expect(logged.length).toBeGreaterThan(2));
    expect(logged).toEqual(logged.map(() => expect.stringMatching(/^Waiting for PostgreSQL .*"host":"127\.0\.0\.1"/)));
    await gate.setMode('open');
    await waiting;
    expect(logged.at(-1)).toMatch(/^PostgreSQL is available/);
  },
);

function recordLog() {
  const logged: string[] = [];
  const recorder = createLog('silent');
  recorder.info = (fields: unknown, message?: string): void => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { recorder, logged };
}

test.each([
  ['main-api.js', 'starting'],
  ['main-worker.js', 'refuse'],
  ['main-migrate.js', 'hang'],
] as const)('%s waits for a PostgreSQL in the mode "%s" and then starts', async (name, mode) => {
  const gate = await openGate(mode);
  const program = startProgram(name, gate.url);
  await eventually(() => expect(program.output()).toContain('Waiting for PostgreSQL'));
  expect(program.child.exitCode).toBeNull();
  await gate.setMode('open');
  await eventually(() => expect(program.output()).toContain(READY[name]));
});

test.each(['main-worker.js', 'main-migrate.js'] as const)(
  '%s ends promptly on SIGTERM while it waits',
  async (name) => {
    const gate = await openGate('hang');
    const program = startProgram(name, gate.url);
    await eventually(() => expect(gate.connections()).toBeGreaterThan(0));
    const signaledAt = Date.now();
    program.child.kill('SIGTERM');
    await program.ended;
    // A hanging connection attempt takes 5 s.
    expect(Date.now() - signaledAt).toBeLessThan(3000);
  },
);

test.each(['main-api.js', 'main-migrate.js'] as const)(
  '%s ends with one line that says what to fix if the password is wrong',
  async (name) => {
    const program = startProgram(name, withPart('password', 'wrong'));
    expect(await program.ended).toBe(1);
    expect(program.output()).toMatch(/rejected the password of the user "\w+"\. Correct the user and the password/);
    expect(program.output()).not.toContain('"stack"');
  },
);

test('a worker retries its first heartbeat while PostgreSQL is too busy to accept connections', async () => {
  const gate = await openGate('open');
  const program = startProgram('main-worker.js', gate.url);
  // The first connection only checks that PostgreSQL is available. All later ones hang, the heartbeat's too.
  await eventually(() => expect(gate.connections()).toBeGreaterThan(0), { every: 1 });
  await gate.setMode('hang');
  await eventually(() => expect(program.output()).toContain('Waiting for PostgreSQL'));
  expect(program.output()).not.toContain('the worker is ready');
  await gate.setMode('open');
  await eventually(() => expect(program.output()).toContain('the worker is ready'));
});

test('a worker starts while PostgreSQL recovers from a crash', async () => {
  const dataDir = path.join(mkdtempSync(path.join(realpathSync(tmpdir()), 'sendloom-recovery-')), 'data');
  chmodSync(path.dirname(dataDir), 0o711);
  onTestFinished(() => rmSync(path.dirname(dataDir), { recursive: true, force: true, maxRetries: 5 }));
  const first = await startPostgres({ dataDir, port: 0, log });
  const cluster = path.join(dataDir, 'postgres');
  const postmaster = () => Number.parseInt(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8'), 10);
  await migrate({ databaseUrl: first.url, log });
  process.kill(postmaster(), 'SIGKILL');
  await first.exited;

  // As a standby without hot standby, PostgreSQL replays its log and then answers 57P03 until the test promotes it.
  writeFileSync(path.join(cluster, 'standby.signal'), '');
  writeFileSync(path.join(cluster, 'postgresql.auto.conf'), 'hot_standby = off\n');
  const starting = startPostgres({ dataDir, port: first.port, log });
  const program = startProgram('main-worker.js', first.url);
  await eventually(() => expect(program.output()).toMatch(/"reason":"the database system is [^"]+"/));
  writeFileSync(path.join(cluster, 'promote'), '');
  process.kill(postmaster(), 'SIGUSR1');
  const second = await starting;
  onTestFinished(() => second.stop());
  await eventually(() => expect(program.output()).toContain('the worker is ready'));
});

test.each([
  ['a text that is not a URL', () => 'localhost/sendloom', 'DATABASE_URL is not a valid connection URL'],
  ['a URL with an invalid port', () => 'postgresql://a@localhost:99999/b', 'DATABASE_URL is not a valid connection'],
  ['a database that does not exist', () => withPart('pathname', '/missing'), 'The database "missing" does not exist'],
  ['a user that does not exist', () => withPart('username', 'stranger'), 'the user "stranger"'],
  ['a missing password', () => withPart('password', ''), 'requires a password for the user'],
  ['a server without TLS', () => withPart('search', '?sslmode=require'), 'No TLS connection to PostgreSQL'],
])('%s is an invalid configuration and ends the wait', async (_case, url, message) => {
  await expect(waitForDatabase({ databaseUrl: url(), log })).rejects.toThrow(message);
});

function withPart(part: 'pathname' | 'username' | 'password' | 'search', value: string): string {
  const url = new URL(database.url);
  url[part] = value;
  return url.href;
}

test('a host name that does not resolve yet is waited for', async () => {
  const stop = new AbortController();
  const { recorder, logged } = recordLog();
  const databaseUrl = 'postgresql://a:b@postgres.invalid:5432/c';
  const waiting = waitForDatabase({ databaseUrl, log: recorder, signal: stop.signal });
  await eventually(() => expect(logged).toEqual([expect.stringMatching(/ENOTFOUND|EAI_AGAIN/)]));
  stop.abort(new Error('stopped by the test'));
  await expect(waiting).rejects.toThrow('stopped by the test');
});

test('an error that is not about availability is not retried', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('SELECT nonsense');
    } finally {
      await client.end();
    }
  };
  await expect(retryUntilAvailable(attempt, { databaseUrl: database.url, log })).rejects.toThrow('nonsense');
  expect(attempts).toBe(1);
});
