import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.js';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';
import { createLog } from '../../src/log.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';

const log = createLog('silent');
let database: TestDatabase;
let directory: string;

beforeEach(async () => {
  database = await createTestDatabase();
  await query('DROP SCHEMA public CASCADE');
  await query('CREATE SCHEMA public');
  directory = mkdtempSync(path.join(tmpdir(), 'sendloom migrations-'));
  writeFileSync(path.join(directory, 'migration_lock.toml'), 'provider = "postgresql"\n');
});

afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
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

function addMigration(name: string, sql: string): void {
  mkdirSync(path.join(directory, name));
  writeFileSync(path.join(directory, name, 'migration.sql'), sql);
}

test("migrations are applied in order, once, and noted in Prisma's table", async () => {
  addMigration('20260102000000_second', 'ALTER TABLE thing ADD COLUMN name text;');
  addMigration('20260101000000_first', 'CREATE TABLE thing (id int);');
  expect(await migrate({ databaseUrl: database.url, log, directory })).toEqual([
    '20260101000000_first',
    '20260102000000_second',
  ]);
  expect(await migrate({ databaseUrl: database.url, log, directory })).toEqual([]);
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
  await migrate({ databaseUrl: database.url, log, directory });
  expect(await query('SELECT two()')).toEqual([2]);
});

test('processes that start together apply each migration once', async () => {
  addMigration('20260101000000_slow', 'SELECT pg_sleep(0.3); CREATE TABLE thing (id int);');
  const applied = await Promise.all([1, 2, 3].map(() => migrate({ databaseUrl: database.url, log, directory })));
  expect(applied.flat()).toEqual(['20260101000000_slow']);
});

test('a migration that fails is named with the reason, leaves nothing behind, and stops the next start', async () => {
  addMigration('20260101000000_broken', 'CREATE TABLE thing (id int); SELECT nonsense;');
  await expect(migrate({ databaseUrl: database.url, log, directory })).rejects.toThrow(
    /20260101000000_broken.*column "nonsense" does not exist/s,
  );
  expect(await query("SELECT to_regclass('thing')")).toEqual([null]);
  await expect(migrate({ databaseUrl: database.url, log, directory })).rejects.toThrow(/20260101000000_broken/);
});

test('a database that comes up late is waited for', async () => {
  addMigration('20260101000000_first', 'CREATE TABLE thing (id int);');
  const port = await freePort();
  const late = new URL(database.url);
  const target = Number(late.port);
  late.port = String(port);
  const migrating = migrate({ databaseUrl: late.href, log, directory });
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

test('a database that does not come up is said in time', async () => {
  const port = await freePort();
  await expect(
    migrate({ databaseUrl: `postgresql://someone@${LOOPBACK}:${port}/nothing`, log, directory, waitMs: 300 }),
  ).rejects.toThrow(`${LOOPBACK}:${port} was not up within 0.3 s`);
});

test('a wrong password is said at once', async () => {
  const wrong = new URL(database.url);
  wrong.password = 'wrong';
  await expect(migrate({ databaseUrl: wrong.href, log, directory })).rejects.toThrow(/password/);
});
