import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { DataDirInUseError } from '../../packages/embedded/src/claim.js';
import { freePort, isListening, LOOPBACK } from '../../packages/embedded/src/ports.js';
import { startPostgres } from '../../packages/embedded/src/postgres.js';
import { startTemporal } from '../../packages/embedded/src/temporal.js';
import { findTemporalCli } from '../../packages/embedded/src/temporal-cli.js';
import { createLog } from '../../src/log.js';
import { SEARCH_ATTRIBUTE_NAMES } from '../../src/temporal/ids.js';
import { eventually } from '../helpers/eventually.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const log = createLog('silent');
const cleanups: Array<() => unknown> = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A data folder with a blank in its path. The server's user can enter it. */
function dataFolder(): string {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'sendloom e2e-'));
  chmodSync(folder, 0o711);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return path.join(folder, 'data folder');
}

async function postgres(dataDir: string, options: { port?: number; durable?: boolean } = {}) {
  const server = await startPostgres({ dataDir, port: 0, log, durable: true, ...options });
  cleanups.push(() => server.stop());
  return server;
}

async function temporal(dataDir: string, options: { port?: number; uiPort?: number; namespace?: string } = {}) {
  const server = await startTemporal({ dataDir, port: 0, uiPort: 0, namespace: 'default', log, ...options });
  cleanups.push(() => server.stop());
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

async function searchAttributes(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return Object.keys(customAttributes);
  } finally {
    await connection.close();
  }
}

/** Starts a server in another process and kills that process, which leaves the server as an orphan. */
async function orphan(kind: 'postgres' | 'temporal', dataDir: string): Promise<string> {
  const owner = spawn(
    process.execPath,
    ['--import', 'tsx', path.join(ROOT, 'test', 'helpers', 'embedded-owner.ts'), kind, dataDir],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(createInterface(owner.stdout), 'line');
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  return z.object({ address: z.string() }).parse(JSON.parse(String(line))).address;
}

async function occupiedPort(): Promise<number> {
  const port = await freePort();
  const server: Server = createServer();
  server.listen(port, LOOPBACK);
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return port;
}

const portOf = (address: string): number =>
  Number(new URL(address.includes('://') ? address : `tcp://${address}`).port);

describe('embedded PostgreSQL', () => {
  test('data survives a stop and a start, in a path with blanks', async () => {
    const dataDir = dataFolder();
    const first = await postgres(dataDir);
    await query(first.url, "CREATE TABLE kept AS SELECT 'Ärger' AS word");
    await first.stop();
    expect(await isListening(first.port)).toBe(false);

    const second = await postgres(dataDir);
    expect(await query(second.url, 'SELECT word FROM kept')).toEqual(['Ärger']);
  });

  test('the server has the expected settings', async () => {
    const { url } = await postgres(dataFolder());
    const names = [
      'max_connections',
      'shared_buffers',
      'synchronous_commit',
      'max_wal_size',
      'wal_buffers',
      'jit',
      'TimeZone',
      'listen_addresses',
      'unix_socket_directories',
      'fsync',
    ];
    const values = await Promise.all(
      names.map(async (name) => (await query(url, `SELECT current_setting('${name}')`))[0]),
    );
    expect(values).toEqual(['200', '256MB', 'on', '4GB', '64MB', 'off', 'UTC', '127.0.0.1', '', 'on']);
  });

  test('letters beyond ASCII are case-folded and count as letters in trigrams', async () => {
    const { url } = await postgres(dataFolder(), { durable: false });
    await query(url, 'CREATE EXTENSION pg_trgm');
    expect(await query(url, "SELECT lower('ÄÖ'), cardinality(show_trgm('äöü')) > 0")).toEqual(['äö', true]);
  });

  test('a connection without the password is rejected', async () => {
    const { port } = await postgres(dataFolder(), { durable: false });
    await expect(query(`postgresql://sendloom:wrong@${LOOPBACK}:${port}/sendloom`, 'SELECT 1')).rejects.toThrow(
      /password/,
    );
  });

  test('the orphan of a killed process is stopped, and its data remains', async () => {
    const dataDir = dataFolder();
    const url = await orphan('postgres', dataDir);
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS number');
    const next = await postgres(dataDir);
    expect(await query(next.url, 'SELECT number FROM kept')).toEqual([1]);
    expect(await isListening(portOf(url))).toBe(false);
  });

  test('an orphan is stopped even if its claim file is missing', async () => {
    const dataDir = dataFolder();
    const url = await orphan('postgres', dataDir);
    rmSync(path.join(dataDir, 'postgres.claim.json'));
    const next = await postgres(dataDir);
    expect(await query(next.url, 'SELECT 1')).toEqual([1]);
    expect(await isListening(portOf(url))).toBe(false);
  });

  test.each([
    ['a process that has ended', 2 ** 22 + 1],
    ['an unrelated process, and does not end that process', undefined],
  ])('the server starts despite a postmaster.pid that names %s', async (_case, pid) => {
    const dataDir = dataFolder();
    const first = await postgres(dataDir);
    await first.stop();
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    cleanups.push(() => stranger.kill());
    writeFileSync(
      path.join(dataDir, 'postgres', 'postmaster.pid'),
      `${pid ?? stranger.pid}\n${path.join(dataDir, 'postgres')}\n1700000000\n5432\n\n127.0.0.1\n  1234567    123\nready   \n`,
    );
    const second = await postgres(dataDir);
    expect(await query(second.url, 'SELECT 1')).toEqual([1]);
    expect(stranger.exitCode).toBeNull();
  });

  test('a second process or a second start on the same folder is rejected', async () => {
    const dataDir = dataFolder();
    const first = await postgres(dataDir);
    await expect(postgres(dataDir)).rejects.toThrow(DataDirInUseError);
    expect(await query(first.url, 'SELECT 1')).toEqual([1]);
  });

  test('an interrupted initdb is repeated', async () => {
    const dataDir = dataFolder();
    mkdirSync(path.join(dataDir, 'postgres.new'), { recursive: true });
    writeFileSync(path.join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n');
    const { url } = await postgres(dataDir);
    expect(await query(url, 'SELECT 1')).toEqual([1]);
  });

  test('a port in use is replaced by a free one below the ephemeral range', async () => {
    const taken = await occupiedPort();
    const { port, url } = await postgres(dataFolder(), { port: taken });
    expect(port).not.toBe(taken);
    expect(port).toBeLessThan(32_768);
    expect(await query(url, 'SELECT 1')).toEqual([1]);
  });

  test('the death of a server is detected, and it can be restarted immediately', async () => {
    const dataDir = dataFolder();
    const first = await postgres(dataDir);
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS number');
    process.kill(
      Number.parseInt(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10),
      'SIGKILL',
    );
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const second = await postgres(dataDir, { port: first.port });
    expect(second.port).toBe(first.port);
    expect(await query(second.url, 'SELECT number FROM kept')).toEqual([7]);
  });

  test.runIf(process.getuid?.() === 0)(
    'as root, a data folder in a closed folder is served from a place that the server can reach',
    async () => {
      const dataDir = dataFolder();
      chmodSync(path.dirname(dataDir), 0o700);
      const first = await postgres(dataDir);
      const place = readFileSync(path.join(dataDir, 'postgres.location'), 'utf8').trim();
      cleanups.unshift(() => rmSync(place, { recursive: true, force: true }));
      await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS number');
      await first.stop();
      const second = await postgres(dataDir);
      expect(await query(second.url, 'SELECT number FROM kept')).toEqual([1]);
      expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false);
    },
  );
});

describe('embedded Temporal', () => {
  test('the server serves requests with the search attributes and ends when it is stopped', async () => {
    const server = await temporal(dataFolder());
    const { address, uiUrl, exited } = server;
    expect((await fetch(uiUrl)).status).toBe(200);
    expect(await searchAttributes(address, 'default')).toEqual(expect.arrayContaining(SEARCH_ATTRIBUTE_NAMES));
    await server.stop();
    expect(await exited).toMatchObject({ signal: null });
    expect(await isListening(portOf(address))).toBe(false);
  });

  test('a database without the search attributes or the namespace gets them at the next start', async () => {
    const dataDir = dataFolder();
    const first = await temporal(dataDir);
    const connection = await Connection.connect({ address: first.address });
    await connection.operatorService.removeSearchAttributes({
      namespace: 'default',
      searchAttributes: SEARCH_ATTRIBUTE_NAMES,
    });
    await connection.close();
    await first.stop();
    for (const namespace of ['default', 'another']) {
      const next = await temporal(dataDir, { namespace });
      expect(await searchAttributes(next.address, namespace)).toEqual(expect.arrayContaining(SEARCH_ATTRIBUTE_NAMES));
      await next.stop();
    }
  });

  test('an orphan of a killed process is stopped', async () => {
    const dataDir = dataFolder();
    const orphaned = await orphan('temporal', dataDir);
    expect(await isListening(portOf(orphaned))).toBe(true);
    const next = await temporal(dataDir);
    expect(await isListening(portOf(orphaned))).toBe(false);
    expect(await searchAttributes(next.address, 'default')).toEqual(expect.arrayContaining(SEARCH_ATTRIBUTE_NAMES));
  });

  test('a pid file with the pid of an unrelated process ends no process', async () => {
    const dataDir = dataFolder();
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    cleanups.push(() => stranger.kill());
    mkdirSync(path.join(dataDir, 'temporal'), { recursive: true });
    const owner = { pid: 2 ** 22 + 1, startedAt: 'long ago' };
    writeFileSync(path.join(dataDir, 'temporal', 'claim.json'), JSON.stringify({ owner }));
    writeFileSync(path.join(dataDir, 'temporal', 'server.pid'), `${stranger.pid}\n`);
    const { uiUrl } = await temporal(dataDir);
    expect((await fetch(uiUrl)).status).toBe(200);
    expect(stranger.exitCode).toBeNull();
  });

  test('ports in use are replaced by free ones', async () => {
    const [port, uiPort] = [await occupiedPort(), await occupiedPort()];
    const { address, uiUrl } = await temporal(dataFolder(), { port, uiPort });
    expect(portOf(address)).not.toBe(port);
    expect(portOf(uiUrl)).not.toBe(uiPort);
    expect((await fetch(uiUrl)).status).toBe(200);
  });

  test('the start is repeated if another process has taken one of the ports that the server chooses', async () => {
    const dataDir = dataFolder();
    const folder = path.dirname(dataDir);
    const program = await findTemporalCli({ log });
    // The first start ends as the server does if another process has taken a port that the server has chosen itself.
    const wrapper = path.join(folder, 'temporal');
    const marker = path.join(folder, 'started');
    writeFileSync(
      wrapper,
      `#!/bin/sh
if [ "$1" = server ] && [ ! -e "${marker}" ]; then
  touch "${marker}"
  echo 'listen tcp 127.0.0.1:40001: bind: address already in use'
  exit 1
fi
exec '${program}' "$@"
`,
      { mode: 0o755 },
    );
    vi.stubEnv('TEMPORAL_CLI', wrapper);
    cleanups.push(() => vi.unstubAllEnvs());
    const { uiUrl } = await temporal(dataDir);
    expect(existsSync(marker)).toBe(true);
    expect((await fetch(uiUrl)).status).toBe(200);
  });

  test('the error of a server that does not start contains its log', async () => {
    const dataDir = dataFolder();
    mkdirSync(path.join(dataDir, 'temporal', 'temporal.db'), { recursive: true });
    await expect(temporal(dataDir)).rejects.toThrow(/Temporal did not start\. The end of .*server\.log:\n.+/s);
  });

  test('the death of a server is detected', async () => {
    const dataDir = dataFolder();
    const { exited } = await temporal(dataDir);
    process.kill(Number(readFileSync(path.join(dataDir, 'temporal', 'server.pid'), 'utf8')), 'SIGKILL');
    expect(await exited).toEqual({ code: null, signal: 'SIGKILL' });
    await eventually(() => expect(existsSync(path.join(dataDir, 'temporal', 'claim.json'))).toBe(false));
  });
});
