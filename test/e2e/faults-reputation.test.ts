/** A project becomes critical during a campaign, and a worker is killed while it disables a project. */
import { expect, test } from 'vitest';
import { applyFeedback } from '../../src/domain/feedback/sql/feedback.js';
import { withLockTimeout } from '../../src/domain/lock-timeout.js';
import { insertAudience, type Audience } from '../helpers/audience.js';
import { createCampaign, request, sendCampaign, fetchCampaign } from '../helpers/campaigns.js';
import { openCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { about } from '../helpers/feedback.js';
import { addFigures, stateOf } from '../helpers/reputation.js';
import { emit, insertGraph, waitFor } from '../helpers/workflow-graph.js';

/** Signs up an owner of the project. @returns the session's cookie */
async function ownerOf({ ctx, api }: Cluster, projectId: string): Promise<string> {
  const response = await fetch(`${api.url}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@users.test', password: 'correct horse battery' }),
  });
  expect(response.status).toBe(201);
  const user = await ctx.prisma.user.findUniqueOrThrow({ where: { email: 'owner@users.test' } });
  await ctx.prisma.membership.create({ data: { projectId, userId: user.id, role: 'OWNER' } });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** 50 of the accepted mails bounce at the same time. */
async function bounce({ ctx }: Cluster, campaignId: string): Promise<void> {
  const emails = await eventually(async () => {
    const rows = await ctx.prisma.email.findMany({
      where: { campaignId, status: 'SENT' },
      select: { id: true },
      take: 50,
    });
    expect(rows).toHaveLength(50);
    return rows;
  });
  await Promise.all(
    emails.map(({ id }) =>
      withLockTimeout(ctx.pool, (tx) =>
        applyFeedback(tx, [about(id, { kind: 'bounced', bounceType: 'permanent', reason: '5.1.1', at: new Date() })]),
      ),
    ),
  );
}

const send = (cluster: Cluster, project: Audience, to: string) =>
  request(cluster, project, 'POST', '/v1/send', {
    to,
    from: `news@${project.domain}`,
    subject: 'Now',
    body: '<p>Now</p>',
  });

test('50 bounces disable the project within seconds, and its work stops until the owner enables it', async () => {
  // Slow enough that the campaign takes a minute: it is stopped before its end only if the check takes seconds.
  const cluster = await openCluster({ env: { SEND_RATE_PER_SECOND: '50' } });
  const { ctx, sink, temporal, api, worker } = cluster;
  const project = await insertAudience(ctx, 3000);
  const cookie = await ownerOf(cluster, project.id);
  const graph = await insertGraph(ctx, project.id, {
    eventName: 'asked',
    steps: { wait: waitFor('bought') },
    edges: ['TRIGGER > wait'],
  });
  const contacts = await ctx.prisma.contact.findMany({
    where: { projectId: project.id },
    select: { id: true },
    take: 50,
  });
  for (const { id } of contacts) await emit(ctx, project.id, id, 'asked');
  await eventually(
    async () =>
      expect(await ctx.prisma.workflowExecution.count({ where: { workflowId: graph.id, status: 'WAITING' } })).toBe(50),
    { within: 60_000 },
  );
  const campaign = await sendCampaign(cluster, project);
  await sink.reached(150);
  await bounce(cluster, campaign);
  await eventually(async () => expect((await stateOf(ctx, project.id)).disabled).toBe(true));

  expect((await send(cluster, project, 'late@x.test')).status).toBe(403);
  await eventually(async () =>
    expect(await ctx.prisma.workflowExecution.count({ where: { workflowId: graph.id, status: 'CANCELLED' } })).toBe(50),
  );
  await eventually(
    async () => {
      expect((await temporal.client.workflow.getHandle(`campaign:${campaign}:1`).describe()).status.name).not.toBe(
        'RUNNING',
      );
      for await (const { workflowId } of temporal.client.workflow.list({
        query: `ResourceKind = 'execution' AND ExecutionStatus = 'Running'`,
      }))
        throw new Error(`${workflowId} runs`);
    },
    { every: 200 },
  );
  const shown = await fetchCampaign(cluster, project, campaign);
  expect(shown).toMatchObject({ status: 'CANCELLED', pendingCount: 0, totalRecipients: 3000 });
  expect(shown.sentCount + shown.failedCount + shown.cancelledCount).toBe(3000);
  expect(shown.cancelledCount).toBeGreaterThan(0);
  expect(sink.mails).toHaveLength(shown.sentCount);
  expect(worker.logged.filter((line) => /Disabled a project because of its reputation/.test(line))).toHaveLength(1);

  const enabled = await fetch(`${api.url}/users/@me/projects/${project.id}`, {
    method: 'PATCH',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ disabled: false }),
  });
  expect([enabled.status, await enabled.json()]).toMatchObject([200, { disabled: false, disabledReason: null }]);
  expect((await send(cluster, project, 'after@x.test')).status).toBe(200);
  await eventually(() => expect(sink.counts().get('after@x.test')).toBe(1));
  // Another bounce with the old figures is checked and changes nothing.
  await addFigures(ctx, project.id, { bounces: 1 });
  await eventually(async () => expect(await ctx.prisma.reputationSuspect.count()).toBe(0));
  expect((await stateOf(ctx, project.id)).disabled).toBe(false);
  expect(sink.counts().get('late@x.test')).toBeUndefined();
});

test(
  'another worker stops the work of a disabled project if the first one is killed before that',
  { tags: 'faults', timeout: 240_000 },
  async () => {
    const cluster = await openCluster({ env: { SEND_RATE_PER_SECOND: '50' } });
    const { ctx, sink, temporal, worker } = cluster;
    const contacts = 3000;
    const project = await insertAudience(ctx, contacts);
    const graph = await insertGraph(ctx, project.id, {
      eventName: 'asked',
      steps: { wait: waitFor('bought') },
      edges: ['TRIGGER > wait'],
    });
    const campaign = await sendCampaign(cluster, project);
    const scheduled = await createCampaign(cluster, project);
    const scheduledFor = new Date(Date.now() + 86_400_000).toISOString();
    expect((await request(cluster, project, 'POST', `/campaigns/${scheduled}/send`, { scheduledFor })).status).toBe(
      200,
    );
    await sink.reached(100);
    // A lock on the project delays its stop, but not the update that disables it.
    const holder = await ctx.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM projects WHERE id = $1 FOR KEY SHARE`, [project.id]);
      await bounce(cluster, campaign);
      await eventually(async () => expect((await stateOf(ctx, project.id)).disabled).toBe(true));
      await worker.kill('SIGKILL');
      expect(await ctx.prisma.reputationSuspect.count()).toBeGreaterThan(0);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    const statusOf = async (id: string) => (await ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).status;
    // The campaign that was sending may have ended by itself.
    expect(await statusOf(scheduled)).toBe('SCHEDULED');
    const contact = await ctx.prisma.contact.findFirstOrThrow({ where: { projectId: project.id } });
    await emit(ctx, project.id, contact.id, 'asked');
    expect(await ctx.prisma.workflowExecution.count({ where: { workflowId: graph.id } })).toBe(0);
    // The sink has read everything that the killed worker wrote.
    await eventually(() => expect(sink.connections()).toBe(0));
    const before = sink.mails.length;

    await worker.start();
    await eventually(
      async () => {
        expect([await statusOf(campaign), await statusOf(scheduled)]).toEqual(['CANCELLED', 'CANCELLED']);
        expect(await ctx.prisma.reputationSuspect.count()).toBe(0);
        for (const id of [campaign, scheduled]) {
          const { status } = await temporal.client.workflow.getHandle(`campaign:${id}:1`).describe();
          expect(status.name).not.toBe('RUNNING');
        }
      },
      { within: 90_000, every: 200 },
    );
    await eventually(
      async () =>
        expect(await fetchCampaign(cluster, project, campaign)).toMatchObject({
          status: 'CANCELLED',
          pendingCount: 0,
          totalRecipients: contacts,
        }),
      { within: 60_000, every: 200 },
    );
    // No worker sends a mail of a disabled project, even if it was claimed before.
    expect(sink.mails).toHaveLength(before);
    expect([...sink.counts().values()].filter((count) => count > 1)).toEqual([]);
  },
);
