/** Finds or builds the Temporal CLI, which contains the development server. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../../src/log.js';
import { cacheFolder, downloadWithSdk, findOnPath, installProgram, isExecutable, runProgram } from './programs.js';

/** The last release that `go install` accepts: later ones contain a `replace` directive. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const PROGRESS_INTERVAL_MS = 30_000;
const VERSION_TIMEOUT_MS = 60_000;

/**
 * Finds the Temporal CLI: `TEMPORAL_CLI`, `temporal` on `PATH`, the cache, a download, a build with Go. The last two
 * fill the cache.
 *
 * @returns the path of the program
 * @throws Error that lists what was tried and what to set
 */
export async function findTemporalCli({ log }: { log: Log }): Promise<string> {
  const given = process.env.TEMPORAL_CLI;
  if (given) {
    if (await isTemporalCli(given)) return given;
    throw new Error(`TEMPORAL_CLI is ${given}, which is not a Temporal CLI that runs on this machine.`);
  }
  const cached = path.join(await cacheFolder(), 'temporal');
  const tried: string[] = [];
  const sources = [
    { name: 'temporal on PATH', find: () => findOnPath('temporal') },
    { name: cached, find: async () => ((await isExecutable(cached)) ? cached : undefined) },
    { name: 'the download', find: () => downloadCli(cached, log) },
    { name: 'a build with Go', find: () => buildCli(cached, log) },
  ];
  for (const { name, find } of sources) {
    try {
      const program = await find();
      if (program && (await isTemporalCli(program))) return program;
      tried.push(`${name}: ${program ? `${program} does not run on this machine` : 'not found'}`);
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `The Temporal development server was neither found nor built. Tried:\n${tried.map((line) => `  ${line}`).join('\n')}\n` +
      'Install the Temporal CLI on PATH, set TEMPORAL_CLI to its path, or set TEMPORAL_ADDRESS to use another server.',
  );
}

async function isTemporalCli(program: string): Promise<boolean> {
  if (!(await isExecutable(program))) return false;
  return runProgram(program, ['--version'], { timeout: VERSION_TIMEOUT_MS }).then(
    (output) => output.startsWith('temporal version'),
    () => false,
  );
}

async function downloadCli(target: string, log: Log): Promise<string> {
  log.info({ target }, 'Downloading the Temporal development server (100 MB, once)');
  return downloadWithSdk('createLocal', target);
}

async function buildCli(target: string, log: Log): Promise<string> {
  const go = await findOnPath('go');
  if (!go) throw new Error('go is not on PATH');
  const message = 'The download failed: building the Temporal development server with Go (3 minutes, 2 GB, once)';
  log.info({ package: GO_PACKAGE }, message);
  const startedAt = Date.now();
  const progress = setInterval(
    () => log.info({ seconds: Math.round((Date.now() - startedAt) / 1000) }, 'Still building the Temporal server'),
    PROGRESS_INTERVAL_MS,
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
