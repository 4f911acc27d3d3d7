// Writes a migration that leads from prisma/migrations to prisma/schema.prisma: node scripts/migrate-diff.mjs <name>
//
// The migrations are applied to an empty database of a throwaway server, which is then compared with the schema:
// nobody's data is read or touched.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

const root = fileURLToPath(new URL('..', import.meta.url));
const migrations = path.join(root, 'prisma', 'migrations');

const [name = ''] = process.argv.slice(2);
if (!/^[a-z0-9_]+$/.test(name)) {
  console.error(
    'Usage: node scripts/migrate-diff.mjs <name>\n<name> is made of small letters, digits and underscores, such as add_contact_index',
  );
  process.exit(1);
}

register();
const { startPostgres } = await import('../packages/embedded/src/postgres.ts');
const { migrate, difference } = await import('../src/db/migrate.ts');
const { createLog } = await import('../src/log.ts');

const log = createLog('warn');
const dataDir = await mkdtemp(path.join(await realpath(tmpdir()), 'sendloom-diff-'));
// The server may run as another user, who must be able to enter.
await chmod(dataDir, 0o711);
try {
  const server = await startPostgres({ dataDir, port: 0, log, durable: false });
  try {
    if (existsSync(migrations)) await migrate({ databaseUrl: server.url, log });
    const sql = await difference(server.url, await readFile(path.join(root, 'prisma', 'schema.prisma'), 'utf8'));
    if (sql) await write(sql);
    else console.log('The migrations lead to the schema as it is: nothing to write.');
  } finally {
    await server.stop();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

async function write(sql) {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = path.join(migrations, `${time}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'migration.sql'), sql);
  const lock = path.join(migrations, 'migration_lock.toml');
  if (!existsSync(lock)) await writeFile(lock, 'provider = "postgresql"\n');
  console.log(
    `Wrote ${path.relative(root, folder)}/migration.sql. Read it before it is applied: what was added by hand, and the schema can't say, may be dropped in it.`,
  );
}
