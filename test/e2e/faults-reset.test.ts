/** A project is reset while a campaign and executions are running. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { request, sendCampaign } from '../helpers/campaigns.js';
import { openCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { rowsOf } from '../helpers/project-content.js';
import { emit, insertGraph, insertTemplate, sendTemplate, waitFor } from '../helpers/workflow-graph.js';

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

test(
  'a reset stops a campaign and 200 executions, sends no further email, and leaves a working project',
  { tags: 'faults' },
  async () => {
    // Slow enough that the campaign takes half a minute, so that the reset stops it.
    const cluster = await openCluster({ env: { SEND_RATE_PER_SECOND: '100' } });
    const { ctx, sink, temporal, api, worker } = cluster;
    const project = await insertAudience(ctx, 3000);
    const cookie = await ownerOf(cluster, project.id);
    const template = await insertTemplate(ctx, project);
    const graph = await insertGraph(ctx, project.id, {
      eventName: 'asked',
      steps: { wait: waitFor('bought'), hello: sendTemplate(template) },
      edges: ['TRIGGER > wait', 'wait > hello'],
    });
    const contacts = await ctx.prisma.contact.findMany({
      where: { projectId: project.id },
      select: { id: true },
      take: 200,
    });
    for (const { id } of contacts) await emit(ctx, project.id, id, 'asked');
    await eventually(
      async () =>
        expect(await ctx.prisma.workflowExecution.count({ where: { workflowId: graph.id, status: 'WAITING' } })).toBe(
          200,
        ),
      { within: 60_000 },
    );
    const campaign = await sendCampaign(cluster, project);
    await sink.reached(200);
    for (const { id } of contacts) await emit(ctx, project.id, id, 'bought');

    const reset = await fetch(`${api.url}/users/@me/projects/${project.id}/reset`, {
      method: 'POST',
      headers: { cookie },
    });
    expect([reset.status, await reset.json()]).toMatchObject([200, { id: project.id }]);
    const {
      domains,
      memberships,
      cleared_days,
      key_uses,
      project_days,
      project_hours,
      project_usage,
      rate_windows,
      send_buckets,
      stat_deltas,
      suppressions,
      ...gone
    } = await rowsOf(ctx, project.id);
    expect([domains, memberships]).toEqual([1, 1]);
    expect(
      [
        cleared_days,
        key_uses,
        project_days,
        project_hours,
        project_usage,
        rate_windows,
        send_buckets,
        stat_deltas,
        suppressions,
      ].every((count) => count !== undefined),
    ).toBe(true);
    expect(Object.entries(gone).filter(([, count]) => count > 0)).toEqual([]);

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
      { within: 60_000, every: 200 },
    );
    // The mails in flight have arrived by now. The pause gives more mails, which would be an error, time to arrive.
    const taken = sink.mails.length;
    expect(taken).toBeLessThan(3200);
    await sleep(2000);
    expect(sink.mails).toHaveLength(taken);
    expect([...sink.counts().values()].filter((count) => count > 2)).toEqual([]);
    expect(worker.logged.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);

    const sent = await request(cluster, project, 'POST', '/v1/send', {
      to: 'after@x.test',
      from: `news@${project.domain}`,
      subject: 'Now',
      body: '<p>Now</p>',
    });
    expect(sent.status).toBe(200);
    await eventually(() => expect(sink.counts().get('after@x.test')).toBe(1));
  },
);
