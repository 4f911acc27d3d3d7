/**
 * Child servers, and how the next start finds those that outlived a killed parent.
 *
 * Pids are reused, so a pid alone identifies no process. A server is identified by its pid and the folder in which it
 * works, and the owner of a claim by its pid and its start time.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readlinkSync, realpathSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../src/log.js';

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Each signal, and the milliseconds that a server has to end before the next one is sent. */
const STOP_STEPS = [
  // PostgreSQL's fast shutdown.
  ['SIGINT', 20_000],
  // PostgreSQL's immediate shutdown: the next start recovers.
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 20;

/** Whether `error` is a system error with this code, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Repeats `condition` until it is true; returns false if it is not true within `timeoutMs`. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
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

/** An opaque text for the time at which the process started; undefined if it does not run, or is only a zombie. */
export function startTime(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const [, state, startedAt] = /^\s*(\S+)\s+(.+?)\s*$/.exec(readFromPs(pid, 'stat=,lstart=')) ?? [];
    return state?.startsWith('Z') ? undefined : startedAt;
  }
  const stat = readIfPresent(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, and may contain blanks (proc_pid_stat(5)).
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? ['X'];
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot}:${fields[19]}`;
}

/** Whether the process works in this folder. False if that cannot be determined. */
function worksIn(pid: number, folder: string): boolean {
  if (process.platform !== 'linux') return readFromPs(pid, 'command=').includes(folder);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return false;
    throw error;
  }
}

function readFromPs(pid: number, columns: string): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  return spawnSync('ps', ['-ww', '-o', columns, '-p', String(pid)], { encoding: 'utf8', env }).stdout ?? '';
}

/** Ends the server that works in `folder` and whose pid is in the first line of `pidFile`, if it is still running. */
export async function endOrphan(pidFile: string, folder: string, log: Log): Promise<void> {
  const pid = Number.parseInt(readIfPresent(pidFile) ?? '', 10);
  if (!(pid > 0) || !worksIn(pid, folder)) return;
  log.warn({ pid, folder }, 'Stopping a server that a killed process left running');
  await endServer(pid, folder);
}

/** @throws Error if the server outlives the last signal */
async function endServer(pid: number, folder: string): Promise<void> {
  for (const [signal, graceMs] of STOP_STEPS) {
    if (!worksIn(pid, folder)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      // The process ended between the check and the signal.
      if (!hasCode(error, 'ESRCH')) throw error;
    }
    if (await waitUntil(() => !worksIn(pid, folder), graceMs)) return;
  }
  throw new Error(`Process ${pid} does not end.`);
}

export interface ServerCommand {
  command: string;
  args: string[];
  /** The server's folder, which identifies it. */
  cwd: string;
  /** Receives the server's output. A file of more than 10 MB is renamed to `<logFile>.old` at the start. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
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

/**
 * Starts a server in its own process group, so that Ctrl-C in the terminal reaches only this process, which then stops
 * its servers in the right order. (execa's cleanup does not cover detached children, so it would not shorten this.)
 *
 * @throws the system error if the program cannot be started (`ENOENT`, `EACCES`)
 */
export async function spawnServer({ command, args, logFile, ...options }: ServerCommand): Promise<ServerProcess> {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
  const output = openSync(logFile, 'a', 0o600);
  const logStart = statSync(logFile).size;
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  let hasExited = false;
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      hasExited = true;
      resolve({ code, signal });
    });
  });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no pid after its start.`);

  // The last resort for an exit that skips stop(): the server receives its signal, but nothing waits for it.
  const onExit = () => void child.kill(STOP_STEPS[0][0]);
  process.once('exit', onExit);
  void exited.then(() => process.off('exit', onExit));

  return {
    pid,
    exited,
    hasExited: () => hasExited,
    tail: () =>
      readFileSync(logFile).subarray(logStart).toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    stop: async () => {
      if (!hasExited) await endServer(pid, options.cwd);
      await exited;
    },
  };
}
