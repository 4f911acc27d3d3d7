/**
 * Applies the migrations in `prisma/migrations` with Prisma's own schema engine, in its WebAssembly build: in process,
 * without a downloaded binary, in Prisma's format and table.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Client } from 'pg';
import type { Log } from '../log.js';
import { openSchemaEngine } from './schema-engine.js';

export interface MigrateOptions {
  databaseUrl: string;
  log: Log;
  /** The folder with Prisma's migrations. Default: the project's own. */
  directory?: string;
  /** How long to wait for a database that is not up yet. Default 60,000. */
  waitMs?: number;
}

/** Any fixed number, other than the one that Prisma's engine locks for itself (72707369). */
const LOCK = 7_243_611;
const FILTERS = { externalTables: [], externalEnums: [] };
const SYSTEM_CODES = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'];
/** PostgreSQL's cannot_connect_now (it is starting), admin_shutdown, too_many_connections. */
const SERVER_CODES = ['57P03', '57P01', '53300'];
const NOT_UP_YET = new Set([...SYSTEM_CODES, ...SERVER_CODES]);

/**
 * Brings the database to the newest migration.
 *
 * Processes that start together take turns, by an advisory lock. Creates nothing but what the migrations say, and
 * `_prisma_migrations`.
 *
 * @returns the names of the migrations that this call applied, in order
 * @throws Error when the database is not up in time, or a migration fails; the message names it
 */
export async function migrate({
  databaseUrl,
  log,
  directory = defaultDirectory(),
  waitMs = 60_000,
}: MigrateOptions): Promise<string[]> {
  const client = await connectWhenUp({ databaseUrl, log, waitMs });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const applied = await applyMigrations(databaseUrl, directory);
    if (applied.length > 0) log.info({ migrations: applied }, 'The database schema is up to date');
    return applied;
  } finally {
    await client.end();
  }
}

/** `prisma/migrations` of the package, whether this file runs from its source or from `dist`. */
function defaultDirectory(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder)
      throw new Error('No package.json above this file: the migrations were not installed with it');
    folder = parent;
  }
  return path.join(folder, 'prisma', 'migrations');
}

async function connectWhenUp({
  databaseUrl,
  log,
  waitMs,
}: {
  databaseUrl: string;
  log: Log;
  waitMs: number;
}): Promise<Client> {
  const deadline = Date.now() + waitMs;
  for (let attempt = 1; ; attempt++) {
    const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end();
      if (!isNotUpYet(error)) throw error;
      if (Date.now() >= deadline)
        throw new Error(`The database at ${client.host}:${client.port} was not up within ${waitMs / 1000} s`, {
          cause: error,
        });
      if (attempt === 1) log.info({ host: client.host, port: client.port }, 'Waiting for the database');
      await delay(Math.min(100 * attempt, 1_000));
    }
  }
}

function isNotUpYet(error: unknown): boolean {
  // A name with several addresses, such as localhost, fails with one error for each.
  if (error instanceof AggregateError) return error.errors.every(isNotUpYet);
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return NOT_UP_YET.has(error.code);
  // pg gives these two no code.
  return /timeout expired|Connection terminated unexpectedly/.test(error.message);
}

async function applyMigrations(databaseUrl: string, directory: string): Promise<string[]> {
  const { engine, scriptError, close } = await openSchemaEngine(databaseUrl);
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: await readMigrations(directory),
      filters: FILTERS,
    });
    return appliedMigrationNames;
  } catch (error) {
    const reason = [error, scriptError()].filter((part) => part instanceof Error).map((part) => part.message);
    throw new Error(`The database could not be migrated: ${reason.join(': ')}`, { cause: error });
  } finally {
    await close();
  }
}

/** Reads a folder of migrations in Prisma's layout, in the order of their names. */
export async function readMigrations(directory: string): Promise<MigrationList> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const migrationDirectories = await Promise.all(
    names.map(async (name): Promise<MigrationDirectory> => {
      const value = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } };
    }),
  );
  const lockfile = {
    path: 'migration_lock.toml',
    content: await readFile(path.join(directory, 'migration_lock.toml'), 'utf8'),
  };
  return { baseDir: directory, lockfile, shadowDbInitScript: '', migrationDirectories };
}

/**
 * The SQL that leads from a live database to a Prisma schema.
 *
 * @param schema the schema's content
 * @returns undefined when there is no difference
 */
export async function difference(databaseUrl: string, schema: string): Promise<string | undefined> {
  const files = [{ path: 'schema.prisma', content: schema }];
  const { engine, close } = await openSchemaEngine(databaseUrl, schema);
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      // The engine then answers 2 when there is a difference.
      exitCode: true,
      filters: FILTERS,
    });
    return exitCode === 2 && stdout ? stdout : undefined;
  } finally {
    await close();
  }
}
