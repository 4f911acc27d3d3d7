/**
 * Child servers that outlive a crash of their parent, and how the next start recognises them.
 *
 * A pid alone names nothing: it is reused. A process is named by its pid together with the time at which it began.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Log } from '../../../src/log.js';
import { StartError } from '../../../src/process.js';

const Identity = z.object({ pid: z.number().int().positive(), startedAt: z.string() });
const ClaimRecord = z.object({ owner: Identity, server: Identity.optional() });

/** A process that was running at some time: its pid, and an opaque text that stands for the moment it began. */
export type ProcessIdentity = z.infer<typeof Identity>;

/** A signal and the milliseconds that the process has to end, before the next one is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, graceMs: number];

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Thrown when a data folder is in use by a process that is alive. */
export class DataDirInUseError extends StartError {}

/** Whether `error` is a system error with this code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Checks `condition` until it holds; false when it does not within `timeoutMs`. */
export async function eventually(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
    if (await condition()) return true;
    if (Date.now() >= deadline) return false;
    await delay(pause);
  }
}

/** Names the process that has this pid now; undefined when there is none, or only a zombie that waits to be reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid);
}

function identifyByProc(pid: number): ProcessIdentity | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  if (!stat) return undefined;
  // The second field, the program's name, may hold blanks and brackets; the fields after it are counted from 3 (see
  // proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return undefined;
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

/** Whether this very process, and not a later one with its pid, is running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/**
 * Whether the process works in this folder, as a PostgreSQL server does in its cluster. False when that can't be known.
 */
export function worksIn(pid: number, folder: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES')) return false;
    throw error;
  }
}

/**
 * Ends a process and returns when it is gone; sends each signal in turn while it is not.
 *
 * @throws Error when it outlives the last step
 */
export async function endProcess(identity: ProcessIdentity, steps: readonly StopStep[]): Promise<void> {
  for (const [signal, graceMs] of steps) {
    if (!isRunning(identity)) return;
    sendSignal(identity.pid, signal);
    if (await eventually(() => !isRunning(identity), graceMs)) return;
  }
  throw new Error(`Process ${identity.pid} does not end`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended between the look and the signal.
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** The hold of this process on one server's data, kept as a file beside the data. */
export interface ServerClaim {
  /** Notes the server's process, so that the next start can end it should this process die without doing so. */
  record: (pid: number) => void;
  /** Lets go, once: a second call does not touch the claim that a later start has made. */
  release(): void;
}

export interface ClaimOptions {
  file: string;
  /** The server's name, for messages. */
  server: string;
  steps: readonly StopStep[];
  log: Log;
}

/**
 * Takes hold of a server's data: ends the server that a dead owner left behind, and refuses while another owner is
 * alive.
 *
 * @throws DataDirInUseError when a running process, this one included, holds the data
 */
export async function claimServer({ file, server, steps, log }: ClaimOptions): Promise<ServerClaim> {
  const owner = identify(process.pid);
  if (!owner) throw new Error('The own process is not listed: is /proc mounted?');
  for (;;) {
    try {
      // 'wx' fails where the file exists, so of two processes that start at once only one passes.
      writeFileSync(file, JSON.stringify({ owner }), { flag: 'wx', mode: 0o600 });
      let held = true;
      return {
        record: (pid) => replaceFile(file, JSON.stringify({ owner, server: identify(pid) })),
        release: () => {
          if (held) rmSync(file, { force: true });
          held = false;
        },
      };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const stale = readIfPresent(file);
    await endAbandonedServer({ file, server, steps, log });
    discard(file, stale);
  }
}

/**
 * Removes a stale claim, and puts it back when it is another one than was judged: a process that starts as well was
 * faster.
 */
function discard(file: string, stale: string | undefined): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, file);
  } catch (error) {
    // ENOENT: it is gone already. EEXIST: a third process has made one.
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  }
  rmSync(aside, { force: true });
}

/**
 * Ends the server that the claim in `file` names, if its owner is dead.
 *
 * @throws DataDirInUseError when the owner is alive
 */
export async function endAbandonedServer({ file, server, steps, log }: ClaimOptions): Promise<void> {
  const claim = readClaim(file);
  if (!claim) return;
  if (isRunning(claim.owner)) {
    throw new DataDirInUseError(
      `Process ${claim.owner.pid} already runs ${server} with the data beside ${file}. Stop it first, or set DATA_DIR to another folder.`,
    );
  }
  if (!claim.server || !isRunning(claim.server)) return;
  log.warn({ pid: claim.server.pid }, `An earlier process died and left ${server} running: it is stopped now`);
  await endProcess(claim.server, steps);
}

function readClaim(file: string): z.infer<typeof ClaimRecord> | undefined {
  const text = readIfPresent(file);
  if (!text) return undefined;
  try {
    return ClaimRecord.safeParse(JSON.parse(text)).data;
  } catch (error) {
    // A claim that a crash cut short: its owner had started nothing yet.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The file's text; undefined where there is no such file. */
export function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: a process that ended while its entry in /proc was read.
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

export interface ServerCommand {
  command: string;
  args: string[];
  cwd: string;
  /** Takes what the server prints. Renamed to `<logFile>.old` at a start when it has grown beyond 10 MB. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  steps: readonly StopStep[];
}

/** A server that runs as a child of this process. */
export interface ServerProcess {
  pid: number;
  /** Resolves when the process is gone, for whatever reason. Never rejects. */
  exited: Promise<ServerExit>;
  hasExited(): boolean;
  /** What the server has printed since this start: the last lines. */
  tail(): string;
  /** Ends the server; resolves when it is gone. May be called more than once. */
  stop(): Promise<void>;
}

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 20;

/**
 * Starts a server in a process group of its own, so that Ctrl-C in the terminal reaches only this process, which then
 * stops its servers in the right order.
 *
 * @throws the system's error when the program can't be started (`ENOENT`, `EACCES`)
 */
export async function spawnServer({
  command,
  args,
  cwd,
  logFile,
  env,
  uid,
  gid,
  steps,
}: ServerCommand): Promise<ServerProcess> {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES)
    renameSync(logFile, `${logFile}.old`);
  const output = openSync(logFile, 'a', 0o600);
  const begin = statSync(logFile).size;
  const child = spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['ignore', output, output] });
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
  if (pid === undefined) throw new Error(`${command} has no pid after its start`);

  // The last resort for an exit that skips stop(): the server gets its signal, though nobody waits for it.
  const onExit = () => void child.kill(steps[0]?.[0]);
  process.once('exit', onExit);
  void exited.then(() => process.off('exit', onExit));

  return {
    pid,
    exited,
    hasExited: () => exit !== undefined,
    tail: () =>
      readFileSync(logFile).subarray(begin).toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    stop: async () => {
      const identity = exit ? undefined : identify(pid);
      if (identity) await endProcess(identity, steps);
      await exited;
    },
  };
}
