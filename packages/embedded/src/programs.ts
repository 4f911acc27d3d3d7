/**
 * Programs that no npm package holds, kept in the user's cache once they have been downloaded or built.
 */
import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const DOWNLOAD_TIMEOUT_MS = 600_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

/** The cache of this project: `sendloom` in `$XDG_CACHE_HOME` or `~/.cache`. Made when it is missing. */
export async function cacheFolder(): Promise<string> {
  const folder = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'sendloom');
  await mkdir(folder, { recursive: true });
  return folder;
}

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The first program of this name in the folders of `PATH`. */
export async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
}

/**
 * Runs a program to its end and returns what it printed on stdout.
 *
 * @throws Error with the last line of its stderr
 */
export async function runProgram(
  command: string,
  args: string[],
  { cwd, env, timeoutMs }: RunOptions = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd,
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      maxBuffer: OUTPUT_LIMIT_BYTES,
    });
    return stdout;
  } catch (error) {
    throw new Error(`${path.basename(command)}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const printed = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return printed.split('\n').at(-1) || error.message;
}

/**
 * Makes a program aside and moves it to its place in one step, so that an interruption or a second process at the same
 * time never leaves half a program there.
 *
 * @param make puts the program into the empty folder that it is given, and returns its path
 */
export async function installProgram(target: string, make: (folder: string) => Promise<string>): Promise<string> {
  const folder = await mkdtemp(`${target}.`);
  try {
    const made = await make(folder);
    await chmod(made, 0o755);
    await rename(made, target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Downloads a server by the download of Temporal's SDK, in a process of its own: it starts the SDK's runtime, of which
 * a process may have only one.
 *
 * @throws Error when the network or the package `@temporalio/testing` is missing
 */
export async function downloadWithSdk(method: 'createLocal' | 'createTimeSkipping', target: string): Promise<string> {
  return installProgram(target, async (folder) => {
    const sdk = pathToFileURL(createRequire(import.meta.url).resolve('@temporalio/testing')).href;
    const script = `
      try {
        const { TestWorkflowEnvironment } = (await import(process.argv[1])).default;
        const server = { executable: { type: 'cached-download', downloadDir: process.argv[2] } };
        await (await TestWorkflowEnvironment.${method}({ server })).teardown();
        process.exit(0);
      } catch (error) {
        console.error(String(error.message).split('\\n')[0]);
        process.exit(1);
      }`;
    await runProgram(process.execPath, ['--input-type=module', '--eval', script, sdk, folder], {
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
    const [name] = await readdir(folder);
    if (!name) throw new Error('the download left no file');
    return path.join(folder, name);
  });
}
