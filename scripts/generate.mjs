// Generates the Prisma client in src/generated/prisma if it is missing or was generated from other inputs than the
// current ones.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = path.join(root, 'src', 'generated', 'prisma');
// Next to the output folder, which Prisma empties.
const stamp = path.join(root, 'src', 'generated', 'prisma.stamp');

// The hash covers contents, not times, because a checkout gives files new times in any order.
const hash = createHash('sha256');
for (const file of ['prisma/schema.prisma', 'package-lock.json']) hash.update(readFileSync(path.join(root, file)));
const wanted = hash.digest('hex');

const fresh = existsSync(path.join(output, 'client.ts')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!fresh) {
  const packageFile = createRequire(import.meta.url).resolve('prisma/package.json');
  const { bin } = JSON.parse(readFileSync(packageFile, 'utf8'));
  const command = path.join(path.dirname(packageFile), typeof bin === 'string' ? bin : bin.prisma);
  // The schema engine's binary is not used here, but prisma downloads it unless the variable names a program that
  // exists.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'generate', '--no-hints'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) {
    console.error(`prisma generate failed:\n${stdout}${stderr}`);
    process.exit(1);
  }
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}
