/**
 * Child servers, and how the next start finds those that outlived a killed parent.
 *
 * A pid alone does not identify a process because it is reused. A process is identified by its pid and its start time.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readlinkSync, realpathSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export const ProcessIdentity = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/** A process: its pid, and an opaque text for the time at which it started. */
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** A signal, and the milliseconds that the process has to end before the next one is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, graceMs: number];

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Whether `error` is a system error with this code, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Repeats `condition` until it is true; returns false if it is not true within `timeoutMs`. */
export async function eventually(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
    if (await condition()) return true;
    if (Date.now() >= deadline) return false;
    await delay(pause);
  }
}

/** The file's text; undefined if the file does not exist. */
export function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: a process that ended while its entry in /proc was read.
    if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}

/** Identifies the process with this pid; undefined if there is none, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid);
}

function identifyByProc(pid: number): ProcessIdentity | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  if (!stat) return undefined;
  // The second field is the program's name in brackets, and may contain blanks (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { pid, startedAt: `${boot}:${fields[19]}` };
}

function identifyByPs(pid: number): ProcessIdentity | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, state, startedAt] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout ?? '') ?? [];
  if (!state || !startedAt || state.startsWith('Z')) return undefined;
  return { pid, startedAt };
}

/** Whether this process is running, and not a later one with the same pid. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Whether the process works in this folder, as PostgreSQL does in its cluster. False if that cannot be determined. */
export function worksIn(pid: number, folder: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return false;
    throw error;
  }
}

/**
 * Sends each signal in turn until the process is gone.
 *
 * @throws Error if the process outlives the last step
 */
export async function endProcess(identity: ProcessIdentity, steps: readonly StopStep[]): Promise<void> {
  for (const [signal, graceMs] of steps) {
    if (!isRunning(identity)) return;
    try {
      process.kill(identity.pid, signal);
    } catch (error) {
      // The process ended between the check and the signal.
      if (!hasCode(error, 'ESRCH')) throw error;
    }
    if (await eventually(() => !isRunning(identity), graceMs)) return;
  }
  throw new Error(`Process ${identity.pid} does not end.`);
}

export interface ServerCommand {
  command: string;
  args: string[];
  cwd: string;
  /** Receives the server's output. A file of more than 10 MB is renamed to `<logFile>.old` at the start. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  steps: readonly StopStep[];
}

/** A server that runs as a child of this process. */
export interface ServerProcess {
  pid: number;
  /** Resolves when the process has ended for any reason. Never rejects. */
  exited: Promise<ServerExit>;
  hasExited(): boolean;
  /** The last lines of the server's output since this start. */
  tail(): string;
  /** Ends the server; resolves when it is gone. Repeated calls are allowed. */
  stop(): Promise<void>;
}

const MAX_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 20;

/**
 * Starts a server in its own process group, so that Ctrl-C in the terminal reaches only this process, which then stops
 * its servers in the right order. (execa's cleanup does not cover detached children, so it would not shorten this.)
 *
 * @throws the system error if the program cannot be started (`ENOENT`, `EACCES`)
 */
export async function spawnServer({
  command,
  args,
  logFile,
  steps,
  ...options
}: ServerCommand): Promise<ServerProcess> {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
  const output = openSync(logFile, 'a', 0o600);
  const logStart = statSync(logFile).size;
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  let exit: ServerExit | undefined;
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      exit = { code, signal };
      resolve(exit);
    });
  });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no pid after its start.`);

  // The last resort for an exit that skips stop(): the server receives its signal, but nothing waits for it.
  const onExit = () => void child.kill(steps[0]?.[0]);
  process.once('exit', onExit);
  void exited.then(() => process.off('exit', onExit));

  return {
    pid,
    exited,
    hasExited: () => exit !== undefined,
    tail: () =>
      readFileSync(logFile).subarray(logStart).toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    stop: async () => {
      const identity = exit ? undefined : identify(pid);
      if (identity) await endProcess(identity, steps);
      await exited;
    },
  };
}
