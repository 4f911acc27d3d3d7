/** The worker and the API are killed while a campaign runs. */
import { expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const CONTACTS = 10_000;

test(
  'a campaign whose worker is killed by SIGKILL in the middle mails nobody twice, and misses at most the emails that were in flight, which are counted as ambiguous',
  { tags: 'faults', timeout: 150_000 },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, worker, connections } = cluster;
    const project = await insertAudience(ctx, CONTACTS);
    const id = await sendCampaign(cluster, project);
    // In the very moment of the 3,000th mail: claims, conversations and results are under way.
    await sink.reached(3000);
    expect(await worker.kill('SIGKILL')).toBeNull();
    expect(sink.mails.length).toBeLessThan(CONTACTS);
    await worker.start();

    const shown = await settled(cluster, project, id, 'SENT', 90_000);
    const account = await accountFor(cluster, id);
    expect(account).toMatchObject({ twice: [], lost: [], denied: [] });
    expect(account.ambiguous).toBeLessThanOrEqual(connections);
    expect(shown.totalRecipients).toBe(CONTACTS);
    expect(shown.sentCount + shown.failedCount + shown.cancelledCount).toBe(CONTACTS);
    // Nothing else failed, and nothing is missing beyond it.
    expect(shown.failedCount).toBe(account.ambiguous);
    expect(account.mailed).toBeGreaterThanOrEqual(CONTACTS - account.ambiguous);
  },
);

test(
  'a campaign whose worker is stopped by SIGTERM in the middle mails everybody once, and nothing is ambiguous',
  { tags: 'faults', timeout: 120_000 },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, worker } = cluster;
    const project = await insertAudience(ctx, CONTACTS);
    const id = await sendCampaign(cluster, project);
    await sink.reached(3000);
    expect(await worker.kill('SIGTERM')).toBe(0);
    const { rows } = await ctx.pool.query(
      `SELECT count(*) FILTER (WHERE status = 'SENDING') AS sending, count(*) FILTER (WHERE status = 'PENDING') AS pending FROM emails`,
    );
    // What was claimed is finished, what was not is left for the next worker.
    expect(rows[0]).toMatchObject({ sending: 0 });
    expect(rows[0].pending).toBeGreaterThan(0);
    await worker.start();

    const shown = await settled(cluster, project, id, 'SENT');
    expect(await accountFor(cluster, id)).toEqual({ twice: [], lost: [], denied: [], ambiguous: 0, mailed: CONTACTS });
    expect(shown).toMatchObject({ totalRecipients: CONTACTS, sentCount: CONTACTS, failedCount: 0, cancelledCount: 0 });
  },
);

test(
  'a campaign whose worker is killed by SIGKILL in the snapshot of its audience goes on within seconds, and mails everybody once',
  { tags: 'faults', timeout: 120_000 },
  async () => {
    const cluster = await openCluster();
    const { ctx, worker, temporal } = cluster;
    const project = await insertAudience(ctx, 500);
    // Whoever holds the emails stops the snapshot in the middle of its statement.
    const holder = await ctx.pool.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE emails IN EXCLUSIVE MODE');
    const id = await sendCampaign(cluster, project);
    const underWay = async (): Promise<unknown> =>
      (await temporal.client.workflow.getHandle(`campaign:${id}:1`).describe()).raw.pendingActivities?.map(
        ({ activityType }) => activityType?.name,
      );
    await eventually(async () => expect(await underWay()).toEqual(['snapshotCampaign']));
    await worker.kill('SIGKILL');
    await holder.query('COMMIT');
    holder.release();
    await worker.start();
    expect(await settled(cluster, project, id, 'SENT', 60_000)).toMatchObject({ totalRecipients: 500, sentCount: 500 });
    expect(await accountFor(cluster, id)).toEqual({ twice: [], lost: [], denied: [], ambiguous: 0, mailed: 500 });
  },
);

test('a campaign whose API is killed between the commit and the relay is sent once a worker is there', async () => {
  // Without a worker nobody can have carried the intent over.
  const cluster = await openCluster({ start: ['api'] });
  const { ctx, sink, api, worker, temporal } = cluster;
  const project = await insertAudience(ctx, 100);
  const id = await sendCampaign(cluster, project);
  await api.kill('SIGKILL');
  await expect(temporal.client.workflow.getHandle(`campaign:${id}:1`).describe()).rejects.toThrow('not found');
  await worker.start();
  await sink.reached(100);
  await api.start();
  expect(await settled(cluster, project, id, 'SENT')).toMatchObject({ totalRecipients: 100, sentCount: 100 });
  expect(await accountFor(cluster, id)).toMatchObject({ twice: [], lost: [], mailed: 100 });
}, 60_000);

test("emails that are in the server's hands when the worker is killed are counted as ambiguous: left alone by default, and with AMBIGUOUS_SEND=resend sent again under their Message-ID", async () => {
  const kill = async (policy: 'skip' | 'resend') => {
    const cluster = await openCluster({ env: { AMBIGUOUS_SEND: policy } });
    const { ctx, sink, worker } = cluster;
    const project = await insertAudience(ctx, 100);
    // The server has read them, and answers none: the outcome of each is open when the worker dies.
    const release = sink.hold();
    const id = await sendCampaign(cluster, project);
    const inHands = await eventually(async () => {
      const held = sink.held();
      expect(held).toBeGreaterThan(0);
      expect(await ctx.prisma.email.count({ where: { campaignId: id, status: 'SENDING' } })).toBe(held);
      return held;
    });
    await worker.kill('SIGKILL');
    // It takes them all, and tells nobody.
    release();
    await worker.start();
    const shown = await settled(cluster, project, id, 'SENT', 90_000);
    return { cluster, inHands, shown, account: await accountFor(cluster, id) };
  };
  const [skip, resend] = await Promise.all([kill('skip'), kill('resend')]);

  expect(skip.account).toEqual({ twice: [], lost: [], denied: [], ambiguous: skip.inHands, mailed: 100 });
  expect(skip.shown).toMatchObject({ totalRecipients: 100, sentCount: 100 - skip.inHands, failedCount: skip.inHands });

  expect(resend.account).toMatchObject({ lost: [], denied: [], ambiguous: resend.inHands, mailed: 100 });
  expect(resend.account.twice).toHaveLength(resend.inHands);
  expect(resend.shown).toMatchObject({ totalRecipients: 100, sentCount: 100, failedCount: 0 });
  // One Message-ID for each recipient, by which a reader's mailbox can tell that the second is a copy.
  expect(new Set(resend.cluster.sink.mails.map(({ messageId }) => messageId)).size).toBe(100);
}, 150_000);
