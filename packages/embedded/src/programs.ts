/** Programs that the project finds, downloads, or builds. */
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa, type Options } from 'execa';

const DOWNLOAD_TIMEOUT_MS = 600_000;

/** The project's cache: `sendloom` in `$XDG_CACHE_HOME` or `~/.cache`. Created if it does not exist. */
export async function cacheFolder(): Promise<string> {
  const folder = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'sendloom');
  await mkdir(folder, { recursive: true });
  return folder;
}

export type RunOptions = Pick<Options, 'cwd' | 'env' | 'extendEnv' | 'uid' | 'gid' | 'timeout'>;

/**
 * Runs a program, which may be a name on `PATH`, until it ends and returns its stdout.
 *
 * @throws Error with the last line of its stderr
 */
export async function runProgram(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const result = await execa(command, args, { ...options, stdin: 'ignore', reject: false });
  if (!result.failed) return result.stdout;
  const lastLine = result.stderr?.trim().split('\n').at(-1);
  throw new Error(`${path.basename(command)}: ${lastLine || result.originalMessage || result.shortMessage}`, {
    cause: result,
  });
}

/**
 * Makes a program in a temporary folder and renames it to `target`, so that neither an interruption nor a second
 * process leaves half a program there.
 *
 * @param makeProgram puts the program into the empty folder that it receives, and returns its path
 */
export async function installProgram(
  target: string,
  makeProgram: (folder: string) => Promise<string>,
): Promise<string> {
  const folder = await mkdtemp(`${target}.`);
  try {
    const program = await makeProgram(folder);
    await chmod(program, 0o755);
    await rename(program, target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the result of the first source that succeeds. The sources are tried in order.
 *
 * @throws Error that lists what was tried, followed by `advice`
 */
export async function tryInOrder<T>(
  name: string,
  sources: Record<string, () => Promise<T>>,
  advice: string,
): Promise<T> {
  const tried: string[] = [];
  for (const [source, find] of Object.entries(sources)) {
    try {
      return await find();
    } catch (error) {
      tried.push(`  ${source}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`${name} was neither found nor built. Tried:\n${tried.join('\n')}\n${advice}`);
}

/**
 * Downloads a server with Temporal's SDK, in a process of its own: the download starts the SDK's runtime, and a process
 * may have only one.
 *
 * @throws Error if the network or the package `@temporalio/testing` is missing
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
      timeout: DOWNLOAD_TIMEOUT_MS,
    });
    const [name] = await readdir(folder);
    if (!name) throw new Error('The download contains no file.');
    return path.join(folder, name);
  });
}
