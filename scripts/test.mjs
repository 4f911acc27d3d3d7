/**
 * `npm test [vitest arguments]`: installs missing dependencies, then runs the static checks, the build, and the tests.
 * Without arguments, it runs all tests except the long ones, which have the tags `faults` (`npm run test:faults`) and
 * `journeys` (`npm run test:journeys`).
 *
 * The last line is `N passed, N failed`. A failed check, and an error outside of any test, each count as one failure.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const bin = (name) => join('node_modules', '.bin', name);

const CHECKS = [
  [bin('tsc'), '--noEmit'],
  [bin('tsc'), '-p', 'packages/dashboard'],
  [bin('oxlint'), '--type-aware', '--deny-warnings'],
  [bin('oxfmt'), '--check'],
  [process.execPath, 'scripts/lint-english.mjs'],
];
const BUILD = [process.execPath, 'scripts/build.mjs'];
const GENERATE = [process.execPath, 'scripts/generate.mjs'];

const children = new Set();
/** Set after the first failure: the other programs are ended then, and their output is not shown. */
let isStopping = false;

const stopProgram = (child) =>
  new Promise((resolve) => {
    child.once('close', resolve);
    child.kill('SIGINT');
  });

/** Starts a program of the project. Returns its exit code, and its output unless `stdio` shows it immediately. */
function runProgram([command, ...args], stdio = 'pipe') {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', stdio, stdio], shell: process.platform === 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    children.add(child);
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** Runs a check and prints its name and, if it fails, its output. @throws if it fails */
async function runCheck(command) {
  const started = Date.now();
  const { code, output } = await runProgram(command);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (isStopping) throw new Error('Stopped after the first failure.');
  if (code === 0) return console.log(`> ${command.join(' ')}: passed in ${seconds} s`);
  console.error(`\n> ${command.join(' ')}\n${output}`);
  throw new Error(`${command.join(' ')} failed: see above.`);
}

/** Fetches or builds Temporal's two servers before the tests, because the first time takes minutes. */
async function fetchServers() {
  const { register } = await import('tsx/esm/api');
  const unregister = register();
  const { findTemporalCli } = await import('../packages/embedded/src/temporal-cli.ts');
  const { timeSkippingServer } = await import('../test/helpers/time-skipping-server.ts');
  const { createLog } = await import('../src/log.ts');
  for (const find of [() => findTemporalCli({ log: createLog('info') }), timeSkippingServer]) {
    // The other tests run without the server, and those that need it fail with the same message.
    await find().catch((error) => console.error(`\n${error.message}\n`));
  }
  await unregister();
}

/** Runs vitest. Returns the numbers of its report and its exit code. */
async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-report-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { code } = await runProgram([bin('vitest'), 'run', ...reporters, ...args], 'inherit');
    return { ...countResults(report, code), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countResults(report, code) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    // Vitest failed before it wrote a report.
    return { passed: 0, failed: code === 0 ? 0 : 1 };
  }
  // A file that could not be loaded has no tests to count.
  const unloaded = result.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
  ).length;
  const failed = result.numFailedTests + unloaded;
  return { passed: result.numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed };
}

function exitWith({ passed, failed, code }) {
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(code);
}

/** Builds, fetches the servers, and runs vitest with these arguments; `checks` run at the same time. */
async function runAll(checks, args) {
  await runCheck(GENERATE);
  // The first failure ends the run: `exitWith` does not wait for the other programs.
  const checking = Promise.all(checks.map(runCheck));
  const testing = Promise.all([runCheck(BUILD), fetchServers()]).then(() => runTests(args));
  const [result] = await Promise.all([testing, checking]);
  return result;
}

const [first, ...rest] = process.argv.slice(2);
try {
  await install();
  if (first === '--faults') exitWith(await runAll([], ['test/e2e', '--maxWorkers=2', '--tags-filter=faults', ...rest]));
  if (first === '--journeys') exitWith(await runAll([], ['test/dashboard', '--tags-filter=journeys', ...rest]));
  const args = process.argv.slice(2);
  exitWith(await runAll(CHECKS, args.length > 0 ? args : ['--tags-filter=!faults && !journeys']));
} catch (error) {
  console.error(`\n${error.message}`);
  isStopping = true;
  await Promise.all([...children].map(stopProgram));
  exitWith({ passed: 0, failed: 1, code: 1 });
}
