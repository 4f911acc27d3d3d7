/**
 * Accepted requests per second of POST /v1/send and their latency, compared with a bare Fastify route with one insert in
 * the same run, and the time from the request to the inbox: at 50 and 1,000 requests per second, and at 50 during a
 * campaign at full speed.
 *
 *   npx tsx bench/send.ts [seconds]
 *
 * BENCH_SIGNING=false: without DKIM, which makes the campaign faster. BENCH_ONE_PROCESS=true: only the time to the inbox, with the
 * API and the worker in one process, as `npm start` has them.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/embedded/src/ports.js';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
import { addContacts, makeProject, printTable, startBench, type Bench, type BenchProject } from './harness.js';
import { child, environmentOf, load, percentile, row } from './http.js';

const WARM_UP_MS = 3000;
const CAMPAIGN_RECIPIENTS = 300_000;

async function measureSends(bench: Bench, project: BenchProject, seconds: number): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/health/live`;
  const common = {
    key: project.secret,
    domain: project.domain,
    connections: 50,
    ms: seconds * 1000,
    port,
    path: '/v1/send',
  };
  const processes: ChildProcess[] = [];
  if (process.env.BENCH_ONE_PROCESS === 'true') {
    processes.push(await child('../src/main.ts', environmentOf(bench, port), url));
  } else {
    processes.push(await child('../src/main-api.ts', environmentOf(bench, port), url));
    await measureRequests(bench, common);
    // The time to the inbox is that of an idle system, so the queue is emptied first.
    await bench.ctx.pool.query(`DELETE FROM emails WHERE status = 'PENDING'`);
    processes.push(await child('../src/main-worker.ts', environmentOf(bench, 0), url));
  }
  await sleep(5000);
  const measureInbox = (rate: number): Promise<string> => timeToInbox(bench, { ...common, rate });
  await load({ ...common, connections: 20, ms: WARM_UP_MS, rate: 50 });
  for (const rate of [50, 1000]) console.log(`request to inbox at ${rate}/s: ${await measureInbox(rate)}`);
  const campaign = await startCampaign(bench);
  console.log(`request to inbox at 50/s during a campaign: ${await measureInbox(50)}`);
  console.log(`The campaign is ${await readStatus(bench, campaign)}.`);
  for (const one of processes) one.kill('SIGTERM');
}

/** Measures accepted requests without a worker, and the bare route. */
async function measureRequests(bench: Bench, common: Parameters<typeof load>[0]): Promise<void> {
  const port = await freePort();
  const bareProcess = await child('bare.ts', environmentOf(bench, port), `http://127.0.0.1:${port}/`);
  const bare = { ...common, port, path: '/bare' };
  await load({ ...common, ms: 3000 });
  await load({ ...bare, ms: 2000 });
  const calibration = await load(bare);
  const accepted = await load(common);
  const steady = await load({ ...common, rate: 1000 });
  printTable([
    row('a bare route with one insert', calibration),
    row('POST /v1/send, maximum rate', accepted),
    row('POST /v1/send at 1,000 per second', steady),
  ]);
  console.log(
    `ratio to the bare route ${(accepted.count / accepted.ms / (calibration.count / calibration.ms)).toFixed(2)}`,
  );
  bareProcess.kill('SIGTERM');
}

/** Sends marked emails, and describes the milliseconds from the request to the sink. */
async function timeToInbox({ sink }: Bench, options: Parameters<typeof load>[0]): Promise<string> {
  await sink.watch();
  const { sent, latencies } = await load({ ...options, mark: true });
  await sleep(3000);
  const arrivals = await sink.arrivals();
  const times = sent
    .flatMap(([number, at]) => (arrivals.has(number) ? [(arrivals.get(number) ?? 0) - at] : []))
    .sort((a, b) => a - b);
  const p50AndP99 = (sorted: number[]): string =>
    `p50 ${percentile(sorted, 0.5)} ms, p99 ${percentile(sorted, 0.99)} ms`;
  return `${times.length} of ${sent.length} arrived, ${p50AndP99(times)} (response: ${p50AndP99(latencies)})`;
}

/** Starts a campaign of another project that lasts longer than the measurement. @returns its id */
async function startCampaign(bench: Bench): Promise<string> {
  const { ctx } = bench;
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, CAMPAIGN_RECIPIENTS);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  const campaign = await createCampaign(ctx, project.id, {
    name: 'Bench',
    subject: 'News',
    body: '<p>Hello {{ firstName }}</p>',
    from: `news@${project.domain}`,
    audienceType: 'ALL',
    type: 'MARKETING',
  });
  await sendCampaign(ctx, project.id, campaign.id);
  while (
    !(
      await bench.ctx.pool.query(`SELECT FROM emails WHERE campaign_id = $1 AND status = 'SENT' LIMIT 1`, [campaign.id])
    ).rowCount
  )
    await sleep(50);
  return campaign.id;
}

async function readStatus({ ctx }: Bench, campaignId: string): Promise<string> {
  const { rows } = await ctx.pool.query<{ status: string }>(`SELECT status FROM campaigns WHERE id = $1`, [campaignId]);
  return rows[0]?.status ?? 'gone';
}

const bench = await startBench({ DKIM_SIGNING: process.env.BENCH_SIGNING ?? 'true' });
try {
  await measureSends(bench, await makeProject(bench.ctx), Number(process.argv[2] ?? 10));
} finally {
  await bench.stop();
}
process.exit(0);
