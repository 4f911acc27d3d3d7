/**
 * The claim of a running process on a data folder: a file with the pid and the start time of its owner.
 *
 * proper-lockfile does not serve here: it detects a killed owner by the age of the lock, so after SIGKILL the lock
 * blocks for at least 2 s, and a suspended process loses it.
 */
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { StartError } from '../../../src/process.js';
import { hasCode, readIfPresent, startTime } from './processes.js';

const Claim = z.object({ owner: z.object({ pid: z.number(), startedAt: z.string() }) });

/** A running process uses the data folder. */
export class DataDirInUseError extends StartError {}

/**
 * Claims a server's data for this process. The claim of a dead process is replaced.
 *
 * @param server the server's name, for the error message
 * @returns releases the claim; a second call does not touch the claim of a later start
 * @throws DataDirInUseError if a running process, including this one, holds the claim
 */
export function claimData(file: string, server: string): () => void {
  const startedAt = startTime(process.pid);
  if (startedAt === undefined) throw new Error('This process is not listed. Is /proc mounted?');
  const own = `${file}.${process.pid}`;
  for (;;) {
    try {
      // A link fails if the file exists, so only one of two concurrent starts succeeds.
      writeFileSync(own, JSON.stringify({ owner: { pid: process.pid, startedAt } }), { mode: 0o600 });
      linkSync(own, file);
      let release = (): void => rmSync(file, { force: true });
      return () => {
        release();
        release = () => undefined;
      };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    } finally {
      rmSync(own, { force: true });
    }
    const found = readIfPresent(file);
    const owner = parseOwner(found);
    if (owner && startTime(owner.pid) === owner.startedAt)
      throw new DataDirInUseError(
        `Process ${owner.pid} already runs ${server} with the data of ${file}. ` +
          'Stop it first, or set DATA_DIR to another folder.',
      );
    discardClaim(file, found);
  }
}

function parseOwner(text: string | undefined): { pid: number; startedAt: string } | undefined {
  try {
    return Claim.safeParse(JSON.parse(text ?? 'null')).data?.owner;
  } catch (error) {
    // A crash of the machine cut the file short.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Removes a stale claim. Restores the file if it is another one: a concurrent start has replaced it. */
function discardClaim(file: string, stale: string | undefined): void {
  const removed = `${file}.${process.pid}`;
  try {
    renameSync(file, removed);
    if (readIfPresent(removed) !== stale) linkSync(removed, file);
  } catch (error) {
    // ENOENT: already removed. EEXIST: a third process has written a new one.
    if (!hasCode(error, 'ENOENT', 'EEXIST')) throw error;
  }
  rmSync(removed, { force: true });
}
