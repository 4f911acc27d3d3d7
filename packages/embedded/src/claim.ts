/**
 * The claim of a process on a server's data, kept as a file next to the data.
 *
 * proper-lockfile does not serve here: after SIGKILL its lock blocks for at least 2 s (a crashed owner is detected by
 * the age of the lock), a suspended process loses it, and it does not record the orphaned server.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Log } from '../../../src/log.js';
import { StartError } from '../../../src/process.js';
import {
  endProcess,
  hasCode,
  identify,
  isRunning,
  ProcessIdentity,
  readIfPresent,
  type StopStep,
} from './processes.js';

const ClaimRecord = z.object({ owner: ProcessIdentity, server: ProcessIdentity.optional() });

/** A running process uses the data folder. */
export class DataDirInUseError extends StartError {}

export interface ServerClaim {
  /** Records the server's process, so that the next start can end it if this process dies first. */
  record: (pid: number) => void;
  /** Releases the claim. A second call does not touch the claim of a later start. */
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
 * Claims a server's data. Ends the orphaned server of a dead owner first.
 *
 * @throws DataDirInUseError if a running process, including this one, holds the claim
 */
export async function claimServer({ file, server, steps, log }: ClaimOptions): Promise<ServerClaim> {
  const owner = identify(process.pid);
  if (!owner) throw new Error('This process is not listed. Is /proc mounted?');
  for (;;) {
    try {
      // 'wx' fails if the file exists, so only one of two concurrent starts succeeds.
      writeFileSync(file, JSON.stringify({ owner }), { flag: 'wx', mode: 0o600 });
      return openClaim(file, owner);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const stale = readIfPresent(file);
    await endAbandonedServer({ file, server, steps, log });
    discardClaim(file, stale);
  }
}

function openClaim(file: string, owner: ProcessIdentity): ServerClaim {
  let isHeld = true;
  return {
    record: (pid) => {
      writeFileSync(`${file}.new`, JSON.stringify({ owner, server: identify(pid) }), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    release: () => {
      if (isHeld) rmSync(file, { force: true });
      isHeld = false;
    },
  };
}

/** Removes a stale claim. Restores the file if it is another one: a concurrent start has replaced it. */
function discardClaim(file: string, stale: string | undefined): void {
  const removed = `${file}.${process.pid}`;
  try {
    renameSync(file, removed);
    if (readFileSync(removed, 'utf8') !== stale) linkSync(removed, file);
  } catch (error) {
    // ENOENT: already removed. EEXIST: a third process has written a new one.
    if (!hasCode(error, 'ENOENT', 'EEXIST')) throw error;
  }
  rmSync(removed, { force: true });
}

/**
 * Ends the server in the claim `file` if the owner of the claim is dead.
 *
 * @throws DataDirInUseError if the owner is alive
 */
export async function endAbandonedServer({ file, server, steps, log }: ClaimOptions): Promise<void> {
  const claim = readClaim(file);
  if (!claim) return;
  if (isRunning(claim.owner)) {
    throw new DataDirInUseError(
      `Process ${claim.owner.pid} already runs ${server} with the data of ${file}. ` +
        'Stop it first, or set DATA_DIR to another folder.',
    );
  }
  if (!claim.server || !isRunning(claim.server)) return;
  log.warn({ pid: claim.server.pid }, `Stopping the ${server} server that a killed process left running`);
  await endProcess(claim.server, steps);
}

function readClaim(file: string): z.infer<typeof ClaimRecord> | undefined {
  try {
    return ClaimRecord.safeParse(JSON.parse(readIfPresent(file) ?? 'null')).data;
  } catch (error) {
    // A crash cut the file short: its owner had not started a server yet.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
