/** Leases chunks, makes the results of open chunks durable, and finds the chunks of lost workers. */
import type { Queryable } from '../../../db/pool.js';
import type { ChunkBounds } from '../states.js';

/**
 * The `next_attempt_at` of emails that belong to a chunk or wait in campaign_retries. Their `stage` is null, so that the
 * settlement of a sent email changes no index.
 */
export const HELD_UNTIL = `'9999-12-31T00:00:00Z'::timestamptz`;

export interface ChunkRef {
  campaignId: string;
  chunk: number;
}

export interface ChunkRow extends ChunkRef, ChunkBounds {
  projectId: string;
  states: Buffer | null;
  settled: number;
}

const CHUNK_COLUMNS = `k.project_id AS "projectId", k.campaign_id AS "campaignId", k.chunk, k.first_id AS "firstId",
       k.last_id AS "lastId", k.size, k.members, k.states, k.settled`;

/** Returns the campaign $1 if its emails may be sent. */
export const IS_SENDABLE = `
  SELECT c.id FROM campaigns c JOIN projects p ON p.id = c.project_id
   WHERE c.id = $1 AND c.status = 'SENDING' AND NOT p.disabled
     -- If the project has a limit, the complete snapshot is checked before the first email is sent.
     AND (c.snapshot_done OR usage_limit(p, 'CAMPAIGN') IS NULL)`;

/** Inserts a free chunk of the listed emails of the campaign $1. @param emails a query or table with project_id and id */
export const insertMembers = (emails: string): string => `
  INSERT INTO campaign_chunks (project_id, campaign_id, chunk, size, members)
  SELECT project_id, $1, nextval('campaign_chunk_numbers'), count(*)::int, array_agg(id ORDER BY id) FROM ${emails} GROUP BY project_id`;

const LEASE = `
WITH sending AS (${IS_SENDABLE}
), free AS MATERIALIZED (
  SELECT campaign_id, chunk FROM campaign_chunks
   WHERE campaign_id = $1 AND closed_at IS NULL AND owner IS NULL AND EXISTS (SELECT FROM sending)
   -- Retries come first: their numbers are higher.
   ORDER BY first_id IS NOT NULL, chunk LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE campaign_chunks k
   SET owner = $3, lease_until = now() + $4 * interval '1 millisecond', is_journaled = false, is_stopped = false, mark = 0
  FROM free f WHERE k.campaign_id = f.campaign_id AND k.chunk = f.chunk
RETURNING ${CHUNK_COLUMNS}`;

/**
 * Leases up to `limit` free chunks of a sending campaign. The commit is synchronous: if a crash of PostgreSQL lost a
 * lease, two workers would send the chunk.
 */
export async function leaseChunks(
  db: Queryable,
  { campaignId, limit, owner, leaseMs }: { campaignId: string; limit: number; owner: string; leaseMs: number },
): Promise<ChunkRow[]> {
  const { rows } = await db.query<ChunkRow>({
    name: 'chunks-lease',
    text: LEASE,
    values: [campaignId, limit, owner, leaseMs],
  });
  return rows.sort((a, b) => a.chunk - b.chunk);
}

/** The durable part of an open chunk. */
export interface FlushedChunk extends ChunkRef {
  states: Buffer;
  /** The number of recorded results. If more are recorded, `states` is outdated, and the flush skips the chunk. */
  settled: number;
  /** The worker hands over no email at this position or after it until the next flush. */
  mark: number;
  isJournaled: boolean;
  /** Whether the worker hands over nothing more of the chunk. */
  isStopped: boolean;
}

/** A chunk whose lease was extended. */
export interface HeldChunk extends ChunkRef {
  /** Whether the campaign is SENDING and its project enabled. */
  isActive: boolean;
}

/**
 * Makes the results of open chunks durable and extends their leases. A chunk that is missing from the result has lost
 * its lease, or more of its results were recorded in the meantime.
 */
export async function flushChunks(
  db: Queryable,
  owner: string,
  leaseMs: number,
  chunks: readonly FlushedChunk[],
): Promise<HeldChunk[]> {
  const { rows } = await db.query<HeldChunk>({
    name: 'chunks-flush',
    text: `
WITH held AS (
  UPDATE campaign_chunks k
     SET states = u.states, mark = u.mark, is_journaled = u.is_journaled, is_stopped = u.is_stopped,
         lease_until = now() + $2 * interval '1 millisecond'
    FROM unnest($3::uuid[], $4::bigint[], $5::bytea[], $6::int[], $7::boolean[], $8::boolean[], $9::int[])
         AS u(campaign_id, chunk, states, mark, is_journaled, is_stopped, settled)
   WHERE k.campaign_id = u.campaign_id AND k.chunk = u.chunk AND k.owner = $1 AND k.closed_at IS NULL
     AND k.settled = u.settled
  RETURNING k.campaign_id, k.chunk
)
SELECT h.campaign_id AS "campaignId", h.chunk, c.status = 'SENDING' AND NOT p.disabled AS "isActive"
  FROM held h JOIN campaigns c ON c.id = h.campaign_id JOIN projects p ON p.id = c.project_id`,
    values: [
      owner,
      leaseMs,
      chunks.map(({ campaignId }) => campaignId),
      chunks.map(({ chunk }) => chunk),
      chunks.map(({ states }) => states),
      chunks.map(({ mark }) => mark),
      chunks.map(({ isJournaled }) => isJournaled),
      chunks.map(({ isStopped }) => isStopped),
      chunks.map(({ settled }) => settled),
    ],
  });
  return rows;
}

/** An open chunk of a worker that may be dead. */
export interface LeasedChunk extends ChunkRow {
  owner: string;
  mark: number;
  isJournaled: boolean;
  /** Whether its emails with an unknown outcome are sent again, whatever the policy is. */
  resendsUnknown: boolean;
}

const LEASED_COLUMNS = `${CHUNK_COLUMNS}, k.owner, k.mark, k.is_journaled AS "isJournaled",
       (SELECT c.resends_unknown FROM campaigns c WHERE c.id = k.campaign_id) AS "resendsUnknown"`;

/** Returns the open chunks of a worker. */
export async function chunksOfOwner(db: Queryable, owner: string): Promise<LeasedChunk[]> {
  const { rows } = await db.query<LeasedChunk>({
    name: 'chunks-of-owner',
    text: `SELECT ${LEASED_COLUMNS}
             FROM campaign_chunks k WHERE k.closed_at IS NULL AND k.owner = $1 ORDER BY k.campaign_id, k.chunk`,
    values: [owner],
  });
  return rows;
}

/**
 * Returns up to `limit` chunks whose lease has expired, except shortly after PostgreSQL has started: then no worker
 * could extend its leases.
 */
export async function expiredChunks(db: Queryable, leaseMs: number, limit: number): Promise<LeasedChunk[]> {
  const { rows } = await db.query<LeasedChunk>({
    name: 'chunks-expired',
    text: `SELECT ${LEASED_COLUMNS}
             FROM campaign_chunks k
            WHERE k.closed_at IS NULL AND k.owner IS NOT NULL AND k.lease_until < now()
              AND pg_postmaster_start_time() < now() - $1 * interval '1 millisecond'
            ORDER BY k.lease_until LIMIT $2`,
    values: [leaseMs, limit],
  });
  return rows;
}
