/**
 * What webhooks cost a campaign, and how fast they are.
 *
 *   npx tsx bench/webhooks.ts [recipients] [pairs]     100000 and 5 by default; build with `npm run build` first
 *
 * Campaigns without and with an endpoint for `email.sent`, in turn; then 50 events per second, and their delay from the
 * commit to the arrival: alone, next to a dead endpoint, a slow one, and one that replies 429, and then with 1,000,000
 * deliveries that wait for the dead one. BENCH_SIGNING=true: with DKIM.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
import { insertEvents } from '../src/domain/events/insert.js';
import { addEndpoint } from '../src/domain/webhooks/manage.js';
import { newId } from '../src/ids.js';
import { addContacts, makeProject, perSecond, startBench, type Bench } from './harness.js';
import { percentile } from './http.js';
import { startPart } from './processes.js';

const RECIPIENTS = Number(process.argv[2] ?? 100_000);
const PAIRS = Number(process.argv[3] ?? 5);
const EVENTS_PER_SECOND = 50;
const SECONDS = 20;
const WAITING = 1_000_000;

interface Receiver {
  url: string;
  count: () => Promise<number>;
  arrivals: () => Promise<Map<string, number>>;
  reset: () => Promise<void>;
  stop: () => void;
}

async function startReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(new URL('receiver.mjs', import.meta.url)), { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ask = async (message: string): Promise<{ count: number; arrivals: Array<[string, number]> }> => {
    child.send(message);
    const [reply] = (await once(child, 'message')) as [{ count: number; arrivals: Array<[string, number]> }];
    return reply;
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    count: async () => (await ask('count')).count,
    arrivals: async () => new Map((await ask('arrivals')).arrivals),
    reset: async () => void (await ask('reset')),
    stop: () => child.disconnect(),
  };
}

/** Sends a campaign of a new project. @returns its emails per second, and how long the last delivery took longer */
async function runCampaign({ ctx, sink }: Bench, receiver: Receiver | null): Promise<{ rate: number; lateMs: number }> {
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, RECIPIENTS);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  await ctx.pool.query('CHECKPOINT');
  if (receiver)
    await addEndpoint(ctx, project.id, { url: receiver.url, events: ['email.sent'], description: '', enabled: true });
  await receiver?.reset();
  await sleep(1500);
  const campaign = await createCampaign(ctx, project.id, {
    name: 'Bench',
    subject: 'News',
    body: '<p>Hello {{ firstName }}</p>',
    from: `news@${project.domain}`,
    audienceType: 'ALL',
    type: 'MARKETING',
  });
  await sink.reset();
  await sendCampaign(ctx, project.id, campaign.id);
  let count = 0;
  let first = 0;
  let last = 0;
  while (count < RECIPIENTS) {
    await sleep(50);
    ({ count, first, last } = await sink.read());
  }
  if (receiver) while ((await receiver.count()) < RECIPIENTS) await sleep(100);
  return { rate: perSecond(RECIPIENTS, last - first), lateMs: Date.now() - last };
}

/** A receiver that replies after 10 s, and one that replies 429. */
const NEIGHBORS = ['/slow', '/busy'];
/** Nothing listens. */
const DEAD = 'http://127.0.0.1:1/';

/** Events that happened before, and wait for an endpoint. */
async function addWaiting({ ctx }: Bench, projectId: string, endpointId: string): Promise<void> {
  await ctx.pool.query(
    `WITH notice AS (
       INSERT INTO webhook_notices (id, project_id, type, data)
       SELECT uuid_v7(), $1, 'campaign.sent', '{"campaignId": "none", "name": "None"}' FROM generate_series(1, $3)
       RETURNING id, type
     )
     INSERT INTO webhook_deliveries (endpoint_id, event_id, project_id, type) SELECT $2, id, $1, type FROM notice`,
    [projectId, endpointId, WAITING],
  );
}

/** A project with an endpoint at the receiver, and others. */
async function makeEndpoints({ ctx }: Bench, receiver: Receiver, others: string[]) {
  const project = await makeProject(ctx);
  const ids: string[] = [];
  for (const url of [receiver.url, ...others]) {
    const { id } = await addEndpoint(ctx, project.id, { url, events: ['*'], description: '', enabled: true });
    ids.push(id);
  }
  return { projectId: project.id, ids };
}

/** Stores events at a steady rate. @returns the milliseconds from each commit to its arrival, sorted */
async function measureDelay({ ctx }: Bench, receiver: Receiver, projectId: string): Promise<number[]> {
  await receiver.reset();
  await sleep(1500);
  const committed: Array<[string, number]> = [];
  for (let number = 0; number < EVENTS_PER_SECOND * SECONDS; number++) {
    const next = sleep(1000 / EVENTS_PER_SECOND);
    const id = newId();
    await insertEvents(ctx.pool, [{ id, projectId, contactId: null, name: 'order.placed' }]);
    committed.push([id, Date.now()]);
    await next;
  }
  await sleep(3000);
  const arrivals = await receiver.arrivals();
  return committed.map(([id, at]) => (arrivals.get(id) ?? Infinity) - at).sort((a, b) => a - b);
}

const bench = await startBench({ DKIM_SIGNING: process.env.BENCH_SIGNING ?? 'false', WEBHOOK_ALLOW_PRIVATE: 'true' });
const receiver = await startReceiver();
try {
  await bench.ctx.pool.query(`ALTER SYSTEM SET autovacuum = off`);
  await bench.ctx.pool.query(`SELECT pg_reload_conf()`);
  const worker = await startPart(bench, 'worker');
  await sleep(3000);
  // The first campaigns warm everything up.
  await runCampaign(bench, null);
  const ratios: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const without = await runCampaign(bench, null);
    const withWebhooks = await runCampaign(bench, receiver);
    ratios.push(withWebhooks.rate / without.rate);
    console.log(
      `without ${without.rate}/s, with ${withWebhooks.rate}/s (${ratios.at(-1)?.toFixed(2)}); ` +
        `the last delivery arrived ${withWebhooks.lateMs} ms after the last email`,
    );
  }
  ratios.sort((a, b) => a - b);
  const median = ratios[ratios.length >> 1];
  if (median !== undefined)
    console.log(`campaign with an endpoint, of its rate without (median): ${median.toFixed(2)}`);
  const show = async (situation: string, projectId: string): Promise<void> => {
    const delays = await measureDelay(bench, receiver, projectId);
    const [p50, p99] = [percentile(delays, 0.5), percentile(delays, 0.99)];
    console.log(`${EVENTS_PER_SECOND} events/s, ${situation}: p50 ${p50} ms, p99 ${p99} ms`);
  };
  await show('alone', (await makeEndpoints(bench, receiver, [])).projectId);
  const neighbors = NEIGHBORS.map((path) => new URL(path, receiver.url).href);
  const { projectId, ids } = await makeEndpoints(bench, receiver, [...neighbors, DEAD]);
  await show('next to a dead, a slow, and a busy endpoint', projectId);
  await addWaiting(bench, projectId, ids.at(-1) ?? '');
  await show(`and ${WAITING} deliveries that wait for the dead one`, projectId);
  await show('of another project then', (await makeEndpoints(bench, receiver, [])).projectId);
  worker.kill('SIGTERM');
  await once(worker, 'exit');
} finally {
  receiver.stop();
  await bench.stop();
}
process.exit(0);
