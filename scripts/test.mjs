/** `npm test`: installs what is missing, then type check, lint and all tests. Arguments are passed on to vitest. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

/** Runs a program of the project and ends with its exit code when it fails. */
function run(command, args) {
  console.log(`\n> ${[command, ...args].join(' ')}`);
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const bin = (name) => join('node_modules', '.bin', name);

if (!existsSync('node_modules/.package-lock.json')) run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
run(process.execPath, ['scripts/generate.mjs']);
run(bin('tsc'), ['--noEmit']);
run(bin('oxlint'), ['--type-aware', '--deny-warnings']);
run(process.execPath, ['scripts/build.mjs']);
run(bin('vitest'), ['run', ...process.argv.slice(2)]);
