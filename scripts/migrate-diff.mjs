// Writes a migration from prisma/migrations to prisma/schema.prisma: node scripts/migrate-diff.mjs <name>
//
// It applies the migrations and functions to an empty database on a temporary server and compares that with the schema.
// It does not connect to any other database.
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
    'Usage: node scripts/migrate-diff.mjs <name>\n<name> consists of lowercase letters, digits, and underscores: add_contact_index',
  );
  process.exit(1);
}

register();
const { startPostgres } = await import('../packages/embedded/src/postgres.ts');
const { migrate } = await import('../src/db/migrate.ts');
const { difference } = await import('./schema-engine.ts');
const { createLog } = await import('../src/log.ts');

const log = createLog('warn');
const dataDir = await mkdtemp(path.join(await realpath(tmpdir()), 'sendloom-diff-'));
// If the server runs as another user, that user must be able to enter the folder.
await chmod(dataDir, 0o711);
try {
  const server = await startPostgres({ dataDir, port: 0, log, durable: false });
  try {
    await migrate({ databaseUrl: server.url, log });
    const sql = await difference(server.url, await readFile(path.join(root, 'prisma', 'schema.prisma'), 'utf8'));
    if (sql) await write(sql);
    else console.log('The migrations already lead to the schema. Nothing was written.');
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
  console.log(
    `Wrote ${path.relative(root, folder)}/migration.sql. Read it before you apply it: it may drop indexes and settings ` +
      'that were added by hand because the schema language cannot express them.',
  );
}
