/** Campaigns whose snapshot is taken, and leases of their chunks, without Temporal. */
import type { ApiContext } from '../../src/context.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { begin, snapshot } from '../../src/domain/campaigns/run.js';
import { sendCampaign } from '../../src/domain/campaigns/send.js';
import { flushChunks, leaseChunks, type ChunkRow, type FlushedChunk } from '../../src/domain/delivery/sql/chunks.js';
import { insertAudience, insertCampaign } from './audience.js';

const LEASE_MS = 60_000;

/** A campaign to this number of contacts whose snapshot is taken. */
export async function startCampaign(ctx: ApiContext, contacts: number): Promise<CampaignRun> {
  const project = await insertAudience(ctx, contacts);
  const campaignId = await insertCampaign(ctx, project);
  await sendCampaign(ctx, project.id, campaignId);
  const run = { campaignId, projectId: project.id, attempt: 1 };
  await begin(ctx, run);
  while (!(await snapshot(ctx, run)).done);
  return run;
}

export const leaseFree = (
  ctx: ApiContext,
  { campaignId }: CampaignRun,
  owner: string,
  limit = 1,
): Promise<ChunkRow[]> => leaseChunks(ctx.pool, { campaignId, limit, owner, leaseMs: LEASE_MS });

export async function leaseOne(ctx: ApiContext, run: CampaignRun, owner: string): Promise<ChunkRow> {
  const [chunk] = await leaseFree(ctx, run, owner);
  if (!chunk) throw new Error('No chunk is free');
  return chunk;
}

export const flushChunk = (
  ctx: ApiContext,
  owner: string,
  { campaignId, chunk, size }: ChunkRow,
  more: Partial<FlushedChunk> = {},
) =>
  flushChunks(ctx.pool, owner, LEASE_MS, [
    {
      campaignId,
      chunk,
      states: Buffer.alloc(size),
      settled: 0,
      mark: 0,
      isJournaled: false,
      isStopped: false,
      ...more,
    },
  ]);

/** Ends the leases of a campaign's chunks. */
export const expireLeases = (ctx: ApiContext, { campaignId }: CampaignRun) =>
  ctx.pool.query(`UPDATE campaign_chunks SET lease_until = now() - interval '1 s' WHERE campaign_id = $1`, [
    campaignId,
  ]);
