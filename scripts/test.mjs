/**
 * `npm test`: installs what is missing, then type check, lint and all tests. Arguments are passed on to vitest.
 *
 * The last line is `N passed, N failed`. A check that fails before the tests, and an error outside of any test, counts
 * as one failure.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

/** Runs a program of the project; returns its exit code. */
function run(command, args) {
  console.log(`\n> ${[command, ...args].join(' ')}`);
  const { status, error } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  return status ?? 1;
}

const bin = (name) => join('node_modules', '.bin', name);

function finish({ passed, failed, status }) {
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(status);
}

function check(command, args) {
  const status = run(command, args);
  if (status !== 0) finish({ passed: 0, failed: 1, status });
}

/** Temporal's two servers can take minutes to be made, once: longer than a test may take. */
async function fetchServers() {
  const { register } = await import('tsx/esm/api');
  const unregister = register();
  const { findTemporalCli } = await import('../packages/embedded/src/temporal-cli.ts');
  const { timeSkippingServer } = await import('../test/helpers/time-skipping-server.ts');
  const { createLog } = await import('../src/log.ts');
  for (const find of [() => findTemporalCli({ log: createLog('info') }), timeSkippingServer]) {
    // Not the end: other tests run without it, and those that need it say the same.
    await find().catch((error) => console.error(`\n${error.message}\n`));
  }
  await unregister();
}

/** Runs the tests, and counts them by vitest's own report. */
function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-report-'));
  const report = join(folder, 'report.json');
  try {
    const status = run(bin('vitest'), [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ]);
    return { ...count(report, status), status };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function count(report, status) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    // Vitest itself failed before it could write one.
    return { passed: 0, failed: status === 0 ? 0 : 1 };
  }
  // A file that could not be loaded has no tests to count.
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((one) => one.status !== 'failed'),
  ).length;
  const failed = result.numFailedTests + broken;
  return { passed: result.numPassedTests, failed: status !== 0 && failed === 0 ? 1 : failed };
}

try {
  await install();
  check(process.execPath, ['scripts/generate.mjs']);
  check(bin('tsc'), ['--noEmit']);
  check(bin('oxlint'), ['--type-aware', '--deny-warnings']);
  check(process.execPath, ['scripts/build.mjs']);
  await fetchServers();
  finish(runTests(process.argv.slice(2)));
} catch (error) {
  console.error(`\n${error.message}`);
  finish({ passed: 0, failed: 1, status: 1 });
}
