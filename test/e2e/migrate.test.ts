import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.js';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';
import { createLog } from '../../src/log.js';
import { newId } from '../../src/ids.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';

const log = createLog('silent');
let database: TestDatabase;
let directory: string;
let functionsDirectory: string;

beforeEach(async () => {
  database = await createTestDatabase();
  await query('DROP SCHEMA public CASCADE');
  await query('CREATE SCHEMA public');
  directory = mkdtempSync(path.join(tmpdir(), 'sendloom migrations-'));
  functionsDirectory = mkdtempSync(path.join(tmpdir(), 'sendloom functions-'));
  writeFileSync(path.join(directory, 'migration_lock.toml'), 'provider = "postgresql"\n');
});

afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
  rmSync(functionsDirectory, { recursive: true, force: true });
  await database.drop();
});

async function query(sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

const migrateHere = (databaseUrl = database.url, signal?: AbortSignal): Promise<string[]> =>
  migrate({ databaseUrl, log, directory, functionsDirectory, signal });

function addMigration(name: string, sql: string): void {
  mkdirSync(path.join(directory, name), { recursive: true });
  writeFileSync(path.join(directory, name, 'migration.sql'), sql);
}

test("migrations are applied in order, once, and recorded in Prisma's table", async () => {
  addMigration('20260102000000_second', 'ALTER TABLE thing ADD COLUMN name text;');
  addMigration('20260101000000_first', 'CREATE TABLE thing (id int);');
  expect(await migrateHere()).toEqual(['20260101000000_first', '20260102000000_second']);
  expect(await migrateHere()).toEqual([]);
  expect(await query('SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1')).toEqual(
    ['20260101000000_first', '20260102000000_second'],
  );
  expect(
    await query("SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"),
  ).toEqual(['_prisma_migrations', 'thing']);
});

test('a function body keeps its semicolons', async () => {
  addMigration(
    '20260101000000_function',
    'CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN n := 1; RETURN n + 1; END $$; CREATE TABLE thing (id int);',
  );
  await migrateHere();
  expect(await query('SELECT two()')).toEqual([2]);
});

test('processes that start together apply each migration once', async () => {
  addMigration('20260101000000_slow', 'SELECT pg_sleep(0.3); CREATE TABLE thing (id int);');
  const applied = await Promise.all([1, 2, 3].map(() => migrateHere()));
  expect(applied.flat()).toEqual(['20260101000000_slow']);
});

test('a failed migration is named with the reason and rolled back, and the next start tries it again', async () => {
  addMigration('20260101000000_broken', 'CREATE TABLE thing (id int); SELECT nonsense;');
  await expect(migrateHere()).rejects.toThrow(/20260101000000_broken.*column "nonsense" does not exist/s);
  expect(await query("SELECT to_regclass('thing')")).toEqual([null]);
  await expect(migrateHere()).rejects.toThrow(/20260101000000_broken/);
  addMigration('20260101000000_broken', 'CREATE TABLE thing (id int);');
  expect(await migrateHere()).toEqual(['20260101000000_broken']);
});

describe("a database that Prisma's engine has migrated", () => {
  /** The table as Prisma's engine creates it, with a row that the engine has written for this file. */
  async function addHistory(finished: string): Promise<void> {
    await query(`CREATE TABLE _prisma_migrations (
      id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
      migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
    await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('${newId()}', '${CHECKSUM}', '20260101000000_first', ${finished})`);
  }
  const FIRST = 'CREATE TABLE thing (id int);\n';
  /** The SHA-256 of FIRST in hexadecimal. */
  const CHECKSUM = createHash('sha256').update(FIRST).digest('hex');

  test('continues, and new migrations get the same kind of checksum', async () => {
    await addHistory('now()');
    addMigration('20260101000000_first', FIRST);
    addMigration('20260102000000_second', FIRST);
    expect(await migrateHere()).toEqual(['20260102000000_second']);
    expect(await query('SELECT checksum, applied_steps_count FROM _prisma_migrations ORDER BY migration_name')).toEqual(
      [CHECKSUM, 0, CHECKSUM, 1],
    );
  });

  test('is not migrated while one of its migrations is recorded as failed', async () => {
    await addHistory('NULL');
    addMigration('20260101000000_first', FIRST);
    await expect(migrateHere()).rejects.toThrow('20260101000000_first');
    await query('UPDATE _prisma_migrations SET rolled_back_at = now()');
    expect(await migrateHere()).toEqual(['20260101000000_first']);
  });
});

describe('the SQL functions', () => {
  const addFunction = (name: string, sql: string): void => writeFileSync(path.join(functionsDirectory, name), sql);
  const ONE = 'CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT two() - 1 $$;';
  const TWO = 'CREATE OR REPLACE FUNCTION two() RETURNS int LANGUAGE sql AS $$ SELECT 2 $$;';

  test('are created after the migrations, in any order, and replaced when a file changes', async () => {
    addFunction('one.sql', ONE);
    addFunction('two.sql', TWO);
    await migrateHere();
    expect(await query('SELECT one()')).toEqual([1]);
    addFunction('two.sql', TWO.replace('SELECT 2', 'SELECT 3'));
    await migrateHere();
    expect(await query('SELECT one()')).toEqual([2]);
  });

  test('are left alone when no file has changed', async () => {
    addFunction('two.sql', TWO);
    await migrateHere();
    await query('DROP FUNCTION two()');
    await migrateHere();
    expect(await query("SELECT to_regproc('two')")).toEqual([null]);
  });

  test('are replaced all or none, and the message names the file that fails', async () => {
    addFunction('a.sql', TWO);
    addFunction('b.sql', 'CREATE FUNCTION broken(');
    await expect(migrateHere()).rejects.toThrow(/b\.sql/);
    expect(await query("SELECT to_regproc('two')")).toEqual([null]);
  });

  test('wait for a transaction that uses the table of a trigger', async () => {
    addMigration('20260101000000_first', 'CREATE TABLE thing (id int);');
    await migrateHere();
    addFunction(
      'note.sql',
      `CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
       CREATE OR REPLACE TRIGGER note AFTER INSERT ON thing FOR EACH STATEMENT EXECUTE FUNCTION note();`,
    );
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    await writer.query('BEGIN; INSERT INTO thing VALUES (1)');
    const migrating = migrateHere();
    const isWaiting = `SELECT count(*)::int FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'relation'`;
    await eventually(async () => expect(await query(isWaiting)).toEqual([1]));
    // The next try begins after the first one has given up its lock request.
    await eventually(async () => expect(await query(isWaiting)).toEqual([0]));
    await writer.query('COMMIT');
    await writer.end();
    await migrating;
    expect(await query('SELECT tgname::text FROM pg_trigger')).toEqual(['note']);
  });
});

test('each SQL function and trigger has its current version in src/db/functions', async () => {
  await migrate({ databaseUrl: database.url, log });
  const names = await query(
    `SELECT proname::text FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     UNION ALL SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal`,
  );
  const folder = new URL('../../src/db/functions/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const sql = files.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  const defined = [...sql.matchAll(/CREATE OR REPLACE (?:FUNCTION|TRIGGER) "?(\w+)/g)].map(([, name = '']) => name);
  const found = new Set(names.map(String));
  expect([...found].sort()).toEqual([...new Set(defined)].sort());
});

test('migrate waits for a database that accepts connections later', async () => {
  addMigration('20260101000000_first', 'CREATE TABLE thing (id int);');
  const port = await freePort();
  const late = new URL(database.url);
  const target = Number(late.port);
  late.port = String(port);
  const migrating = migrateHere(late.href);
  const refused = new Client({ connectionString: late.href });
  await expect(refused.connect()).rejects.toThrow('ECONNREFUSED');

  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const upstream = connect(target, LOOPBACK);
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => one.destroy()));
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(port, LOOPBACK, resolve));
  expect(await migrating).toEqual(['20260101000000_first']);
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

test('an aborted signal ends the wait for a database that does not accept connections', async () => {
  const port = await freePort();
  const stop = new AbortController();
  const migrating = migrateHere(`postgresql://someone@${LOOPBACK}:${port}/nothing`, stop.signal);
  stop.abort(new Error('stopped by the test'));
  await expect(migrating).rejects.toThrow('stopped by the test');
});

test('migrate reports a wrong password without waiting', async () => {
  const wrong = new URL(database.url);
  wrong.password = 'wrong';
  await expect(migrateHere(wrong.href)).rejects.toThrow(/password/);
});

test('statements of the previous version find no columns and write none', async () => {
  await migrate({ databaseUrl: database.url, log });
  await query(`INSERT INTO contact_stores (project_id, format, built_to)
               SELECT gen_random_uuid(), 2, NULL ON CONFLICT DO NOTHING`);
  await query(`UPDATE contact_stores SET noted_from = 1 WHERE noted_from IS NULL`);
  await query(`DELETE FROM contact_stores WHERE project_id = gen_random_uuid()`);
  await query(`DELETE FROM contact_changes h
                WHERE NOT EXISTS (SELECT FROM contact_stores s WHERE s.project_id = h.project_id)`);
  expect(
    await query(`SELECT c.first_id FROM contact_stores s LEFT JOIN contact_chunks c USING (project_id)
                  WHERE s.format = 2 AND s.built_to IS NULL`),
  ).toEqual([]);
});
