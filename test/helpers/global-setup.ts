/**
 * One embedded PostgreSQL server for a test run. It starts when the first test creates a database, and contains a
 * migrated template that `createTestDatabase()` copies.
 */
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrate.js';
import { LOOPBACK } from '../../packages/embedded/src/ports.js';
import { endOrphanedPostgres, startPostgres, type EmbeddedPostgres } from '../../packages/embedded/src/postgres.js';
import { startTime } from '../../packages/embedded/src/processes.js';
import { createLog } from '../../src/log.js';

/** The server's administrator URL and the name of the template. */
export interface TestServer {
  adminUrl: string;
  template: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns a {@link TestServer} over HTTP when PostgreSQL is ready. */
    testServerUrl: string;
  }
}

const log = createLog(process.env.TEST_LOG_LEVEL ?? 'warn');
const PREFIX = 'sendloom-test-';
const TEMPLATE = 'sendloom_template';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Started> | undefined;
  const server = createServer((_request, response) => {
    starting ??= start();
    starting.then(
      ({ postgres, template }) =>
        response.end(JSON.stringify({ adminUrl: postgres.url, template } satisfies TestServer)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  project.provide('testServerUrl', `http://${LOOPBACK}:${portOf(server.address())}/`);
  return async () => {
    server.close();
    server.closeAllConnections();
    if (!starting) return;
    const started = await starting.catch(() => undefined);
    await started?.postgres.stop();
    started?.remove();
  };
}

interface Started {
  postgres: EmbeddedPostgres;
  template: string;
  remove: () => void;
}

async function start(): Promise<Started> {
  const base = realpathSync(tmpdir());
  await removeLeftovers(base);
  const dataDir = mkdtempSync(path.join(base, `${PREFIX}${process.pid}-`));
  // The server may run as another user (see postgres-account.ts), which needs access to the folder.
  chmodSync(dataDir, 0o711);
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  // An interrupted run skips the teardown. The next run removes the files of a killed run.
  process.once('exit', remove);
  const postgres = await startPostgres({ dataDir, port: 0, log, durable: false });
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await admin.end();
  const templateUrl = databaseUrl(postgres.url, TEMPLATE);
  await migrate({ databaseUrl: templateUrl, log });
  await dropCompatibilityTrigger(templateUrl);
  return { postgres, template: TEMPLATE, remove };
}

/** Shows in all tests that only the previous version needs the trigger (test/api/triggers-upgrade.test.ts). */
async function dropCompatibilityTrigger(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('DROP TRIGGER events_start_and_wake ON events');
  await client.end();
}

/** Removes the servers and folders of killed runs. The names of the folders contain the pid. */
async function removeLeftovers(base: string): Promise<void> {
  for (const name of readdirSync(base)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (!pid || startTime(Number(pid)) !== undefined) continue;
    const folder = path.join(base, name);
    await endOrphanedPostgres(path.join(folder, 'postgres'), log);
    rmSync(folder, { recursive: true, force: true });
  }
}

function databaseUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The test run does not listen on a port.');
  return address.port;
}
