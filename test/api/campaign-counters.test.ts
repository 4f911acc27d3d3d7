/** The counters of a campaign: identical in its view, stats, and lists, and exact at any moment, folded or not. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import { figuresOfCampaigns, foldFigures } from '../../src/domain/analytics/sql/figures.js';
import { cancel, finish } from '../../src/domain/campaigns/run.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';
import { about, feedbackHelpers } from '../helpers/feedback.js';

const api = useApi();
const { contact, draft, email } = campaignHelpers(api);
const { apply } = feedbackHelpers(api);

const Shown = z.object({
  status: z.string(),
  totalRecipients: z.number(),
  sentCount: z.number(),
  deliveredCount: z.number(),
  openedCount: z.number(),
  clickedCount: z.number(),
  bouncedCount: z.number(),
});
const Stats = Shown.omit({ status: true }).extend({
  complainedCount: z.number(),
  unsubscribedCount: z.number(),
  failedCount: z.number(),
  pendingCount: z.number(),
  cancelledCount: z.number(),
});

/** Returns the campaign as its view, its stats, and the list show it, and checks that they agree. */
async function shown(project: TestProject, id: string) {
  const { status, ...view } = Shown.parse((await api.as(project, 'GET', `/campaigns/${id}`)).json());
  const stats = Stats.parse((await api.as(project, 'GET', `/campaigns/${id}/stats`)).json());
  expect(stats).toMatchObject(view);
  const list = z
    .object({ data: z.array(Shown.extend({ id: z.string() })) })
    .parse((await api.as(project, 'GET', '/campaigns')).json());
  const { id: _id, status: _status, ...listed } = list.data.find((item) => item.id === id) ?? {};
  expect(listed).toEqual(view);
  return { status, stats, listed };
}

/** A campaign that is SENDING its snapshot. */
async function running(project: TestProject) {
  const id = await draft(project);
  await api.ctx.prisma.campaign.update({
    where: { id },
    data: { status: 'SENDING', attempt: 1, startedAt: new Date(), snapshotDone: true },
  });
  return { id, run: { campaignId: id, projectId: project.id, attempt: 1 } };
}

const click = (url: string) =>
  api.app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: '',
  });

describe('the counters of a campaign', () => {
  test('are stored in the row at its end, with unsubscribes, when the last recipient is final', async () => {
    const project = await api.project();
    const { id, run } = await running(project);
    const at = new Date();
    const early = await contact(project, 'early@x.test');
    const first = await email(project, id, {
      contactId: early,
      status: 'OPENED',
      sentAt: at,
      deliveredAt: at,
      openedAt: at,
    });
    await email(project, id, { status: 'CLICKED', sentAt: at, deliveredAt: at, openedAt: at, clickedAt: at });
    await email(project, id, { status: 'BOUNCED', sentAt: at, bouncedAt: at });
    await email(project, id, { status: 'COMPLAINED', sentAt: at, deliveredAt: at, complainedAt: at });
    await email(project, id, { status: 'FAILED' });
    await email(project, id, { status: 'CANCELLED' });
    await click(api.ctx.links.unsubscribeUrl(early, first));

    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    const { status, stats, listed } = await shown(project, id);
    expect(status).toBe('SENT');
    expect(stats).toMatchObject({
      totalRecipients: 6,
      sentCount: 4,
      deliveredCount: 3,
      openedCount: 2,
      clickedCount: 1,
      bouncedCount: 1,
      complainedCount: 1,
      unsubscribedCount: 1,
      failedCount: 1,
      cancelledCount: 1,
      pendingCount: 0,
    });
    expect(stats).toMatchObject(listed);
    const { pendingCount: _pending, cancelledCount: _cancelled, ...stored } = stats;
    expect(await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).toMatchObject(stored);
  });

  test('count feedback after SENT in any order, each once: an unsubscribe by the page, an open, a bounce', async () => {
    const project = await api.project();
    const { id, run } = await running(project);
    const at = new Date();
    const people = await Promise.all(['a@x.test', 'b@x.test', 'c@x.test'].map((address) => contact(project, address)));
    const [first = '', second = '', third = ''] = await Promise.all(
      people.map((contactId) => email(project, id, { contactId, status: 'SENT', sentAt: at })),
    );
    await finish(api.ctx, run);
    const before = await shown(project, id);
    expect(before.stats).toMatchObject({ sentCount: 3, openedCount: 0, bouncedCount: 0, unsubscribedCount: 0 });

    // The same recipient counts once. The link of another email does not belong to this campaign.
    expect((await click(api.ctx.links.unsubscribeUrl(people[0] ?? '', first))).statusCode).toBe(200);
    expect((await click(api.ctx.links.oneClickUrl(people[0] ?? '', first))).statusCode).toBe(200);
    expect((await click(api.ctx.links.unsubscribeUrl(people[1] ?? ''))).statusCode).toBe(200);
    await apply(
      about(second, { kind: 'opened', at }),
      about(second, { kind: 'delivered', at }),
      about(third, { kind: 'bounced', at, bounceType: 'transient', reason: null }),
    );
    await apply(about(second, { kind: 'delivered', at }), about(second, { kind: 'opened', at }));

    const after = await shown(project, id);
    expect(after.stats).toEqual({
      ...before.stats,
      deliveredCount: 1,
      openedCount: 1,
      bouncedCount: 1,
      unsubscribedCount: 1,
    });
    expect((await api.as(project, 'GET', `/campaigns/${id}/stats`)).json()).toMatchObject({
      openRate: 1 / 3,
      bounceRate: 1 / 3,
      deliveryRate: 1 / 3,
    });
    await runMaintenanceTask(api.ctx, 'figures');
    expect(await shown(project, id)).toEqual(after);
    expect(await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).toMatchObject({
      sentCount: 3,
      deliveredCount: 1,
      openedCount: 1,
      bouncedCount: 1,
    });
  });

  test.each(['SENT', 'CANCELLED'] as const)('of a %s campaign in a list are read from its row', async (status) => {
    const project = await api.project();
    const id = await draft(project);
    await api.ctx.prisma.campaign.update({
      where: { id },
      data: {
        status,
        totalRecipients: 9,
        sentCount: 8,
        deliveredCount: 7,
        openedCount: 6,
        clickedCount: 5,
        bouncedCount: 4,
      },
    });
    expect((await shown(project, id)).listed).toEqual({
      totalRecipients: 9,
      sentCount: 8,
      deliveredCount: 7,
      openedCount: 6,
      clickedCount: 5,
      bouncedCount: 4,
    });
  });

  test('of a canceled campaign are stored immediately, and are final when its last emails are settled', async () => {
    const project = await api.project();
    const { id, run } = await running(project);
    const at = new Date();
    await email(project, id, { status: 'SENT', sentAt: at });
    await email(project, id);
    const worker = newId();
    const underWay = await email(project, id, { status: 'SENDING', claimedBy: worker, claimedAt: at });
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/cancel`))).toEqual({ status: 200 });
    expect((await shown(project, id)).listed).toMatchObject({ totalRecipients: 3, sentCount: 1 });

    expect(await cancel(api.ctx, run)).toBe(false);
    await settle(api.ctx.pool, worker, [{ id: underWay, status: 'SENT', error: null, response: null, retryMs: 0 }]);
    expect(await cancel(api.ctx, run)).toBe(true);
    const { status, stats, listed } = await shown(project, id);
    expect([status, stats.sentCount, stats.cancelledCount, stats.pendingCount]).toEqual(['CANCELLED', 2, 1, 0]);
    expect(stats).toMatchObject(listed);
  });
});

describe('folding figures', () => {
  test('never changes a sum, even with concurrent folds and appends', async () => {
    const project = await api.project();
    const { id } = await running(project);
    const append = (count: number) =>
      api.ctx.pool.query(
        `INSERT INTO stat_deltas (project_id, campaign_id, day, sent, opened) SELECT $1, $2, date '2026-03-01' + n % 3, 1, CASE WHEN n % 2 = 0 THEN 1 ELSE -1 END FROM generate_series(1, $3::int) n`,
        [project.id, id, count],
      );
    await append(900);
    const seen: number[] = [];
    const fold = async (): Promise<void> => {
      for (let n = 0; n < 8; n++) await foldFigures(api.ctx.pool, 50);
    };
    const read = async (): Promise<void> => {
      for (let n = 0; n < 20; n++)
        seen.push((await figuresOfCampaigns(api.ctx.pool, project.id, [id])).get(id)?.sentCount ?? -1);
    };
    await Promise.all([fold(), fold(), read(), append(100)]);
    expect(seen.filter((count) => count !== 900 && count !== 1000)).toEqual([]);
    await runMaintenanceTask(api.ctx, 'figures');
    expect(await api.ctx.prisma.statDelta.count({ where: { projectId: project.id } })).toBe(0);
    expect(await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).toMatchObject({
      sentCount: 1000,
      openedCount: 0,
    });
    const { rows } = await api.ctx.pool.query(
      `SELECT day::text, sent::int, opened::int FROM project_days WHERE project_id = $1 ORDER BY day`,
      [project.id],
    );
    expect(rows.map(({ day }: { day: string }) => day)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
    expect(rows.reduce((sum: number, { sent }: { sent: number }) => sum + sent, 0)).toBe(1000);
  });

  test('skips a deleted campaign and a deleted project', async () => {
    const project = await api.project();
    await api.ctx.prisma.statDelta.createMany({
      data: [
        { projectId: newId(), campaignId: newId(), day: new Date(), sent: 1 },
        { projectId: project.id, campaignId: newId(), day: new Date(), sent: 2 },
      ],
    });
    await runMaintenanceTask(api.ctx, 'figures');
    expect(await api.ctx.prisma.statDelta.count()).toBe(0);
    expect(
      await api.ctx.prisma.projectDay.findMany({ where: { projectId: project.id }, select: { sent: true } }),
    ).toEqual([{ sent: 2n }]);
  });
});
