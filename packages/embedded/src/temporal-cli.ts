/**
 * Where the Temporal CLI, which holds the development server, is found or made.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../../src/log.js';
import { cacheFolder, downloadWithSdk, findOnPath, installProgram, isExecutable, runProgram } from './programs.js';

/** The last release that `go install` accepts: later ones carry a `replace` directive. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const PROGRESS_MS = 30_000;

/**
 * Finds the Temporal CLI: `TEMPORAL_CLI`, `temporal` on `PATH`, the cache, a download, a build with Go; the last two
 * fill the cache.
 *
 * @returns the path of the program
 * @throws Error that says what was tried and what to set
 */
export async function findTemporalCli({ log }: { log: Log }): Promise<string> {
  const given = process.env.TEMPORAL_CLI;
  if (given) {
    if (await isTemporalCli(given)) return given;
    throw new Error(`TEMPORAL_CLI is ${given}, which is not a Temporal CLI that runs here`);
  }
  const cached = path.join(await cacheFolder(), 'temporal');
  const tried: string[] = [];
  const sources = [
    { name: 'temporal on PATH', find: () => findOnPath('temporal') },
    { name: cached, find: async () => ((await isExecutable(cached)) ? cached : undefined) },
    { name: 'the download', find: () => download(cached, log) },
    { name: 'a build with Go', find: () => build(cached, log) },
  ];
  for (const { name, find } of sources) {
    try {
      const program = await find();
      if (program && (await isTemporalCli(program))) return program;
      tried.push(`${name}: ${program ? `${program} is no Temporal CLI that runs here` : 'not there'}`);
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `The Temporal development server could not be found or made. Tried:\n${tried.map((line) => `  ${line}`).join('\n')}\n` +
      'Install the Temporal CLI and put it on PATH or set TEMPORAL_CLI to its path, or set TEMPORAL_ADDRESS to use a server of your own.',
  );
}

async function isTemporalCli(program: string): Promise<boolean> {
  if (!(await isExecutable(program))) return false;
  return runProgram(program, ['--version'], { timeoutMs: 60_000 }).then(
    (output) => output.startsWith('temporal version'),
    () => false,
  );
}

async function download(target: string, log: Log): Promise<string> {
  log.info({ target }, 'Downloading the Temporal development server (100 MB, once)');
  return downloadWithSdk('createLocal', target);
}

async function build(target: string, log: Log): Promise<string | undefined> {
  const go = await findOnPath('go');
  if (!go) throw new Error('go is not on PATH');
  log.info(
    { package: GO_PACKAGE },
    'No download: building the Temporal development server with Go. This takes about 3 minutes and 2 GB of disk, once',
  );
  const begin = Date.now();
  const progress = setInterval(
    () => log.info(`Still building the Temporal development server (${Math.round((Date.now() - begin) / 1000)} s)`),
    PROGRESS_MS,
  );
  try {
    return await installProgram(target, async (folder) => {
      const bin = path.join(folder, 'bin');
      await mkdir(bin);
      await runProgram(go, ['install', GO_PACKAGE], { env: { GOBIN: bin, GOFLAGS: '' } });
      return path.join(bin, 'temporal');
    });
  } finally {
    clearInterval(progress);
  }
}
