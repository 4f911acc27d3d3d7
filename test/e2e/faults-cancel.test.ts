/** Campaigns are canceled in the API and in Temporal. */
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { reconcile } from '../../src/temporal/reconcile.js';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, createCampaign, request, sendCampaign, settled, fetchCampaign } from '../helpers/campaigns.js';
import { openCluster, useCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const statusInTemporal = async ({ temporal }: Cluster, id: string): Promise<string> =>
  (await temporal.client.workflow.getHandle(`campaign:${id}:1`).describe()).status.name;
const inOneHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

test(
  'after the response to a cancellation only emails in flight are delivered, and the counters add up',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, connections } = cluster;
    // So many that the campaign still sends when the request arrives, on any machine.
    const contacts = 20_000;
    const project = await insertAudience(ctx, contacts);
    const id = await sendCampaign(cluster, project);
    await sink.reached(2000);
    expect((await request(cluster, project, 'POST', `/campaigns/${id}/cancel`)).status).toBe(200);
    const sentAtResponse = sink.mails.length;

    await eventually(async () => expect(await statusInTemporal(cluster, id)).toBe('CANCELLED'));
    const shown = await settled(cluster, project, id, 'CANCELLED');
    expect(sink.mails.length - sentAtResponse).toBeLessThanOrEqual(connections);
    expect(shown.cancelledCount).toBeGreaterThan(0);
    expect(shown).toMatchObject({
      sentCount: sink.mails.length,
      failedCount: 0,
      cancelledCount: shown.totalRecipients - sink.mails.length,
    });
    expect(await accountFor(cluster, id)).toEqual({
      twice: [],
      lost: [],
      denied: [],
      ambiguous: 0,
      mailed: sink.mails.length,
    });
  },
);

/** Stops a campaign's workflow in Temporal after 500 of 2,000 emails, and waits until the campaign is CANCELLED. */
async function stopInTemporal(
  stop: (workflow: WorkflowHandle) => Promise<unknown>,
  repair: (cluster: Cluster) => Promise<unknown>,
): Promise<{ cluster: Cluster; id: string }> {
  const cluster = await openCluster();
  const { ctx, sink, temporal } = cluster;
  const project = await insertAudience(ctx, 2000);
  const id = await sendCampaign(cluster, project);
  await sink.reached(500);
  const release = sink.hold();
  await stop(temporal.client.workflow.getHandle(`campaign:${id}:1`));
  // Temporal's visibility store is eventually consistent.
  await eventually(async () => {
    await repair(cluster);
    expect((await fetchCampaign(cluster, project, id)).status).toBe('CANCELLED');
  });
  release();
  const shown = await settled(cluster, project, id, 'CANCELLED');
  expect(shown).toMatchObject({
    totalRecipients: 2000,
    sentCount: sink.mails.length,
    cancelledCount: 2000 - sink.mails.length,
  });
  expect(shown.cancelledCount).toBeGreaterThan(0);
  return { cluster, id };
}

test('a campaign whose workflow is canceled in Temporal is CANCELLED in the API', { tags: 'faults' }, async () => {
  const { cluster, id } = await stopInTemporal(
    (workflow) => workflow.cancel(),
    () => Promise.resolve(),
  );
  // The workflow waits for the emails in flight.
  await eventually(async () => expect(await statusInTemporal(cluster, id)).toBe('CANCELLED'));
});

test(
  'a campaign whose workflow is terminated in Temporal is CANCELLED after the reconcile sweep and does not restart',
  { tags: 'faults' },
  async () => {
    const sweep = ({ ctx, temporal }: Cluster): Promise<unknown> => reconcile(ctx, temporal.client);
    const { cluster, id } = await stopInTemporal((workflow) => workflow.terminate('by an operator'), sweep);
    await sweep(cluster);
    expect(await statusInTemporal(cluster, id)).toBe('TERMINATED');
  },
);

describe('cases that share a cluster', () => {
  const running = useCluster();

  test('a scheduled campaign that is canceled in the API or in Temporal ends with its workflow', async () => {
    const cluster = running();
    const { ctx, sink, temporal } = cluster;
    const project = await insertAudience(ctx, 10);
    const schedule = async (): Promise<string> => {
      const id = await createCampaign(cluster, project);
      expect(
        (await request(cluster, project, 'POST', `/campaigns/${id}/send`, { scheduledFor: inOneHour() })).status,
      ).toBe(200);
      await eventually(async () => expect(await statusInTemporal(cluster, id)).toBe('RUNNING'));
      return id;
    };
    const [byApi, byCancel, byTermination] = [await schedule(), await schedule(), await schedule()];

    expect((await request(cluster, project, 'POST', `/campaigns/${byApi}/cancel`)).status).toBe(200);
    // A cancellation also ends a workflow during its start delay.
    await eventually(async () => expect(await statusInTemporal(cluster, byApi)).toBe('CANCELLED'));

    await temporal.client.workflow.getHandle(`campaign:${byCancel}:1`).cancel();
    await temporal.client.workflow.getHandle(`campaign:${byTermination}:1`).terminate('by an operator');
    await eventually(async () => {
      await reconcile(ctx, temporal.client);
      for (const id of [byApi, byCancel, byTermination])
        expect((await fetchCampaign(cluster, project, id)).status, id).toBe('CANCELLED');
      expect(await statusInTemporal(cluster, byCancel)).toBe('CANCELLED');
    });
    expect(sink.mails).toEqual([]);
  });

  test('an email in flight at the cancellation that the server rejects temporarily is not retried', async () => {
    const cluster = running();
    const { ctx, sink } = cluster;
    const project = await insertAudience(ctx, 500);
    const release = sink.hold();
    const id = await sendCampaign(cluster, project);
    await eventually(() => expect(sink.held()).toBeGreaterThan(0));
    const inFlight = sink.held();
    expect((await request(cluster, project, 'POST', `/campaigns/${id}/cancel`)).status).toBe(200);
    sink.refuse([451, '4.3.0 Try again later']);
    release();

    expect(await settled(cluster, project, id, 'CANCELLED')).toMatchObject({
      totalRecipients: 500,
      sentCount: 0,
      cancelledCount: 500,
    });
    expect(sink.refused).toBeGreaterThanOrEqual(inFlight);
    expect(sink.mails).toEqual([]);
  });
});
