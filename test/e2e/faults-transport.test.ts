/** The mail server rejects mails, stops, and restarts. */
import { describe, expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, request, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster, useCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const ONCE = { twice: [], lost: [], denied: [], ambiguous: 0 };

describe('cases that share a cluster', () => {
  const running = useCluster();

  test('all emails arrive once when the server replies 451 for a while and then accepts', async () => {
    const cluster = running();
    const { ctx, sink } = cluster;
    const project = await insertAudience(ctx, 400);
    sink.refuse([451, '4.3.0 Greylisted, come back']);
    const id = await sendCampaign(cluster, project);
    // Each email once, and some again.
    await eventually(() => expect(sink.refused).toBeGreaterThan(500));
    expect(
      (await ctx.pool.query(`SELECT DISTINCT status, error FROM emails WHERE attempts > 0 AND status = 'PENDING'`))
        .rows,
    ).toEqual([{ status: 'PENDING', error: '451 4.3.0 Greylisted, come back' }]);
    sink.refuse(null);
    expect(await settled(cluster, project, id, 'SENT')).toMatchObject({
      totalRecipients: 400,
      sentCount: 400,
      failedCount: 0,
    });
    expect(await accountFor(cluster, id)).toEqual({ ...ONCE, mailed: 400 });
  });

  test("a permanently rejected email is FAILED with the server's reply, and the campaign is SENT", async () => {
    const cluster = running();
    const { ctx, sink } = cluster;
    const project = await insertAudience(ctx, 20);
    const refusedBefore = sink.refused;
    sink.refuse([550, '5.1.1 No such mailbox here']);
    const id = await sendCampaign(cluster, project);
    expect(await settled(cluster, project, id, 'SENT')).toMatchObject({
      totalRecipients: 20,
      sentCount: 0,
      failedCount: 20,
    });
    const { rows } = await ctx.pool.query<{ id: string }>(`SELECT id FROM emails WHERE campaign_id = $1 LIMIT 1`, [id]);
    expect(await request(cluster, project, 'GET', `/emails/${rows[0]?.id}`)).toMatchObject({
      status: 200,
      body: {
        status: 'FAILED',
        attempts: 1,
        ambiguous: false,
        sentAt: null,
        response: '550 5.1.1 No such mailbox here',
      },
    });
    expect(sink.refused - refusedBefore).toBe(20);
  });
});

test(
  'no email is lost, and sending resumes by itself, when the server is down for a while',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink } = cluster;
    const project = await insertAudience(ctx, 2000);
    const id = await sendCampaign(cluster, project);
    await sink.reached(500);
    const downSince = Date.now();
    await sink.die();
    expect(sink.mails.length).toBeLessThan(2000);
    const mail = {
      to: `t@inbox.${project.domain}`,
      from: `news@${project.domain}`,
      subject: 'Now',
      body: '<p>Now</p>',
    };
    expect((await request(cluster, project, 'POST', '/v1/send', mail)).status).toBe(200);
    // Two attempts of the transactional email fail, although the campaign also tries to connect.
    const attempts = async (): Promise<number> =>
      (await ctx.pool.query<{ attempts: number }>(`SELECT attempts FROM emails WHERE to_email = $1`, [mail.to])).rows[0]
        ?.attempts ?? 0;
    await eventually(async () => expect(await attempts()).toBeGreaterThan(2));
    // While the server is down, an attempt to connect does not count for an email of a campaign. Only emails whose
    // connection broke have an attempt.
    const { rows } = await ctx.pool.query<{ ofCampaign: number }>(
      `SELECT max(attempts) AS "ofCampaign" FROM emails WHERE status = 'PENDING' AND campaign_id IS NOT NULL`,
    );
    expect(rows[0]?.ofCampaign).toBeLessThanOrEqual(1);
    // The waits between attempts double from at least 0.8 s. The last one may be in progress.
    const waitedSeconds = 0.8 * (2 ** ((await attempts()) - 1) - 1);
    expect(waitedSeconds).toBeLessThan((Date.now() - downSince) / 1000);
    await sink.revive();

    expect(await settled(cluster, project, id, 'SENT', 90_000)).toMatchObject({
      totalRecipients: 2000,
      sentCount: 2000,
      failedCount: 0,
    });
    // Emails whose connection broke after the content are counted as ambiguous.
    const { ambiguous, ...account } = await accountFor(cluster, id);
    expect({ ...account, ambiguous: 0 }).toEqual({ ...ONCE, mailed: 2000 });
    expect(ambiguous).toBeLessThanOrEqual(ctx.config.SMTP_CONNECTIONS);
    await eventually(() => expect(sink.counts().get(mail.to)).toBe(1));
  },
);
