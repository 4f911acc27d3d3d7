import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createDomainActivities } from '../../activities/domains.js';
import { newSelector } from '../../src/domain/domains/dkim.js';
import { expectedRecords, type DomainRecord } from '../../src/domain/domains/records.js';
import { newId } from '../../src/ids.js';
import type { domainVerification } from '../../workflows/domain-verification.js';
import { insertProject } from '../helpers/api.js';
import { startZone } from '../helpers/dns.js';
import { eventually } from '../helpers/eventually.js';
import { useSystemWorker, type SystemWorker } from '../helpers/system-worker.js';
import { devServerEnvironment, timeSkippingEnvironment } from '../helpers/temporal.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const zone = await startZone();
beforeEach(() => zone.clear());
afterAll(() => zone.stop());

interface Started {
  id: string;
  dkim: DomainRecord;
  handle: WorkflowHandle<typeof domainVerification>;
}

/** A pending domain, and its workflow after the first check. */
async function start(worker: SystemWorker, published: 'published' | 'unpublished'): Promise<Started> {
  const { ctx } = worker;
  const project = await insertProject(ctx);
  const id = newId();
  const domain = `d${id.slice(-12)}.test`;
  const dkimSelector = newSelector();
  const records = expectedRecords({ domain, selector: dkimSelector, publicKey: 'MIIB', host: 'mail.sender.example' });
  const [dkim] = records;
  if (!dkim) throw new Error('The first record is DKIM');
  if (published === 'published') zone.publish([dkim]);
  await ctx.prisma.domain.create({
    data: { id, projectId: project.id, domain, dkimSelector, dkimPrivateKey: 'none', records },
  });
  const handle = await worker.env.client.workflow.start<typeof domainVerification>('domainVerification', {
    workflowId: `domain:${id}`,
    taskQueue: 'system',
    args: [{ domainId: id, projectId: project.id }],
  });
  worker.endAfterTest(handle);
  await eventually(async () => expect((await rowOf(worker, id)).lastCheckedAt).not.toBeNull());
  return { id, dkim, handle };
}

const rowOf = ({ ctx }: SystemWorker, id: string) => ctx.prisma.domain.findUniqueOrThrow({ where: { id } });
const statusBecomes = (worker: SystemWorker, id: string, status: string) =>
  eventually(async () => expect((await rowOf(worker, id)).status).toBe(status));
const checksOf = async (handle: WorkflowHandle): Promise<number> =>
  (await handle.fetchHistory()).events?.filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'checkDomain',
  ).length ?? 0;

describe('over skipped time', () => {
  const worker = useSystemWorker({
    startServer: timeSkippingEnvironment,
    createActivities: createDomainActivities,
    env: { DNS_SERVERS: zone.server },
  });

  test('a pending domain is checked every 5 minutes for a day, and is verified when its record exists', async () => {
    const { id, dkim, handle } = await start(worker, 'unpublished');
    await worker.env.sleep(24 * HOUR + MINUTE);
    await eventually(async () => expect(await checksOf(handle)).toBe(1 + (24 * 60) / 5));
    const pending = await rowOf(worker, id);
    expect(pending.status).toBe('PENDING');
    expect((await worker.env.currentTimeMs()) - (pending.lastCheckedAt?.getTime() ?? 0)).toBeLessThan(5 * MINUTE);

    zone.publish([dkim]);
    await worker.env.sleep(5 * MINUTE);
    await statusBecomes(worker, id, 'VERIFIED');
    expect(
      Math.abs((await worker.env.currentTimeMs()) - ((await rowOf(worker, id)).verifiedAt?.getTime() ?? 0)),
    ).toBeLessThan(5 * MINUTE);
  });

  test('a verified domain is checked once a day', async () => {
    const { id, handle } = await start(worker, 'published');
    await statusBecomes(worker, id, 'VERIFIED');
    await worker.env.sleep(23 * HOUR);
    expect(await checksOf(handle)).toBe(1);
    await worker.env.sleep(2 * HOUR);
    await eventually(async () => expect(await checksOf(handle)).toBe(2));
    await worker.env.sleep(48 * HOUR);
    await eventually(async () => expect(await checksOf(handle)).toBe(4));
    expect((await rowOf(worker, id)).status).toBe('VERIFIED');
  });

  test('a poke checks immediately', async () => {
    const { id, dkim, handle } = await start(worker, 'unpublished');
    const before = await worker.env.currentTimeMs();
    zone.publish([dkim]);
    await handle.signal('poke');
    await statusBecomes(worker, id, 'VERIFIED');
    expect((await worker.env.currentTimeMs()) - before).toBeLessThan(MINUTE);
  });

  test('a verified domain that fails for 72 hours becomes pending and can be verified again', async () => {
    const { id, dkim } = await start(worker, 'published');
    await statusBecomes(worker, id, 'VERIFIED');
    zone.clear();
    // The check of the next day is the first one that fails.
    await worker.env.sleep(25 * HOUR);
    await eventually(async () => expect((await rowOf(worker, id)).failingSince).not.toBeNull());
    await worker.env.sleep(48 * HOUR);
    expect((await rowOf(worker, id)).status).toBe('VERIFIED');
    await worker.env.sleep(24 * HOUR);
    await statusBecomes(worker, id, 'PENDING');
    expect(await rowOf(worker, id)).toMatchObject({ verifiedAt: null, failingSince: null });
    zone.publish([dkim]);
    await worker.env.sleep(5 * MINUTE);
    await statusBecomes(worker, id, 'VERIFIED');
  });

  test('a verified domain keeps its status while the DNS is unavailable', async () => {
    const { id } = await start(worker, 'published');
    await statusBecomes(worker, id, 'VERIFIED');
    const { lastCheckedAt } = await rowOf(worker, id);
    zone.become('failing');
    await worker.env.sleep(10 * 24 * HOUR);
    expect(await rowOf(worker, id)).toMatchObject({ status: 'VERIFIED', failingSince: null, lastCheckedAt });
  });

  test('the workflow ends after the domain is deleted', async () => {
    const { id, handle } = await start(worker, 'unpublished');
    await worker.ctx.prisma.domain.delete({ where: { id } });
    await handle.result();
    expect((await handle.describe()).status.name).toBe('COMPLETED');
  });

  test('a cancellation ends the workflow without an error', async () => {
    const { id, handle } = await start(worker, 'unpublished');
    await handle.cancel();
    await handle.result();
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    expect((await rowOf(worker, id)).status).toBe('PENDING');
  });
});

describe('with a long history', () => {
  const worker = useSystemWorker({
    startServer: () => devServerEnvironment({ suggestContinueAsNew: 40 }),
    createActivities: createDomainActivities,
    env: { DNS_SERVERS: zone.server },
  });

  test('a long wait continues as new and keeps checking', async () => {
    const { id, dkim, handle } = await start(worker, 'unpublished');
    const { runId } = await handle.describe();
    await eventually(async () => {
      await handle.signal('poke');
      expect((await handle.describe()).runId).not.toBe(runId);
    });
    zone.publish([dkim]);
    await handle.signal('poke');
    await statusBecomes(worker, id, 'VERIFIED');
  });
});
