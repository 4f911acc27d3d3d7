import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createDomainActivities } from '../../activities/domains.js';
import { createContext, type Context } from '../../src/context.js';
import { newSelector } from '../../src/domain/domains/dkim.js';
import { expectedRecords, type DomainRecord } from '../../src/domain/domains/records.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import type { domainVerification } from '../../workflows/domain-verification.js';
import { insertProject, testConfig } from '../helpers/api.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { startZone } from '../helpers/dns.js';
import { timeSkippingEnvironment, workflowBundle } from '../helpers/temporal.js';

// Hundreds of real checks are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const zone = await startZone();
let database: TestDatabase;
let ctx: Context;
let env: TestWorkflowEnvironment;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = testConfig(database.url, { DNS_SERVERS: zone.server });
  ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
});

afterAll(async () => {
  await ctx.close();
  await database.drop();
  await zone.stop();
});

// A server has one clock, so each test has its own server.
beforeEach(async () => {
  zone.clear();
  env = await timeSkippingEnvironment();
  worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: 'system',
    workflowBundle: await workflowBundle(),
    activities: createDomainActivities(ctx),
  });
  running = worker.run();
});

afterEach(async () => {
  worker.shutdown();
  await running;
  await env.teardown();
});

interface Started {
  id: string;
  dkim: DomainRecord;
  handle: WorkflowHandle<typeof domainVerification>;
}

/** A pending domain, and its workflow after the first check. */
async function start(published: 'published' | 'unpublished'): Promise<Started> {
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
  const handle = await env.client.workflow.start<typeof domainVerification>('domainVerification', {
    workflowId: `domain:${id}`,
    taskQueue: 'system',
    args: [{ domainId: id, projectId: project.id }],
  });
  await vi.waitFor(async () => expect((await row(id)).lastCheckedAt).not.toBeNull(), { timeout: 10_000 });
  return { id, dkim, handle };
}

const row = (id: string) => ctx.prisma.domain.findUniqueOrThrow({ where: { id } });
const eventuallyIs = (id: string, status: string) =>
  vi.waitFor(async () => expect((await row(id)).status).toBe(status), { timeout: 10_000 });
const checksOf = async (handle: WorkflowHandle): Promise<number> =>
  (await handle.fetchHistory()).events?.filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'checkDomain',
  ).length ?? 0;

test('a pending domain is checked every 5 minutes for a day, and is verified when its record exists', async () => {
  const { id, dkim, handle } = await start('unpublished');
  await env.sleep(24 * HOUR + MINUTE);
  await vi.waitFor(async () => expect(await checksOf(handle)).toBe(1 + (24 * 60) / 5));
  const pending = await row(id);
  expect(pending.status).toBe('PENDING');
  expect((await env.currentTimeMs()) - (pending.lastCheckedAt?.getTime() ?? 0)).toBeLessThan(5 * MINUTE);

  zone.publish([dkim]);
  await env.sleep(5 * MINUTE);
  await eventuallyIs(id, 'VERIFIED');
  expect(Math.abs((await env.currentTimeMs()) - ((await row(id)).verifiedAt?.getTime() ?? 0))).toBeLessThan(5 * MINUTE);
});

test('a verified domain is checked once a day', async () => {
  const { id, handle } = await start('published');
  await eventuallyIs(id, 'VERIFIED');
  await env.sleep(23 * HOUR);
  expect(await checksOf(handle)).toBe(1);
  await env.sleep(2 * HOUR);
  await vi.waitFor(async () => expect(await checksOf(handle)).toBe(2));
  await env.sleep(48 * HOUR);
  await vi.waitFor(async () => expect(await checksOf(handle)).toBe(4));
  expect((await row(id)).status).toBe('VERIFIED');
});

test('a poke checks immediately', async () => {
  const { id, dkim, handle } = await start('unpublished');
  const before = await env.currentTimeMs();
  zone.publish([dkim]);
  await handle.signal('poke');
  await eventuallyIs(id, 'VERIFIED');
  expect((await env.currentTimeMs()) - before).toBeLessThan(MINUTE);
});

test('a verified domain that fails for 72 hours becomes pending and can be verified again', async () => {
  const { id, dkim } = await start('published');
  await eventuallyIs(id, 'VERIFIED');
  zone.clear();
  // The check of the next day is the first one that fails.
  await env.sleep(25 * HOUR);
  await vi.waitFor(async () => expect((await row(id)).failingSince).not.toBeNull());
  await env.sleep(48 * HOUR);
  expect((await row(id)).status).toBe('VERIFIED');
  await env.sleep(24 * HOUR);
  await eventuallyIs(id, 'PENDING');
  expect(await row(id)).toMatchObject({ verifiedAt: null, failingSince: null });
  zone.publish([dkim]);
  await env.sleep(5 * MINUTE);
  await eventuallyIs(id, 'VERIFIED');
});

test('a verified domain keeps its status while the DNS is unavailable', async () => {
  const { id } = await start('published');
  await eventuallyIs(id, 'VERIFIED');
  const { lastCheckedAt } = await row(id);
  zone.become('failing');
  await env.sleep(10 * 24 * HOUR);
  expect(await row(id)).toMatchObject({ status: 'VERIFIED', failingSince: null, lastCheckedAt });
});

test('the workflow ends after the domain is deleted', async () => {
  const { id, handle } = await start('unpublished');
  await ctx.prisma.domain.delete({ where: { id } });
  await handle.result();
  expect((await handle.describe()).status.name).toBe('COMPLETED');
});

test('a cancellation ends the workflow without an error', async () => {
  const { id, handle } = await start('unpublished');
  await handle.cancel();
  await handle.result();
  expect((await handle.describe()).status.name).toBe('COMPLETED');
  expect((await row(id)).status).toBe('PENDING');
});

test('a long wait continues as new and keeps checking', async () => {
  const { id, dkim, handle } = await start('unpublished');
  const first = (await handle.describe()).runId;
  // 4,096 events, at which the server suggests it, are about 31 hours of checks.
  await env.sleep(36 * HOUR);
  expect((await env.client.workflow.getHandle(`domain:${id}`).describe()).runId).not.toBe(first);
  zone.publish([dkim]);
  await env.sleep(5 * MINUTE);
  await eventuallyIs(id, 'VERIFIED');
});
