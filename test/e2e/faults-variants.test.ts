/** The worker and PostgreSQL are killed in each phase of a variant test. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { campaignContent, insertAudience } from '../helpers/audience.js';
import { accountFor, request, settled } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const CONTACTS = 6000;
const Created = z.object({ data: z.object({ id: z.string() }) });

test(
  'a variant test sends each contact one email of its variant or of the winner while the worker and PostgreSQL are killed',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster({ ownPostgres: true });
    const { ctx, sink, worker, postgres, connections } = cluster;
    const project = await insertAudience(ctx, CONTACTS);
    const created = await request(cluster, project, 'POST', '/campaigns', {
      ...campaignContent(project),
      variants: [
        { id: 'a', subject: 'First', weight: 50 },
        { id: 'b', subject: 'Second', weight: 50 },
      ],
      test: { share: 50, metric: 'clicks', decide: 'manual' },
    });
    const { id } = Created.parse(created.body).data;
    expect((await request(cluster, project, 'POST', `/campaigns/${id}/send`, {})).status).toBe(200);
    const groups = async () =>
      (
        await ctx.pool.query<{ email: string; variant: string | null }>(
          `SELECT to_email AS email, variant FROM emails WHERE campaign_id = $1 ORDER BY to_email`,
          [id],
        )
      ).rows;

    await sink.reached(800);
    await worker.kill('SIGKILL');
    await worker.start();
    await eventually(
      async () => expect((await ctx.prisma.campaign.findUnique({ where: { id } }))?.testSentAt).not.toBeNull(),
      { within: 60_000 },
    );
    const before = await groups();
    const tested = before.filter(({ variant }) => variant !== null).length;
    // The worker is not there when the test is decided.
    await worker.kill('SIGKILL');
    expect((await request(cluster, project, 'POST', `/campaigns/${id}/winner`, { variant: 'b' })).status).toBe(200);
    await worker.start();
    await sink.reached(tested + 500);
    await postgres.kill();
    await postgres.start();
    await sink.reached(tested + 1500);
    await worker.kill('SIGKILL');
    await worker.start();

    const shown = await settled(cluster, project, id, 'SENT', 120_000);
    const account = await accountFor(cluster, id);
    expect(account).toMatchObject({ twice: [], lost: [], denied: [] });
    expect(account.ambiguous).toBeLessThanOrEqual(4 * connections);
    expect(shown).toMatchObject({ totalRecipients: CONTACTS, failedCount: 0, unknownCount: account.ambiguous });
    expect(await groups()).toEqual(before);
    const subjects = new Map(sink.mails.map(({ to, subject }) => [to, subject]));
    const wrong = before.filter(
      ({ email, variant }) => subjects.has(email) && subjects.get(email) !== (variant === 'a' ? 'First' : 'Second'),
    );
    expect(wrong).toEqual([]);
  },
);
