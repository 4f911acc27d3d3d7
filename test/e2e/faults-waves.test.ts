/** The worker and PostgreSQL are killed in each wave of a campaign at the reader's local time. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, createCampaign, request, settled } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const CONTACTS = 9000;
/** From east to west. */
const ZONES = ['UTC', 'America/New_York', 'Pacific/Honolulu'];
const FIRST_WAVE_MS = 10_000;
/** Instead of the hours between the zones. */
const BETWEEN_WAVES_MS = 4000;

const Waves = z.object({ data: z.array(z.object({ at: z.string(), total: z.number(), sent: z.number() })) });

test(
  'a campaign in waves sends no email twice and loses none when the worker or PostgreSQL is killed in each wave',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster({ ownPostgres: true });
    const { ctx, sink, worker, postgres, connections } = cluster;
    const project = await insertAudience(ctx, CONTACTS);
    await ctx.pool.query(
      `UPDATE contacts SET data = data || jsonb_build_object('timezone', ($1::text[])[(data ->> 'n')::int % $2 + 1])`,
      [ZONES, ZONES.length],
    );
    const id = await createCampaign(cluster, project);
    const begin = Math.ceil((Date.now() + FIRST_WAVE_MS) / 1000) * 1000;
    const scheduledFor = new Date(begin).toISOString().slice(0, 19);
    const { status } = await request(cluster, project, 'POST', `/campaigns/${id}/send`, {
      scheduledFor,
      timezone: 'recipient',
    });
    expect(status).toBe(200);
    await eventually(
      async () => expect(await ctx.prisma.campaign.findUnique({ where: { id } })).toMatchObject({ snapshotDone: true }),
      { within: 9000 },
    );
    const { rows: waves } = await ctx.pool.query<{ due: Date }>(
      `SELECT due_at AS due FROM campaign_waves WHERE campaign_id = $1 ORDER BY due_at`,
      [id],
    );
    expect(waves).toHaveLength(ZONES.length);
    expect(waves[0]?.due.getTime()).toBe(begin);
    for (const [index, { due }] of waves.entries()) {
      const moved = new Date(begin + index * BETWEEN_WAVES_MS);
      await ctx.pool.query(`UPDATE campaign_waves SET due_at = $3 WHERE campaign_id = $1 AND due_at = $2`, [
        id,
        due,
        moved,
      ]);
      await ctx.pool.query(
        `UPDATE emails SET scheduled_for = $3, next_attempt_at = $3 WHERE campaign_id = $1 AND scheduled_for = $2`,
        [id, due, moved],
      );
    }
    expect(sink.mails).toEqual([]);

    await sink.reached(700);
    expect(Date.now()).toBeGreaterThanOrEqual(begin);
    await worker.kill('SIGKILL');
    await worker.start();
    await sink.reached(3700);
    await postgres.kill();
    await postgres.start();
    await sink.reached(6700);
    await worker.kill('SIGKILL');
    await worker.start();

    const shown = await settled(cluster, project, id, 'SENT', 120_000);
    const account = await accountFor(cluster, id);
    expect(account).toMatchObject({ twice: [], lost: [], denied: [] });
    expect(account.ambiguous).toBeLessThanOrEqual(3 * connections);
    expect(shown).toMatchObject({ totalRecipients: CONTACTS, failedCount: 0, unknownCount: account.ambiguous });
    const { data } = Waves.parse((await request(cluster, project, 'GET', `/campaigns/${id}/waves`)).body);
    expect(data.map(({ total }) => total)).toEqual([3000, 3000, 3000]);
    expect(data.reduce((sum, { sent }) => sum + sent, 0)).toBe(CONTACTS - account.ambiguous);
  },
);
