/**
 * Settles the chunks and claims of lost workers: immediately if the worker ran on this machine and its process is dead, otherwise when
 * the lease expires. What was sent is known from the journal, or else from the last flush.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Pool } from '../../db/pool.js';
import type { Log } from '../../log.js';
import { startLoop, type Loop } from '../../loop.js';
import { settleClaims } from './claims.js';
import { decideLost } from './decide.js';
import { applyJournal, chunkFile, OWNER_FILE, parseJournal, type JournaledRecords } from './journal.js';
import { livenessOf, readIdentity, type Liveness } from './process-identity.js';
import { chunksOfOwner, expiredChunks, type ChunkRef, type LeasedChunk } from './sql/chunks.js';
import { isWorkerAlive, readUnsettled } from './sql/recipients.js';
import { settleChunk, type EmailResult } from './sql/settle.js';
import { isResultState, markUnknown, positionsOf, State, toStates } from './states.js';

export interface RecoveryOptions {
  pool: Pool;
  log: Log;
  workerId: string;
  policy: 'skip' | 'resend';
  leaseMs: number;
  /** The folder with the journals of all workers; null if journals are disabled. */
  journalDirectory: string | null;
  /** Identifies the database. Journals of other databases are left alone. */
  database: string;
  /** Whether this worker has the chunk in memory. */
  holds: (chunk: ChunkRef) => boolean;
}

const MAX_INTERVAL_MS = 1000;
const MAX_CHUNKS_PER_TURN = 20;

/** Starts the recovery. It runs in every worker; only one of them settles a chunk. */
export function startRecovery(options: RecoveryOptions): Loop {
  const { log, leaseMs } = options;
  // After an outage, all leases have expired, although their workers live: they need time to extend them.
  let trustedAt = performance.now() + leaseMs;
  return startLoop({
    everyMs: Math.min(MAX_INTERVAL_MS, leaseMs / 4),
    async runTurn() {
      await settleDeadWorkers(options);
      if (performance.now() >= trustedAt) await settleExpired(options);
    },
    failed(error) {
      trustedAt = performance.now() + leaseMs;
      log.warn({ err: error }, 'The chunks of lost workers could not be settled; retrying');
    },
  });
}

/** Settles the chunks and claims of dead workers of this machine, and deletes their journals. */
async function settleDeadWorkers(options: RecoveryOptions): Promise<void> {
  const { pool, database } = options;
  for (const folder of await foldersOfOthers(options)) {
    if (folder.database !== database) continue;
    if (folder.liveness !== 'rebooted') await settleClaims(options, folder);
    if (folder.liveness === 'alive') continue;
    const chunks = await chunksOfOwner(pool, folder.workerId);
    if (folder.liveness === 'dead') {
      const settled = await Promise.all(
        chunks.map(async (chunk) => settleLost(options, chunk, await statesOfDead(folder, chunk))),
      );
      logSettled(options, folder.workerId, settled);
    }
    // The process of another container, or of another machine with the same folder, may be alive.
    const isUsed = folder.liveness !== 'dead' && (await isWorkerAlive(pool, folder.workerId));
    if (!isUsed && (await chunksOfOwner(pool, folder.workerId)).length === 0)
      await rm(folder.path, { recursive: true, force: true });
  }
}

/** Settles chunks whose lease has expired. Their worker is dead, suspended, or has lost its connection. */
async function settleExpired(options: RecoveryOptions): Promise<void> {
  const { pool, leaseMs, holds } = options;
  const expired = (await expiredChunks(pool, leaseMs, MAX_CHUNKS_PER_TURN)).filter((chunk) => !holds(chunk));
  if (expired.length === 0) return;
  const folders = new Map((await foldersOfOthers(options)).map((folder) => [folder.workerId, folder]));
  for (const chunk of expired) {
    const settled = await settleLost(options, chunk, await statesOfExpired(folders.get(chunk.owner), chunk), true);
    logSettled(options, chunk.owner, [settled]);
  }
}

/** The journals of a worker. */
export interface WorkerFolder {
  path: string;
  workerId: string;
  database: string;
  liveness: Liveness;
}

const Owner = z.object({
  workerId: z.string(),
  database: z.string(),
  pid: z.number(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});

/** Returns the folders of the other workers. */
async function foldersOfOthers({ journalDirectory, workerId, log }: RecoveryOptions): Promise<WorkerFolder[]> {
  if (journalDirectory === null) return [];
  const names = (await readdir(journalDirectory).catch(() => [])).filter((name) => name !== workerId);
  const self = names.length > 0 ? readIdentity() : null;
  if (self === null) return [];
  const folders: WorkerFolder[] = [];
  for (const name of names) {
    const folder = path.join(journalDirectory, name);
    try {
      const owner = Owner.parse(JSON.parse(await readFile(path.join(folder, OWNER_FILE), 'utf8')));
      folders.push({ path: folder, ...owner, liveness: livenessOf(owner, self) });
    } catch (error) {
      // Another worker may be creating or deleting it.
      log.debug({ err: error, folder }, 'The owner of a journal cannot be read');
    }
  }
  return folders;
}

/** The states of a chunk, and the replies that the journal has. */
interface KnownStates {
  states: Buffer;
  journal: JournaledRecords | null;
}

/** The worker is dead, so its journal is complete. */
async function statesOfDead(folder: WorkerFolder, chunk: LeasedChunk): Promise<KnownStates> {
  const states = toStates(chunk.states, chunk.size);
  const journal = chunk.isJournaled ? await readJournal(folder, chunk) : null;
  if (journal) applyJournal(states, journal);
  else markUnknown(states, chunk.mark);
  return { states, journal };
}

/** The worker may still live, and the journal may be incomplete. */
async function statesOfExpired(folder: WorkerFolder | undefined, chunk: LeasedChunk): Promise<KnownStates> {
  const states = toStates(chunk.states, chunk.size);
  const journal = folder && folder.liveness !== 'rebooted' ? await readJournal(folder, chunk) : null;
  if (journal) applyJournal(states, journal);
  markUnknown(states, chunk.mark);
  return { states, journal };
}

async function readJournal(folder: WorkerFolder, chunk: ChunkRef): Promise<JournaledRecords | null> {
  try {
    return parseJournal(await readFile(path.join(folder.path, chunkFile(chunk))));
  } catch {
    return null;
  }
}

interface SettledCounts {
  chunks: number;
  sent: number;
  failed: number;
  unknown: number;
}

/** Records the known results of a lost chunk and frees the rest. */
async function settleLost(
  { pool, policy }: RecoveryOptions,
  chunk: LeasedChunk,
  { states, journal }: KnownStates,
  isExpired = false,
): Promise<SettledCounts> {
  const positionOf = positionsOf(chunk);
  const emails = await readUnsettled(pool, chunk);
  const isPending = new Set<number>();
  const results: EmailResult[] = [];
  const counts = { chunks: 1, sent: 0, failed: 0, unknown: 0 };
  for (const email of emails) {
    const position = positionOf(email.id);
    const state = states[position];
    if (email.status === 'PENDING') isPending.add(position);
    if (!isResultState(state)) continue;
    const lost = { state, ...journal?.results.get(position) };
    results.push({
      ...decideLost(lost, email.attempts + 1, chunk.resendsUnknown ? 'resend' : policy),
      emailId: email.id,
      receivedAt: performance.now(),
    });
    if (state === State.SENT) counts.sent++;
    else if (state === State.UNKNOWN) counts.unknown++;
    else if (state === State.FAILED) counts.failed++;
  }
  for (let position = 0; position < chunk.size; position++)
    if (isResultState(states[position]) || !isPending.has(position)) states[position] = State.SETTLED;
  const settledAfter = states.filter((state) => state === State.SETTLED).length;
  const isSettled = await settleChunk(pool, {
    campaignId: chunk.campaignId,
    chunk: chunk.chunk,
    owner: chunk.owner,
    settledBefore: chunk.settled,
    settledAfter,
    states,
    results,
    afterwards: settledAfter === chunk.size ? 'close' : 'release',
    isExpired,
  });
  return isSettled ? counts : { chunks: 0, sent: 0, failed: 0, unknown: 0 };
}

function logSettled({ log, policy }: RecoveryOptions, workerId: string, settled: readonly SettledCounts[]): void {
  const sum = (name: keyof SettledCounts): number => settled.reduce((total, counts) => total + counts[name], 0);
  if (sum('chunks') === 0) return;
  log.warn(
    {
      lostWorker: workerId,
      chunks: sum('chunks'),
      sent: sum('sent'),
      failed: sum('failed'),
      unknown: sum('unknown'),
      policy,
    },
    'A worker was lost while it sent a campaign. Its emails were settled',
  );
}
