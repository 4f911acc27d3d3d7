/**
 * Builds `dist/`: the compiled sources and the bundle of the workflows. Each is built only if its inputs have
 * changed.
 *
 * The output is written to a folder next to `dist` and moved into place at the end. A build that fails or is
 * interrupted changes nothing, and a process that runs from `dist` never sees an incomplete build.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const SOURCES = ['src', 'workflows', 'activities', 'packages/email-blocks', 'packages/embedded'];
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json', 'scripts/build.mjs'];
const DASHBOARD_SETTINGS = [
  'packages/dashboard/index.html',
  'packages/dashboard/vite.config.ts',
  'packages/dashboard/package.json',
  'packages/client/src/index.ts',
  'package-lock.json',
];
const VITE = join(root, 'node_modules/vite/bin/vite.js');
const STAMP = 'build.json';
const BUNDLE = 'workflow-bundle.js';

/**
 * Brings `dist/` up to date.
 *
 * @returns {Promise<boolean>} whether anything was built
 * @throws {Error} if the compiler or the bundler fails; their output is on stderr
 */
export async function build() {
  const sources = hash([
    ...SOURCES.flatMap((folder) => filesBelow(join(root, folder))),
    ...SETTINGS.map((name) => join(root, name)),
  ]);
  const isDashboardBuilt = await buildDashboard();
  const before = readStamp();
  if (before.sources === sources) return isDashboardBuilt;

  const fresh = join(root, `dist.${process.pid}.new`);
  rmSync(fresh, { recursive: true, force: true });
  try {
    await run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      'tsconfig.build.json',
      // `npm run typecheck` and `npm test` check the types.
      '--noCheck',
      '--outDir',
      fresh,
    ]);
    // src/db/migrate.ts reads the SQL functions next to itself.
    cpSync(join(root, 'src/db/functions'), join(fresh, 'src/db/functions'), { recursive: true });
    const bundle = await bundleInto(fresh, before);
    writeFileSync(join(fresh, STAMP), JSON.stringify({ sources, bundle }));
    const old = `${fresh}.old`;
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

/**
 * Brings `packages/dashboard/dist` up to date: Vite's output, and a compressed file next to each. Several processes may
 * do so concurrently.
 *
 * @returns {Promise<boolean>} whether anything was built
 */
export async function buildDashboard() {
  const folder = join(root, 'packages/dashboard');
  const output = join(folder, 'dist');
  const stamp = join(output, STAMP);
  // The image has no tools of the dashboard.
  if (!existsSync(VITE)) return false;
  const sources = hash([
    ...['src', 'public'].flatMap((name) => filesBelow(join(folder, name))),
    ...filesBelow(join(root, 'packages/email-blocks/src')),
    ...DASHBOARD_SETTINGS.map((name) => join(root, name)),
  ]);
  const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === sources;
  if (isFresh()) return false;
  const fresh = join(folder, `dist.${process.pid}.new`);
  try {
    // A process of its own: Vite reads NODE_ENV, and the caller may be a test.
    await run(process.execPath, [VITE, 'build', folder, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'], {
      NODE_ENV: 'production',
    });
    for (const file of filesBelow(fresh).filter((name) => /\.(js|css|html|svg)$/.test(name))) {
      const content = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(content));
      writeFileSync(`${file}.gz`, gzipSync(content));
    }
    writeFileSync(join(fresh, STAMP), sources);
    if (isFresh()) return false;
    const old = `${fresh}.old`;
    if (existsSync(output)) renameSync(output, old);
    renameSync(fresh, output);
    rmSync(old, { recursive: true, force: true });
  } catch (error) {
    // Another process has moved its output into place.
    if (!isFresh()) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

/** Bundles the workflows, or copies the last bundle if none of its modules has changed. @returns the modules' hash */
async function bundleInto(fresh, before) {
  const entry = join(fresh, 'workflows/index.js');
  if (!existsSync(entry)) return null;
  const modules = hash([...reachable(entry), join(root, 'package-lock.json')], fresh);
  if (before.bundle === modules && existsSync(join(dist, BUNDLE))) {
    copyFileSync(join(dist, BUNDLE), join(fresh, BUNDLE));
    return modules;
  }
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger: new DefaultLogger('WARN') });
  writeFileSync(join(fresh, BUNDLE), withoutSources(inAscii(code)));
  return modules;
}

/**
 * Removes the sources from a bundle's source map. Stack traces need only its mappings. Without the sources, a worker uses
 * 80 MB less.
 */
function withoutSources(code) {
  const [before, encoded] = code.split(
    /(?<=\n\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,)/,
  );
  if (encoded === undefined) throw new Error('The bundle of the workflows has no source map.');
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(encoded, 'base64').toString());
  return before + Buffer.from(JSON.stringify(map)).toString('base64');
}

/**
 * Escapes the characters that are not ASCII. A single one would double the memory of the whole text in Node. All of them are
 * in comments.
 */
const inAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A compiled module and all project modules that it imports, directly or indirectly. */
function reachable(entry, found = new Set()) {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [, path] of readFileSync(entry, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g))
    reachable(resolve(dirname(entry), path), found);
  return found;
}

function hash(files, base = root) {
  const sum = createHash('sha256').update(process.version);
  for (const file of [...files].sort((a, b) => (a < b ? -1 : 1)))
    sum.update(`\0${relative(base, file)}\0`).update(readFileSync(file));
  return sum.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(join(dist, STAMP), 'utf8'));
  } catch {
    // The record is missing or not readable: everything is built.
    return {};
  }
}

function run(command, args, variables = {}) {
  return new Promise((done, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? done() : reject(new Error('The sources do not compile.'))));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = Date.now();
  const built = await build().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  console.log(built ? `Built in ${((Date.now() - started) / 1000).toFixed(1)} s` : 'dist is up to date');
}
