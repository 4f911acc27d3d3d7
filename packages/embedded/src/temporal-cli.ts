/** Finds or builds the Temporal CLI, which contains the development server. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../../src/log.js';
import { cacheFolder, downloadWithSdk, installProgram, runProgram, tryInOrder } from './programs.js';

/** The last release that `go install` accepts: later ones contain a `replace` directive. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
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
  const cached = path.join(await cacheFolder(), 'temporal');
  if (given)
    return checkCli(given).catch((cause: unknown) => {
      throw new Error(`TEMPORAL_CLI is ${given}, which is not a Temporal CLI that runs on this machine.`, { cause });
    });
  return tryInOrder(
    'The Temporal development server',
    {
      'temporal on PATH': async () => checkCli(await runProgram('sh', ['-c', 'command -v temporal'])),
      [cached]: () => checkCli(cached),
      'the download': async () => {
        log.info({ target: cached }, 'Downloading the Temporal development server (100 MB, once)');
        return checkCli(await downloadWithSdk('createLocal', cached));
      },
      'a build with Go': async () => {
        log.info({ package: GO_PACKAGE }, 'Building the Temporal development server with Go (3 minutes, 2 GB, once)');
        return checkCli(await buildCli(cached));
      },
    },
    'Install the Temporal CLI on PATH, set TEMPORAL_CLI to its path, or set TEMPORAL_ADDRESS to use another server.',
  );
}

/** @throws Error if the program does not exist or is not the Temporal CLI */
async function checkCli(program: string): Promise<string> {
  const output = await runProgram(program, ['--version'], { timeout: VERSION_TIMEOUT_MS });
  if (!output.startsWith('temporal version')) throw new Error(`${program} is not the Temporal CLI`);
  return program;
}

async function buildCli(target: string): Promise<string> {
  return installProgram(target, async (folder) => {
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    await runProgram('go', ['install', GO_PACKAGE], { env: { GOBIN: bin, GOFLAGS: '' } });
    return path.join(bin, 'temporal');
  });
}
