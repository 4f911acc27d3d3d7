/** The worker dies while it classifies tracking hits, and the API is stopped while it receives them. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { insertAudience } from '../helpers/audience.js';
import { request, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const Counted = z.object({ openedCount: z.number() });

test(
  'every acknowledged hit is counted once, and a campaign has the same figures everywhere',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, api, worker } = cluster;
    const project = await insertAudience(ctx, 200);
    const id = await sendCampaign(cluster, project);
    await settled(cluster, project, id, 'SENT');
    const { rows: emails } = await ctx.pool.query<{ id: string }>(`SELECT id FROM emails WHERE campaign_id = $1`, [id]);
    const pixels = emails.map((email) => new URL(ctx.links.tracking.of(email.id).pixelUrl()).pathname);

    let [asked, answered] = [0, 0];
    const enough = new AbortController();
    const client = async (): Promise<void> => {
      while (!enough.signal.aborted) {
        const response = await fetch(`${api.url}${pixels[asked++ % pixels.length]}`, {
          headers: { 'user-agent': BROWSER },
        }).catch(() => null);
        await response?.arrayBuffer();
        if (response?.status === 200) answered++;
        // The API is down briefly, and readers retry.
        else await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const clients = [client(), client(), client(), client()];
    const more = async (count: number): Promise<void> => {
      const before = answered;
      await eventually(() => expect(answered).toBeGreaterThan(before + count));
    };
    await more(100);
    for (let round = 0; round < 2; round++) {
      await worker.kill('SIGKILL');
      await more(100);
      await worker.start();
      await more(100);
    }
    await api.kill('SIGTERM');
    await api.start();
    await more(100);
    enough.abort();
    await Promise.all(clients);

    await eventually(async () => expect(await ctx.prisma.trackingQueue.count()).toBe(0));
    const counted = await ctx.prisma.email.aggregate({
      where: { campaignId: id },
      _sum: { opens: true, machineOpens: true },
    });
    expect(counted._sum.machineOpens).toBe(0);
    // A request that broke with the API may or may not be counted. All others are counted.
    expect(counted._sum.opens).toBeGreaterThanOrEqual(answered);
    expect(counted._sum.opens).toBeLessThanOrEqual(asked);
    expect(await ctx.prisma.trackingHit.count()).toBe(counted._sum.opens);
    const opened = await ctx.prisma.email.count({ where: { campaignId: id, status: 'OPENED' } });
    expect(await ctx.prisma.event.count({ where: { projectId: project.id, name: 'email.opened' } })).toBe(opened);

    const shown = async (): Promise<number[]> => [
      Counted.parse((await request(cluster, project, 'GET', `/campaigns/${id}`)).body).openedCount,
      Counted.parse((await request(cluster, project, 'GET', `/campaigns/${id}/stats`)).body).openedCount,
      ...z
        .object({ data: z.array(Counted) })
        .parse((await request(cluster, project, 'GET', '/campaigns')).body)
        .data.map(({ openedCount }) => openedCount),
    ];
    expect(await shown()).toEqual([opened, opened, opened]);
    // Housekeeping folds the figures without changing them.
    await eventually(async () => expect(await ctx.prisma.statDelta.count()).toBe(0), { within: 60_000 });
    expect(await shown()).toEqual([opened, opened, opened]);
    expect((await ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).openedCount).toBe(opened);
  },
);
