/**
 * `npm start`: installs and builds what is missing or out of date, then runs everything in this process.
 * `npm run dev` (`--watch`): runs it in a child process, and again whenever a source changes.
 */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { install, run } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAIN = join(root, 'dist/src/main.js');
const WATCHED = ['src', 'workflows', 'activities', 'packages/email-blocks', 'packages/embedded', 'prisma'];
const MIN_NODE = [20, 19];

process.chdir(root);
endWithParent();
try {
  checkNode();
  await install();
  if (process.argv.includes('--watch')) await watchAndRun();
  else await prepareAndRun();
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function prepareAndRun() {
  await prepare();
  loadEnvironment();
  await import(pathToFileURL(MAIN).href);
}

/**
 * npm runs a script in a shell and sends SIGTERM only to the shell, so the script would keep running. The death of the
 * parent therefore counts as the signal.
 */
function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
    throw new Error(`Sendloom needs Node ${MIN_NODE.join('.')} or newer; this is ${process.versions.node}.`);
  }
}

async function prepare() {
  await run(
    process.execPath,
    [join(root, 'scripts/generate.mjs')],
    'The database client could not be generated: see above.',
  );
  const { build } = await import('./build.mjs');
  const started = Date.now();
  if (await build()) console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** `.env` fills in what the environment leaves out. */
function loadEnvironment() {
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
}

async function watchAndRun() {
  const state = { changed: true, stopping: false, wake: () => undefined };
  let child = null;
  const stop = (signal) => {
    state.stopping = true;
    // A second signal is forwarded too: it makes the child exit immediately.
    child?.kill(signal);
    state.wake();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  for (const folder of WATCHED.filter((name) => existsSync(join(root, name)))) {
    watch(join(root, folder), { recursive: true }, (event, name) => {
      if (name?.startsWith('generated')) return;
      state.changed = true;
      state.wake();
    });
  }
  loadEnvironment();
  for (;;) {
    state.changed = false;
    const built = await prepare().then(
      () => true,
      (error) => console.error(`${error.message} Waiting for a change.`),
    );
    if (state.stopping) break;
    child = built && !state.changed ? spawn(process.execPath, [MAIN], { cwd: root, stdio: 'inherit' }) : null;
    const ended = child && new Promise((done) => child.once('exit', done));
    await new Promise((done) => {
      state.wake = done;
      if (state.changed || state.stopping) done();
    });
    if (!state.stopping) {
      // An editor may save several files in a row.
      await new Promise((done) => setTimeout(done, 200));
      console.log('A source changed: restarting …');
      child?.kill('SIGTERM');
    }
    await ended;
    child = null;
    if (state.stopping) break;
  }
  process.exit(0);
}
