/** The failed emails of a campaign are sent again, and the worker is killed in each run. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { insertAudience, type Audience } from '../helpers/audience.js';
import { accountFor, fetchCampaign, request, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { FAULT_TIMEOUT_MS, scaled } from '../helpers/fault-scale.js';

const Retried = z.object({ retried: z.number() });

async function retryFailed(cluster: Cluster, project: Audience, id: string, body: unknown): Promise<number> {
  const answer = await request(cluster, project, 'POST', `/campaigns/${id}/retry-failed`, body);
  expect(answer.status).toBe(202);
  return Retried.parse(answer.body).retried;
}

/** Kills the worker while the sink has read emails without a reply. `accepts`: whether the sink accepts these emails. */
async function killInFlight({ sink, worker }: Cluster, start: () => Promise<unknown>, accepts: boolean): Promise<void> {
  const release = sink.hold();
  await start();
  await eventually(() => expect(sink.held()).toBeGreaterThanOrEqual(10));
  await worker.kill('SIGKILL');
  if (accepts) release();
  else {
    await sink.die();
    await sink.revive();
  }
  await worker.start();
}

async function retryUnderKills(contacts: number, perSecond: number): Promise<void> {
  // The rate leaves time to reject a part of the emails.
  const cluster = await openCluster({ env: { SEND_RATE_PER_SECOND: String(perSecond) } });
  const { ctx, sink } = cluster;
  const project = await insertAudience(ctx, contacts);
  sink.refuse([550, 'no such user']);
  const id = await sendCampaign(cluster, project);
  await eventually(() => expect(sink.refused).toBeGreaterThanOrEqual(contacts / 5), { every: 5 });
  sink.refuse(null);
  await killInFlight(cluster, () => Promise.resolve(), true);
  const first = await settled(cluster, project, id, 'SENT', 120_000);
  expect(first.failedCount).toBeGreaterThanOrEqual(contacts / 5);
  expect(first.unknownCount).toBeGreaterThan(0);

  await killInFlight(
    cluster,
    async () => expect(await retryFailed(cluster, project, id, {})).toBe(first.failedCount),
    true,
  );
  const second = await settled(cluster, project, id, 'SENT', 120_000);
  expect(second.failedCount).toBe(0);
  expect(second.sentCount + second.unknownCount).toBe(contacts);
  // Without unknown emails, the retry sends at most one email to each recipient.
  expect(await accountFor(cluster, id)).toMatchObject({ twice: [], lost: [], denied: [] });

  await killInFlight(
    cluster,
    async () => expect(await retryFailed(cluster, project, id, { includeAmbiguous: true })).toBe(second.unknownCount),
    false,
  );
  const third = await settled(cluster, project, id, 'SENT', 120_000);
  expect(third).toMatchObject({ sentCount: contacts, failedCount: 0, unknownCount: 0 });
  // With them, each recipient has at least one email, although the worker was killed under AMBIGUOUS_SEND=skip.
  const account = await accountFor(cluster, id);
  expect(account).toMatchObject({ lost: [], mailed: contacts });
  expect(account.twice.length).toBeLessThanOrEqual(second.unknownCount);
  expect(await retryFailed(cluster, project, id, { includeAmbiguous: true })).toBe(0);
  expect((await fetchCampaign(cluster, project, id)).status).toBe('SENT');
}

test(
  'retries of failed emails send at most one email each, and with unknown ones at least one',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    await retryUnderKills(scaled(1000, 50_000), scaled(400, 4000));
  },
);
