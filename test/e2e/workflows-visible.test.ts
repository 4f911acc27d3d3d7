/** The information for operators in Temporal. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { insertAudience } from '../helpers/audience.js';
import { request, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { plainEvents } from '../helpers/histories.js';

const Metadata = z.object({ currentDetails: z.string() });
const Added = z.object({ id: z.string() });

async function found(client: Client, query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids.sort();
}

const detailsOf = async (handle: WorkflowHandle): Promise<string> =>
  Metadata.parse(await handle.query('__temporal_workflow_metadata')).currentDetails;

/** The history as text with decoded payloads. */
const textOf = async (handle: WorkflowHandle): Promise<string> =>
  JSON.stringify(plainEvents(await handle.fetchHistory()), (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value,
  );

test('Temporal shows summaries of campaigns and domains, and histories without addresses and content', async () => {
  const cluster = await openCluster();
  const { ctx, sink, temporal } = cluster;
  const { client } = temporal;
  const [project, other] = await Promise.all([insertAudience(ctx, 50), insertAudience(ctx, 10)]);
  // Every email is postponed once, so that the workflow shows that it waits.
  sink.refuse([451, '4.3.0 not now']);
  const id = await sendCampaign(cluster, project);
  const otherId = await sendCampaign(cluster, other);
  const added = await request(cluster, project, 'POST', '/domains', {
    projectId: project.id,
    domain: `mail.${project.domain}`,
  });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  const { id: domainId } = Added.parse(added.body);

  const campaign = client.workflow.getHandle(`campaign:${id}:1`);
  await eventually(async () => expect(await detailsOf(campaign)).toMatch(/^\d+ of 50 wait for another attempt$/));
  sink.refuse(null);
  await settled(cluster, project, id, 'SENT');
  await settled(cluster, other, otherId, 'SENT');
  expect(await campaign.result()).toBe('sent to 50');

  await eventually(async () => {
    expect(await found(client, `ProjectId = '${project.id}' AND ResourceKind = 'campaign'`)).toEqual([
      `campaign:${id}:1`,
    ]);
    expect(await found(client, `ResourceId = '${otherId}'`)).toEqual([`campaign:${otherId}:1`]);
    expect(await found(client, `ResourceKind = 'campaign' AND ExecutionStatus = 'Completed'`)).toEqual(
      [`campaign:${id}:1`, `campaign:${otherId}:1`].sort(),
    );
    expect(await found(client, `ProjectId = '${project.id}' AND ResourceKind = 'domain'`)).toContain(
      `domain:${domainId}`,
    );
    expect(await found(client, `ProjectId = '${other.id}' AND ResourceKind = 'domain'`)).not.toContain(
      `domain:${domainId}`,
    );
    expect(await found(client, `ResourceId = '${domainId}'`)).toEqual([`domain:${domainId}`]);
    expect(await found(client, `ResourceKind = 'maintenance'`)).toContain('maintenance:expiry');
  });

  const domain = client.workflow.getHandle(`domain:${domainId}`);
  expect(await (await domain.describe()).staticSummary()).toBe(`Verification of mail.${project.domain}`);
  expect(await (await campaign.describe()).staticSummary()).toBe('Send a campaign now');
  await eventually(async () => expect(await detailsOf(domain)).toBe('PENDING; checked every 5 minutes'));

  for (const handle of [campaign, domain, client.workflow.getHandle(`campaign:${otherId}:1`)]) {
    const history = await textOf(handle);
    expect(history).toContain('ResourceId');
    expect(history).not.toMatch(/@|Number|Hello/);
  }
});
