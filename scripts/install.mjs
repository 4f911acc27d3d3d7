/** Installs the dependencies for `npm start` and `npm test`. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs the dependencies unless npm's record of its last installation matches the lock file. */
export async function install() {
  const lock = join(root, 'package-lock.json');
  const installed = join(root, 'node_modules/.package-lock.json');
  if (existsSync(installed)) {
    if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
    // A checkout touches the lock file without changing it.
    if (agrees(packagesOf(lock), packagesOf(installed))) return utimesSync(installed, new Date(), new Date());
  }
  console.log('Installing dependencies (npm ci) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // The compiler needs the type declarations, which are development dependencies.
  await run(
    npm,
    ['ci', '--include=dev', '--no-audit', '--no-fund'],
    'The dependencies could not be installed: see above.',
  );
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

function agrees(wanted, installed) {
  const sameVersion = Object.entries(installed).every(([path, { version }]) => wanted[path]?.version === version);
  // Optional packages of other platforms are not installed.
  const complete = Object.entries(wanted).every(
    ([path, { optional, devOptional, peer }]) => path === '' || optional || devOptional || peer || installed[path],
  );
  return sameVersion && complete;
}

/** Runs a command until it ends and forwards signals to it. */
export function run(command, args, failure) {
  return new Promise((done, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    const forward = (signal) => {
      child.kill(signal);
      child.once('exit', () => process.exit(1));
    };
    process.once('SIGINT', forward).once('SIGTERM', forward);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      if (code === 0) done();
      else reject(new Error(failure));
    });
  });
}
