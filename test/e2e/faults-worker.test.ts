/** The worker and the API are killed during a campaign. */
import { describe, expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster, useCluster, type Part } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const CONTACTS = 10_000;

test(
  'a campaign whose worker is killed sends no email twice, and only emails in flight are ambiguous',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, worker, connections } = cluster;
    const project = await insertAudience(ctx, CONTACTS);
    const id = await sendCampaign(cluster, project);
    // At the 3,000th mail, leases, SMTP conversations, and results are in progress.
    await sink.reached(3000);
    expect(await worker.kill('SIGKILL')).toBeNull();
    expect(sink.mails.length).toBeLessThan(CONTACTS);
    await worker.start();

    const shown = await settled(cluster, project, id, 'SENT', 90_000);
    const account = await accountFor(cluster, id);
    expect(account).toMatchObject({ twice: [], lost: [], denied: [] });
    expect(account.ambiguous).toBeLessThanOrEqual(connections);
    expect(shown.totalRecipients).toBe(CONTACTS);
    expect(shown.sentCount + shown.failedCount + shown.unknownCount + shown.cancelledCount).toBe(CONTACTS);
    // No email failed, and no other email is missing.
    expect(shown).toMatchObject({ failedCount: 0, unknownCount: account.ambiguous });
    expect(account.mailed).toBeGreaterThanOrEqual(CONTACTS - account.ambiguous);
  },
);

test(
  'a campaign whose worker is stopped by SIGTERM sends every email once, and none is ambiguous',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, worker } = cluster;
    const project = await insertAudience(ctx, CONTACTS);
    const id = await sendCampaign(cluster, project);
    await sink.reached(3000);
    expect(await worker.kill('SIGTERM')).toBe(0);
    const { rows } = await ctx.pool.query(
      `SELECT (SELECT count(*) FROM emails WHERE status = 'PENDING') AS pending,
              (SELECT count(*) FROM emails WHERE status = 'SENT') AS sent,
              (SELECT count(*) FROM campaign_chunks WHERE owner IS NOT NULL) AS leased`,
    );
    // The worker records the emails in flight and leaves the others to the next worker.
    expect(rows[0]).toMatchObject({ leased: 0, sent: sink.mails.length });
    expect(rows[0].pending).toBeGreaterThan(0);
    await worker.start();

    const shown = await settled(cluster, project, id, 'SENT');
    expect(await accountFor(cluster, id)).toEqual({ twice: [], lost: [], denied: [], ambiguous: 0, mailed: CONTACTS });
    expect(shown).toMatchObject({ totalRecipients: CONTACTS, sentCount: CONTACTS, failedCount: 0, cancelledCount: 0 });
  },
);

test(
  'a campaign whose worker is killed during the snapshot of its audience sends every email once',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, worker, temporal } = cluster;
    const project = await insertAudience(ctx, 500);
    // The lock on the table stops the snapshot within its statement.
    const holder = await ctx.pool.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE emails IN EXCLUSIVE MODE');
    const id = await sendCampaign(cluster, project);
    const pendingActivities = async (): Promise<unknown> =>
      (await temporal.client.workflow.getHandle(`campaign:${id}:1`).describe()).raw.pendingActivities?.map(
        ({ activityType }) => activityType?.name,
      );
    await eventually(async () => expect(await pendingActivities()).toContain('snapshotCampaign'));
    await worker.kill('SIGKILL');
    await holder.query('COMMIT');
    holder.release();
    await worker.start();
    expect(await settled(cluster, project, id, 'SENT', 60_000)).toMatchObject({ totalRecipients: 500, sentCount: 500 });
    expect(await accountFor(cluster, id)).toEqual({ twice: [], lost: [], denied: [], ambiguous: 0, mailed: 500 });
  },
);

describe('cases that share a cluster', () => {
  // Without a worker, no relay delivers the intent.
  const running = useCluster({ start: ['api'] });

  test('a campaign whose API is killed between the commit and the relay is sent as soon as a worker runs', async () => {
    const cluster = running();
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
  });

  /** Kills this worker, the only one, while the server has read emails without a reply, and starts it again. */
  async function killInFlight(worker: Part) {
    const cluster = running();
    const { ctx, sink } = cluster;
    const project = await insertAudience(ctx, 100);
    const release = sink.hold();
    const id = await sendCampaign(cluster, project);
    // Bulk email leaves a tenth of the connections free.
    const inFlight = cluster.connections * 0.9;
    await eventually(() => expect(sink.held()).toBe(inFlight));
    await worker.kill('SIGKILL');
    // It accepts all of them, and no client gets the replies.
    release();
    await worker.start();
    const shown = await settled(cluster, project, id, 'SENT', 90_000);
    return { id, inFlight, shown, account: await accountFor(cluster, id) };
  }

  test('emails whose outcome is unknown after a kill are skipped', async () => {
    const { inFlight, shown, account } = await killInFlight(running().worker);
    expect(account).toEqual({ twice: [], lost: [], denied: [], ambiguous: inFlight, mailed: 100 });
    expect(shown).toMatchObject({
      totalRecipients: 100,
      sentCount: 100 - inFlight,
      failedCount: 0,
      unknownCount: inFlight,
    });
  });

  test('emails whose outcome is unknown after a kill are sent again with AMBIGUOUS_SEND=resend', async () => {
    const { ctx, sink, worker } = running();
    await worker.kill('SIGTERM');
    const resending = await running().another('worker', { AMBIGUOUS_SEND: 'resend' });
    const { id, inFlight, shown, account } = await killInFlight(resending);
    expect(account).toMatchObject({ lost: [], denied: [], ambiguous: inFlight, mailed: 100 });
    expect(account.twice).toHaveLength(inFlight);
    expect(shown).toMatchObject({ totalRecipients: 100, sentCount: 100, failedCount: 0 });
    // One Message-ID per recipient, so that mailboxes can recognize copies.
    const { rows } = await ctx.pool.query<{ to: string }>(
      `SELECT to_email AS "to" FROM emails WHERE campaign_id = $1`,
      [id],
    );
    const recipients = new Set(rows.map(({ to }) => to));
    const mails = sink.mails.filter(({ to }) => recipients.has(to));
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(100);
  });
});
