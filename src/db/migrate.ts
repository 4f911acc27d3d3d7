/**
 * Brings a database to the current schema: applies `prisma/migrations`, then re-creates the functions in `functions/`.
 *
 * Migrations keep Prisma's format and its table `_prisma_migrations`, so Prisma's tools can read the history. Applying
 * them needs only this file: `prisma migrate deploy` needs a schema engine that npm does not ship.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
// Not through pool.ts: scripts/migrate-diff.mjs needs pg's own parser for bigint.
import { DatabaseError, type Client } from 'pg';
import type { Log } from '../log.js';
import { packageFolder } from '../package-folder.js';
import { connectWhenAvailable } from './wait-for-database.js';

export interface MigrateOptions {
  databaseUrl: string;
  log: Log;
  /** The folder with the migrations in Prisma's layout. Default: the project's own. */
  directory?: string;
  /** The folder with the SQL functions, one file each. Default: the project's own. */
  functionsDirectory?: string;
  /** Ends the wait for a database that does not accept connections yet. */
  signal?: AbortSignal;
}

/** An arbitrary key; 72707369 belongs to Prisma's own engine. */
const ADVISORY_LOCK_KEY = 7_243_611;
/** Re-creating a trigger locks its table. While it waits for running statements, new ones wait too: so not for long. */
const FUNCTIONS_LOCK_TIMEOUT_MS = 1_000;
const MAX_FUNCTIONS_ATTEMPTS = 30;

/**
 * Brings the database to the current schema. An advisory lock lets processes that start together take turns.
 *
 * @returns the names of the migrations that this call applied, in order
 * @throws DatabaseConfigError, the reason of `signal`, or an Error if a migration fails; the message names it
 */
export async function migrate({
  databaseUrl,
  log,
  directory = path.join(packageFolder(), 'prisma', 'migrations'),
  functionsDirectory = fileURLToPath(new URL('functions', import.meta.url)),
  signal,
}: MigrateOptions): Promise<string[]> {
  const client = await connectWhenAvailable({ databaseUrl, log, signal });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK_KEY]);
    const applied = await applyMigrations(client, directory);
    if (applied.length > 0) log.info({ migrations: applied }, 'Applied the migrations');
    await replaceFunctions(client, functionsDirectory, log);
    return applied;
  } finally {
    await client.end();
  }
}

/** The definition is that of Prisma's engine. */
const CREATE_HISTORY = `
CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

interface HistoryRow {
  name: string;
  finished: boolean;
}

/** Applies the migrations that the database does not have, each in a transaction of its own. */
async function applyMigrations(client: Client, directory: string): Promise<string[]> {
  await client.query(CREATE_HISTORY);
  const { rows: history } = await client.query<HistoryRow>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations
      WHERE rolled_back_at IS NULL`,
  );
  const failed = history.find(({ finished }) => !finished);
  if (failed)
    throw new Error(
      `The migration ${failed.name} failed or was interrupted earlier, and was rolled back. Fix its cause (see the ` +
        'column logs of its row in _prisma_migrations), then set rolled_back_at = now() on that row.',
    );
  const finished = new Set(history.map(({ name }) => name));
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const missing = names.filter((name) => !finished.has(name)).sort();
  for (const name of missing) await applyMigration(client, name, path.join(directory, name, 'migration.sql'));
  return missing;
}

async function applyMigration(client: Client, name: string, file: string): Promise<void> {
  const sql = await readFile(file);
  try {
    await inTransaction(client, async () => {
      await client.query(sql.toString('utf8'));
      await client.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
         VALUES ($1, $2, $3, clock_timestamp(), 1)`,
        [randomUUID(), createHash('sha256').update(sql).digest('hex'), name],
      );
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The migration ${name} failed and was rolled back: ${reason}`, { cause: error });
  }
}

/**
 * Runs all files of `functions/` in one transaction, unless the database has them already. The comment of
 * `_prisma_migrations` holds their hash, so that an unchanged start needs one query.
 */
async function replaceFunctions(client: Client, directory: string, log: Log): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, sql: await readFile(path.join(directory, name), 'utf8') })),
  );
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  // Some functions depend on the server's version, so they are also re-created after an upgrade of PostgreSQL.
  const { rows } = await client.query<{ wanted: string; found: string | null }>(
    `SELECT 'functions ' || $1 || ' on PostgreSQL ' || current_setting('server_version_num')::int / 10000 AS wanted,
            obj_description('_prisma_migrations'::regclass, 'pg_class') AS found`,
    [hash],
  );
  const [versions] = rows;
  if (!versions || versions.wanted === versions.found) return;
  const { wanted } = versions;

  for (let attempt = 1; ; attempt++) {
    try {
      await inTransaction(client, async () => {
        await client.query(
          `SELECT set_config('check_function_bodies', 'off', true), set_config('lock_timeout', $1, true)`,
          [`${FUNCTIONS_LOCK_TIMEOUT_MS}ms`],
        );
        for (const { name, sql } of files) await runFunctionFile(client, name, sql);
        await client.query(`COMMENT ON TABLE _prisma_migrations IS ${client.escapeLiteral(wanted)}`);
      });
      log.info({ functions: files.length }, 'Replaced the SQL functions');
      return;
    } catch (error) {
      if (!isLockFailure(error) || attempt === MAX_FUNCTIONS_ATTEMPTS) throw error;
      await delay(100 + Math.random() * 400);
    }
  }
}

/** A lock that was not granted in time, or a deadlock with statements that use the same tables. */
const isLockFailure = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof DatabaseError &&
  (error.cause.code === '55P03' || error.cause.code === '40P01');

async function runFunctionFile(client: Client, name: string, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The SQL function file ${name} failed: ${reason}`, { cause: error });
  }
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
