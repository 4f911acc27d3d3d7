/** Temporal stops while Sendloom runs, and restarts with or without its database. */
import { expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, request, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { FAULT_TIMEOUT_MS, scaled } from '../helpers/fault-scale.js';

const ONCE = { twice: [], lost: [], denied: [], ambiguous: 0 };

test(
  "a campaign completes without duplicates after Temporal's whole database is deleted",
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, temporal } = cluster;
    const contacts = scaled(3000, 100_000);
    const project = await insertAudience(ctx, contacts);
    const id = await sendCampaign(cluster, project);
    await sink.reached(contacts / 2);
    // Stops the campaign, so that the rest needs a workflow.
    const release = sink.hold();
    await temporal.stop();
    temporal.deleteData();
    await temporal.start();
    await expect(temporal.client.workflow.getHandle(`campaign:${id}:1`).describe()).rejects.toThrow('not found');
    release();

    expect(await settled(cluster, project, id, 'SENT', scaled(120_000, 600_000))).toMatchObject({
      totalRecipients: contacts,
      sentCount: contacts,
      failedCount: 0,
      cancelledCount: 0,
    });
    expect(await accountFor(cluster, id)).toEqual({ ...ONCE, mailed: contacts });
    await eventually(async () =>
      expect((await temporal.client.workflow.getHandle(`campaign:${id}:1`).describe()).status.name).toBe('COMPLETED'),
    );
  },
);

async function sendDuringOutage(outageMs: number): Promise<void> {
  const cluster = await openCluster();
  const { ctx, sink, temporal } = cluster;
  const [running, later] = await Promise.all([insertAudience(ctx, 3000), insertAudience(ctx, 200)]);
  const first = await sendCampaign(cluster, running);
  await sink.reached(1000);
  const release = sink.hold();
  await temporal.stop();
  release();

  const second = await sendCampaign(cluster, later);
  const recipients: string[] = [];
  const until = Date.now() + outageMs;
  while (Date.now() < until) {
    const to = `t${recipients.length}@inbox.${later.domain}`;
    const sent = await request(cluster, later, 'POST', '/v1/send', {
      to,
      from: `news@${later.domain}`,
      subject: 'Now',
      body: '<p>Now</p>',
    });
    const listed = await request(cluster, later, 'GET', '/contacts');
    expect([sent.status, listed.status]).toEqual([200, 200]);
    recipients.push(to);
    await eventually(() => expect(sink.counts().get(to)).toBe(1));
  }
  await eventually(async () =>
    expect(await request(cluster, later, 'GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { error: { details: { database: 'ok', temporal: 'unavailable' } } },
    }),
  );
  expect(await request(cluster, later, 'GET', `/campaigns/${second}`)).toMatchObject({
    status: 200,
    body: { status: 'SENDING', sentCount: 0 },
  });
  await temporal.start();

  expect(await settled(cluster, running, first, 'SENT', 90_000)).toMatchObject({
    totalRecipients: 3000,
    sentCount: 3000,
  });
  // 200 contacts, and those that the transactional sends created before the snapshot.
  expect(await settled(cluster, later, second, 'SENT', 90_000)).toMatchObject({ failedCount: 0, cancelledCount: 0 });
  expect(await accountFor(cluster, first)).toEqual({ ...ONCE, mailed: 3000 });
  const messages = sink.mails.map(({ messageId }) => messageId);
  expect(new Set(messages).size).toBe(messages.length);
}

test('while Temporal is down for a moment, requests succeed, and campaigns are sent afterwards', () =>
  sendDuringOutage(1000));

test('while Temporal is down for 10 s, requests succeed, and campaigns are sent afterwards', { tags: 'faults' }, () =>
  sendDuringOutage(10_000),
);

test(
  'a worker that is stopped while Temporal is down finishes its claimed emails and ends in time',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, temporal, worker } = cluster;
    const project = await insertAudience(ctx, 2000);
    const id = await sendCampaign(cluster, project);
    await sink.reached(500);
    // Holds the emails in flight until the worker has received its signal.
    const release = sink.hold();
    await temporal.stop();
    const begun = Date.now();
    const gone = worker.kill('SIGTERM');
    // The worker has confirmed that it hands over nothing more.
    await eventually(async () =>
      expect(
        await ctx.prisma.campaignChunk.count({
          where: { campaignId: id, closedAt: null, owner: { not: null }, isStopped: false },
        }),
      ).toBe(0),
    );
    release();
    expect(await gone).toBe(0);
    // The worker's phase in src/process.ts has 40 s. After that, the process exits without a clean stop.
    expect(Date.now() - begun).toBeLessThan(39_000);
    expect(worker.logged.join('\n')).not.toMatch(/did not stop/);
    expect(await ctx.prisma.campaignChunk.count({ where: { campaignId: id, owner: { not: null } } })).toBe(0);
    expect(await ctx.prisma.email.count({ where: { campaignId: id, status: 'PENDING' } })).toBeGreaterThan(0);
    await temporal.start();
    await worker.start();
    expect(await settled(cluster, project, id, 'SENT', 90_000)).toMatchObject({
      totalRecipients: 2000,
      sentCount: 2000,
    });
    expect(await accountFor(cluster, id)).toEqual({ ...ONCE, mailed: 2000 });
  },
);
